package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.operation.AgentMetadata;

/// The providers of host HA that ship, as agents: what they say about made-up hosts.
final class HostAgentsTest {
  private record Ran(int code, String out, String err) {}

  @TempDir Path root;

  @BeforeEach
  void needsAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "there is no /bin/sh");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ha-generic", "ha-activity-file", "ha-kvm", "ha-simulated"})
  void eachSaysWhatItCanDo(String agent) throws Exception {
    var ran = run(agent, "meta-data", Map.of());

    assertEquals(0, ran.code(), ran.err());
    var actions =
        AgentMetadata.parse("ocf", ran.out()).actions().stream()
            .map(AgentMetadata.Action::name)
            .toList();
    assertTrue(actions.containsAll(List.of("eligible", "health", "activity")), actions.toString());
    assertEquals(3, run(agent, "jump", Map.of("host", "h1", "directory", "/x", "volumes", "/x")).code());
  }

  @Test
  void aVolumeThatIsWrittenToHasAnotherStamp() throws Exception {
    var file = root.resolve("h1/disk");
    Files.createDirectories(root.resolve("h1"));
    Files.writeString(file, "one");
    var where = Map.of("host", "h1", "volumes", root.toString());

    var first = run("ha-activity-file", "activity", where);
    var still = run("ha-activity-file", "activity", where);
    Files.writeString(file, "longer");
    var moving = run("ha-activity-file", "activity", where);

    assertEquals(0, first.code(), first.err());
    assertTrue(first.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\n"), first.out());
    assertEquals(stamp(first), stamp(still));
    assertNotEquals(stamp(first), stamp(moving));
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk", "old"})
  void aFileThatIsDatedAheadHidesNoWrites(String written) throws Exception {
    var own = Files.createDirectories(root.resolve("h1"));
    for (var name : List.of("ahead", "disk", "old")) {
      Files.writeString(own.resolve(name), name);
    }
    var now = Instant.now();
    Files.setLastModifiedTime(own.resolve("ahead"), FileTime.from(now.plusSeconds(86_400)));
    Files.setLastModifiedTime(own.resolve("old"), FileTime.from(now.minusSeconds(86_400)));
    var where = Map.of("host", "h1", "volumes", root.toString());

    var first = run("ha-activity-file", "activity", where);
    var still = run("ha-activity-file", "activity", where);
    Files.writeString(own.resolve(written), "longer");
    var moving = run("ha-activity-file", "activity", where);

    assertEquals(stamp(first), stamp(still));
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void whatALinkLeadsToIsLookedAt() throws Exception {
    Files.createDirectories(root.resolve("h1"));
    var pool = Files.createDirectories(root.resolve("elsewhere"));
    Files.writeString(pool.resolve("disk"), "one");
    Files.createSymbolicLink(root.resolve("h1/pool"), pool);
    var where = Map.of("host", "h1", "volumes", root.toString());

    var first = run("ha-activity-file", "activity", where);
    Files.writeString(pool.resolve("disk"), "longer");
    var moving = run("ha-activity-file", "activity", where);

    assertTrue(first.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\n"), first.out());
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void aPlaceOfWhichAPartCannotBeLookedAtIsNotStill() throws Exception {
    var own = Files.createDirectories(root.resolve("h1/part"));
    Files.writeString(root.resolve("h1/disk"), "one");
    Files.createSymbolicLink(own.resolve("round"), root.resolve("h1")); // there is no end to it

    var ran = run("ha-activity-file", "activity", Map.of("host", "h1", "volumes", root.toString()));

    assertTrue(ran.out().contains(" error=cannot look at all of "), ran.out());
  }

  @Test
  void whatCannotBeLookedAtIsNotStill() throws Exception {
    var there = Files.createDirectories(root.resolve("there"));
    var where = Map.of("host", "h1", "volumes", root.resolve("gone") + "," + there);

    var ran = run("ha-activity-file", "activity", where);

    assertEquals(0, ran.code(), ran.err());
    var lines = ran.out().lines().toList();
    assertEquals(2, lines.size(), ran.out());
    assertTrue(lines.get(0).contains(" error=cannot read "), ran.out());
    assertTrue(lines.get(1).contains(" error=there is no "), ran.out());
  }

  @Test
  void aNameThatLeadsElsewhereIsRefused() throws Exception {
    var ran =
        run("ha-activity-file", "activity", Map.of("host", "../etc", "volumes", root.toString()));

    assertEquals(2, ran.code());
    assertEquals("", ran.out());
  }

  @Test
  void aCommandSaysWhetherAHostIsWell() throws Exception {
    assertEquals(0, run("ha-generic", "health", Map.of("host", "h1")).code());
    assertEquals(0, run("ha-generic", "health", Map.of("host", "h1", "command", "true")).code());

    var ran = run("ha-generic", "health", Map.of("host", "h1", "command", "false"));

    assertEquals(1, ran.code());
    assertTrue(ran.err().contains("ocf-exit-reason:false says that it is not well"), ran.err());
  }

  @Test
  void aProgramLooksForSignsOfLife() throws Exception {
    var look = root.resolve("look");
    Files.writeString(look, "#!/bin/sh\n[ $2 = good ] && echo \"$1-7 42\"\n");
    assertTrue(look.toFile().setExecutable(true));

    var ran =
        run(
            "ha-generic",
            "activity",
            Map.of("host", "h1", "volumes", "good,bad", "look", look.toString()));

    assertEquals(
        "volume=good stamp=h1-7 age=42\nvolume=bad error=" + look + " could not look\n", ran.out());
    assertFalse(run("ha-generic", "activity", Map.of("host", "h1")).code() == 0);
  }

  @Test
  void programsOfTheAdministratorsRecoverAndFence() throws Exception {
    var off = root.resolve("off");
    Files.writeString(off, "#!/bin/sh\n[ $1 = h1 ] || { echo 'no such outlet'; exit 1; }\n");
    assertTrue(off.toFile().setExecutable(true));
    var program = off.toString();

    for (var action : List.of("recover", "fence")) {
      assertEquals(0, run("ha-generic", action, Map.of("host", "h1", action, program)).code());
      var other = run("ha-generic", action, Map.of("host", "h2", action, program));
      assertEquals(1, other.code(), action);
      assertTrue(other.err().contains(off + ": no such outlet"), other.err());
      var none = run("ha-generic", action, Map.of("host", "h1"));
      assertEquals(3, none.code());
      assertTrue(none.err().contains("(ha.param." + action + ")"), none.err());
    }
  }

  @Test
  void oneThatIsBlindSaysSo() throws Exception {
    var here = Files.createDirectories(root.resolve("h2"));
    Files.createDirectories(root.resolve("h1"));
    Files.writeString(here.resolve("blind"), "");
    var where = Map.of("host", "h1", "directory", root.toString());

    var ran = run("ha-simulated", "activity", where, "SYSTOLE_NODE", "h2");

    assertEquals(1, ran.code());
    assertTrue(ran.err().contains("it is blind"), ran.err());
  }

  @Test
  void theSimulatedOneSaysWhatItsFilesSay() throws Exception {
    var own = Files.createDirectories(root.resolve("h1"));
    var where = Map.of("host", "h1", "directory", root.toString());

    assertEquals(0, run("ha-simulated", "health", where).code());
    Files.writeString(own.resolve("sick"), "on fire\n");
    var sick = run("ha-simulated", "health", where);
    assertEquals(1, sick.code());
    assertTrue(sick.err().contains("on fire"), sick.err());
    assertEquals("volume=disk stamp=still age=1000000\n", run("ha-simulated", "activity", where).out());
    Files.writeString(own.resolve("active"), "");
    assertTrue(run("ha-simulated", "activity", where).out().endsWith(" age=0\n"));
  }

  /// A libvirt that has two guests, one of them with disks on the volume and elsewhere.
  private Map<String, String> libvirt() throws IOException {
    var volume = Files.createDirectories(root.resolve("pool"));
    Files.writeString(volume.resolve("web 1.qcow2"), "one");
    var virsh = Files.createDirectories(root.resolve("bin")).resolve("virsh");
    Files.writeString(
        virsh,
        """
        #!/bin/sh
        [ "$1 $2" = "--connect test:///x" ] || exit 9
        [ ! -e '%1$s/deaf' ] || { echo "error: failed to connect to the hypervisor" >&2; exit 1; }
        case "$3 $4" in
          "list --name") printf 'web\\nbare\\n\\n'; [ ! -e '%1$s/more' ] || cat '%1$s/more' ;;
          "domblklist lvm") echo ' block  disk  vda  /dev/sdx' ;;
          "domblklist linked") echo ' file  disk  vda  %1$s/images/db.img' ;;
          "domblklist mute") exit 1 ;;
          "domstate mute") echo running ;;
          "domblklist web") cat <<'END'
         Type   Device   Target   Source
        ------------------------------------------------
         file   disk     vda      %1$s/pool/web 1.qcow2
         file   cdrom    sda      %1$s/pool/install.iso
         block  disk     vdb      /dev/sdx
         file   disk     vdc      /elsewhere/scratch.img

        END
          ;;
        esac
        """
            .formatted(root));
    assertTrue(virsh.toFile().setExecutable(true));
    return Map.of("host", "h1", "volumes", volume.toString(), "uri", "test:///x");
  }

  @Test
  void aHostOfVirtualMachinesNotesWhatItsGuestsWriteTo() throws Exception {
    var where = libvirt();

    assertEquals(0, run("ha-kvm", "eligible", where).code());

    assertEquals(
        root + "/pool/web 1.qcow2\n", Files.readString(root.resolve("pool/.systole-ha/h1")));
    var first = run("ha-kvm", "activity", where);
    var still = run("ha-kvm", "activity", where);
    Files.writeString(root.resolve("pool/web 1.qcow2"), "longer");
    var moving = run("ha-kvm", "activity", where);
    assertTrue(first.out().matches("volume=\\S+/pool stamp=\\S+ age=\\d+\n"), first.out());
    assertEquals(stamp(first), stamp(still));
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void aHostWithAGuestThatCannotBeSeenIsNotTakenForDead() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("more"), "lvm\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var ran = run("ha-kvm", "activity", where);
    assertTrue(ran.out().endsWith(" error=guest lvm of h1 has no disk that can be looked at\n"), ran.out());
    var beaten = new TreeMap<>(where);
    beaten.put("files", ".beat-%h");
    Files.writeString(root.resolve("pool/.beat-h1"), "");
    assertTrue(run("ha-kvm", "activity", beaten).out().contains(" stamp="), "its heart is seen");
  }

  @Test
  void aDiskIsFoundByWhateverLinkItsGuestNamesIt() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("pool/db.img"), "one");
    Files.createSymbolicLink(root.resolve("images"), root.resolve("pool"));
    Files.writeString(root.resolve("more"), "linked\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var noted = Files.readString(root.resolve("pool/.systole-ha/h1"));
    assertEquals("%1$s/pool/db.img\n%1$s/pool/web 1.qcow2\n".formatted(root), noted);
  }

  @Test
  void aGuestThatDoesNotTellItsDisksTakesNoneFromTheNotes() throws Exception {
    var where = libvirt();
    Files.createDirectories(root.resolve("pool/.systole-ha"));
    Files.writeString(root.resolve("pool/.systole-ha/h1"), root + "/pool/mute.img\n");
    Files.writeString(root.resolve("more"), "mute\n");

    assertEquals(0, run("ha-kvm", "health", where).code());

    var noted = Files.readString(root.resolve("pool/.systole-ha/h1"));
    assertEquals("%1$s/pool/mute.img\n%1$s/pool/web 1.qcow2\n".formatted(root), noted);
    Files.delete(root.resolve("more"));
    assertEquals(0, run("ha-kvm", "health", where).code());
    assertEquals(
        root + "/pool/web 1.qcow2\n", Files.readString(root.resolve("pool/.systole-ha/h1")));
  }

  @Test
  void anAgeThatIsNoNumberOfSecondsIsNone() throws Exception {
    var look = root.resolve("look");
    Files.writeString(look, "#!/bin/sh\necho \"stamp-1 $2\"\n");
    assertTrue(look.toFile().setExecutable(true));

    var ran =
        run(
            "ha-generic",
            "activity",
            Map.of("host", "h1", "volumes", "1.5,-3,20", "look", look.toString()));

    var lines = ran.out().lines().toList();
    assertEquals("volume=1.5 stamp=stamp-1 age=1", lines.get(0));
    assertTrue(lines.get(1).startsWith("volume=-3 error="), ran.out());
    assertEquals("volume=20 stamp=stamp-1 age=20", lines.get(2));
  }

  @Test
  void aHostWhoseLibvirtDoesNotAnswerIsSick() throws Exception {
    var where = libvirt();
    Files.writeString(root.resolve("deaf"), "");

    var ran = run("ha-kvm", "health", where);

    assertEquals(1, ran.code());
    assertTrue(
        ran.err().contains("libvirt does not answer: error: failed to connect to the hypervisor"),
        ran.err());
    assertEquals(1, run("ha-kvm", "eligible", where).code());
  }

  @Test
  void whatAHostHasNotNotedCannotBeLookedAt() throws Exception {
    var where = libvirt();
    assertTrue(
        run("ha-kvm", "activity", where).out().contains(" error=h1 has noted no disks"));

    assertEquals(0, run("ha-kvm", "health", where).code());
    Files.delete(root.resolve("pool/web 1.qcow2"));
    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=cannot read all disks"));

    Files.writeString(root.resolve("pool/.systole-ha/h1"), "");
    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=no guest of h1 has a disk"));
  }

  @Test
  void aNoteLeadsNowhereButToItsVolume() throws Exception {
    var where = libvirt();
    assertEquals(0, run("ha-kvm", "health", where).code());
    Files.writeString(
        root.resolve("pool/.systole-ha/h1"), root + "/pool/../other\n/etc/passwd\n");

    assertTrue(run("ha-kvm", "activity", where).out().contains(" error=no guest of h1 has a disk"));
  }

  private static String stamp(Ran ran) {
    return ran.out().split(" ")[1];
  }

  private Ran run(String agent, String action, Map<String, String> parameters, String... more)
      throws IOException, InterruptedException {
    var out = root.resolve("out");
    var err = root.resolve("err");
    var builder =
        new ProcessBuilder(program(agent).toString(), action)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().merge("PATH", "", (path, _) -> root.resolve("bin") + ":" + path);
    parameters.forEach((name, value) -> builder.environment().put("OCF_RESKEY_" + name, value));
    for (var at = 0; at < more.length; at += 2) {
      builder.environment().put(more[at], more[at + 1]);
    }
    var process = builder.start();
    assertTrue(process.waitFor(30, TimeUnit.SECONDS), agent + " does not end");
    return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private static Path program(String agent) {
    var at = Path.of(System.getProperty("user.dir"));
    while (!Files.isDirectory(at.resolve("agents/src/main/ocf"))) {
      at = at.getParent();
      assertNotNull(at, "the agents module is nowhere above the working directory");
    }
    return at.resolve("agents/src/main/ocf/resource.d/systole").resolve(agent);
  }
}
