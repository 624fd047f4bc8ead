package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// The lab's `install-` scenarios do what `docs/getting-started.md` says, all of it, and nothing else.
final class GuideTest {
  private static final Path PAGE = Path.of("../docs/getting-started.md");

  /// What the page says for those without packages, and the same status twice.
  private static final List<String> NOT_FOLLOWED =
      List.of(
          "groupadd --system haclient",
          "useradd --system",
          "ssh root@alpha rm -rf",
          "~/systole-new/libexec",
          "install -d /etc/corosync");

  /// Writes down what is done, and says that all went well.
  private static final class Notebook implements Machines {
    private final List<String> deeds = new ArrayList<>();
    private int starts = 1;

    @Override
    public Outcome run(String machine, String command, String answers) {
      synchronized (this) {
        deeds.add(machine + ": " + command);
      }
      if (command.startsWith("pcs stonith fence ") || command.startsWith("stonith_admin --reboot ")) {
        starts++;
      }
      return new Outcome(0, "Online: [ alpha beta gamma ]\nresource address is running on: alpha\n");
    }

    @Override
    public Outcome desk(String command) {
      deeds.add("desk: " + command);
      return new Outcome(0, "");
    }

    @Override
    public void write(String machine, String file, String text) {
      deeds.add(machine + ": " + file + "\n" + text);
    }

    @Override
    public boolean answers(String address) {
      return address.equals(Machines.SERVICE);
    }

    @Override
    public int starts(String machine) {
      return starts;
    }

    @Override
    public void await(String what, Look wanted) throws IOException {
      assertTrue(wanted.now(), what);
    }
  }

  private interface Way {
    void follow(InstallScenarios follower) throws IOException;
  }

  private static List<String> deeds(Guide guide, Way way) throws IOException {
    var notebook = new Notebook();
    way.follow(new InstallScenarios(guide, notebook, _ -> {}));
    return notebook.deeds;
  }

  @Test
  void everyCommandOfThePageIsRun() throws IOException {
    var guide = Guide.read(PAGE);
    deeds(guide, InstallScenarios::byPcs);
    deeds(guide, InstallScenarios::byHand);
    deeds(guide, InstallScenarios::byCrmsh);
    var left =
        guide.left(InstallScenarios.FOLLOWED).stream()
            .map(Guide.Command::text)
            .filter(it -> NOT_FOLLOWED.stream().noneMatch(it::startsWith))
            .toList();
    assertEquals(List.of(), left);
  }

  @Test
  void whatIsNotFollowedIsThere() throws IOException {
    var left = Guide.read(PAGE).left(InstallScenarios.FOLLOWED);
    for (var begins : NOT_FOLLOWED) {
      assertTrue(left.stream().anyMatch(it -> it.text().startsWith(begins)), begins);
    }
  }

  @Test
  void eachMachineGetsWhatThePageHasForIt() throws IOException {
    var deeds = deeds(Guide.read(PAGE), InstallScenarios::byPcs);
    assertTrue(deeds.contains("desk: scp packages/systole*.deb root@gamma:"), deeds.toString());
    for (var it : Machines.NAMES) {
      assertTrue(deeds.contains(it + ": passwd hacluster"), it);
      var board = "198.51.100.1" + (Machines.NAMES.indexOf(it) + 1);
      assertTrue(
          deeds.contains(
              "alpha: pcs stonith create ipmi-%1$s fence_ipmilan pcmk_host_list=%1$s ip=%2$s username=admin password_script=/etc/pacemaker/ipmi"
                  .formatted(it, board)),
          it + " " + deeds);
    }
  }

  @Test
  void theFileIsThePagesWithTheMachinesAddresses() throws IOException {
    var deeds = deeds(Guide.read(PAGE), InstallScenarios::byHand);
    var file = deeds.stream().filter(it -> it.startsWith("beta: /etc/corosync/")).findFirst().orElseThrow();
    for (var it : Machines.NAMES) {
      var board = "<nvpair id=\"ipmi-%s-ip\" name=\"ip\" value=\"%s\"/>";
      assertEquals(
          1, deeds.stream().filter(deed -> deed.contains(board.formatted(it, Machines.board(it)))).count());
      assertTrue(file.contains("ring0_addr: %s\n    name: %s\n".formatted(Machines.address(it), it)), file);
    }
    assertEquals(new TreeSet<>(List.of("totem {", "nodelist {", "quorum {")),
        new TreeSet<>(file.lines().filter(it -> it.matches("[a-z]+ \\{")).toList()));
  }

  @Test
  void aCommandThatIsGoneOrThereTwiceIsMissed() {
    var twice = Guide.of(List.of("## Title", "", "    ls a", "    ls b"));
    assertThrows(LabFailure.class, () -> twice.take("Title", "ls"));
    assertThrows(LabFailure.class, () -> twice.take("Other", "ls a"));
    assertEquals("ls b", twice.take("Title", "ls b").text());
  }

  @Test
  void commentsSayWhere() {
    var guide =
        Guide.of(
            List.of(
                "## Title",
                "",
                "    one 'a # b'      # on beta, then gamma",
                "    two              # on each",
                "    tell alpha at 198.51.100.11    # and beta, gamma",
                "    copy root@beta:    # and gamma",
                "    four 'of",
                "",
                "      several'",
                "",
                "text"));
    assertEquals(List.of("beta", "gamma"), guide.take("Title", "one").where());
    assertEquals("one 'a # b'", guide.take("Title", "one").text());
    assertEquals(Machines.NAMES, guide.take("Title", "two").where());
    assertEquals(
        List.of(
            "tell alpha at 198.51.100.11",
            "tell beta at 198.51.100.12",
            "tell gamma at 198.51.100.13"),
        guide.take("Title", "tell").forEach());
    assertEquals(
        List.of("copy root@beta:", "copy root@gamma:"), guide.take("Title", "copy").forEach());
    assertEquals("four 'of\n\n  several'", guide.take("Title", "four").text());
    assertEquals(List.of(), guide.take("Title", "four").where());
  }
}
