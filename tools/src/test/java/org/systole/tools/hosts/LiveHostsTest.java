package org.systole.tools.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlMessage.HaHost;
import org.systole.controld.client.CtlMessage.HaQueue;
import org.systole.controld.client.CtlMessage.HaTry;
import org.systole.controld.client.CtlMessage.HostMove;
import org.systole.controld.client.CtlMessage.Hosts;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Shell;

/// What is shown of hosts, as a DC tells it. The shell holds each XML result to the schema.
final class LiveHostsTest {
  private static final NodeName H1 = new NodeName("h1");

  private static final Hosts ALL =
      new Hosts(
          List.of(
              new HaHost(
                  H1,
                  "pod=p1",
                  "FENCING",
                  1_718_452_740,
                  "its power could not be switched off: the outlet is stuck",
                  "ON",
                  1,
                  10,
                  9,
                  1,
                  true,
                  "being moved",
                  List.of(
                      new HostMove(
                          1_718_452_000, "AVAILABLE", "SUSPECT", "HealthCheckFailed", "no answer"),
                      new HostMove(1_718_452_010, "SUSPECT", "CHECKING", "PerformActivityCheck", "")),
                  1_718_452_700L),
              new HaHost(
                  new NodeName("h22"), "", "AVAILABLE", 1_718_452_000, "", "", 0, 0, 0, 0, false, null, List.of(), null)),
          List.of(new HaQueue("fence", 3, 1, 2), new HaQueue("health", 0, 0, 0)),
          List.of());

  private interface Part {
    void show(LiveHosts live) throws CommandException;
  }

  @TempDir private Path directory;

  private String shown(Part part, String... arguments) {
    var command =
        new Command("crm_hostha") {
          @Override
          protected ExitStatus execute() throws CommandException {
            part.show(new LiveHosts(terminal(), out()));
            return ExitStatus.OK;
          }
        };
    var ran = new Shell(directory).run(command, arguments);
    assertEquals(0, ran.code(), ran.err());
    return ran.out();
  }

  @Test
  void aListHasALineForEachHostAndForWhatWaits() {
    assertEquals(
        """
        h1   FENCING     since 2024-06-15T11:59:00  held (being moved)  its power could not be switched off: the outlet is stuck
        h22  AVAILABLE   since 2024-06-15T11:46:40
        queue fence: 3 wait
        """,
        shown(it -> it.list(ALL)));
    var verbose = shown(it -> it.list(ALL, true)).lines().toList();
    assertEquals(5, verbose.size(), verbose.toString());
    assertEquals("  2024-06-15T11:46:50  SUSPECT -> CHECKING (PerformActivityCheck)", verbose.get(2));
    assertEquals(
        "Host HA is in use for no host\n",
        shown(it -> it.list(new Hosts(List.of(), List.of(), List.of()))));
  }

  @Test
  void oneIsShownWithAllThatIsKnownAndHowItCameThere() {
    assertEquals(
        """
        h1: FENCING since 2024-06-15T11:59:00
          why: its power could not be switched off: the outlet is stuck
          for what runs there: Disconnected
          in: pod=p1
          power: ON, as read at 2024-06-15T11:58:20
          maintenance: yes
          held: by a person: being moved
          recoveries begun: 1
          activity checks: 10, of which 9 saw nothing and 1 could not look
          2024-06-15T11:46:40  AVAILABLE -> SUSPECT (HealthCheckFailed): no answer
          2024-06-15T11:46:50  SUSPECT -> CHECKING (PerformActivityCheck)
        """,
        shown(it -> it.isShown(ALL, H1)));
  }

  @Test
  void oneThatIsNotThereIsToldWithTheOneThatMayBeMeant() {
    shown(
        live -> {
          var refused = LiveHosts.unknown(ALL, new NodeName("h2"));
          assertFalse(live.isShown(ALL, new NodeName("h2")));
          assertEquals(ExitStatus.NOSUCH, refused.status());
          assertEquals(
              "Host HA knows no host h2: hosts are the remote nodes, and crm_hostha --list shows all (is h1 meant?)",
              refused.getMessage());
        });
    assertEquals("", LiveHosts.meant(ALL, new NodeName("storage7")));
  }

  @Test
  void theXmlIsAsTheSchemaSays() {
    for (var part : List.<Part>of(it -> it.list(ALL), it -> it.isShown(ALL, H1))) {
      var xml = shown(part, "--output-as=xml");
      assertTrue(xml.contains("<host name=\"h1\" state=\"FENCING\""), xml);
      assertTrue(xml.contains("event=\"PerformActivityCheck\"/>"), xml);
    }
    assertTrue(shown(it -> it.list(ALL), "--output-as=json").contains("\"name\": \"fence\""));
  }

  @Test
  void aTrialTellsOfEachCheck() {
    Part part =
        it ->
            it.tried(
                H1,
                List.of(
                    new HaTry("eligible", "", true, "yes"),
                    new HaTry("activity", "h22", false, "stale handle")));

    assertEquals(
        """
        eligible  good  yes
        activity  bad   seen by h22: stale handle
        """,
        shown(part));
    assertTrue(
        shown(part, "--output-as=xml")
            .contains("<check name=\"activity\" by=\"h22\" good=\"false\" answer=\"stale handle\"/>"));
  }
}
