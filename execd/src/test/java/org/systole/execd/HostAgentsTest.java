package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.operation.AgentMetadata;

/// The providers of host HA that ship, as agents: what they say about made-up hosts.
final class HostAgentsTest extends HostAgents {
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
    assertTrue(first.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\nvolume=\\S+ root=\\d+\n"), first.out());
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

    assertTrue(first.out().matches("volume=\\S+ stamp=\\S+ age=\\d+\nvolume=\\S+ root=\\d+\n"), first.out());
    assertNotEquals(stamp(first), stamp(moving));
  }

  @Test
  void aLinkThatLeavesTheVolumeIsNotFollowed() throws Exception {
    var volume = root.resolve("volume");
    old(volume.resolve("h1/disk"));
    var neighbours = Files.writeString(root.resolve("syslog"), "one");
    var link = Files.createSymbolicLink(volume.resolve("h1/log"), neighbours);
    var where = Map.of("host", "h1", "volumes", volume.toString());

    for (var target : List.of(neighbours, Path.of("/nowhere/at/all"), Path.of("/"))) {
      Files.delete(link);
      Files.createSymbolicLink(link, target);
      var ran = run("ha-activity-file", "activity", where);
      assertTrue(ran.out().endsWith("/h1: a link leads to " + target + "\n"), ran.out());
    }
    for (var target : List.of("../h1", "log")) { // there is no end to it, but nothing else either
      Files.delete(link);
      Files.createSymbolicLink(link, Path.of(target));
      assertTrue(run("ha-activity-file", "activity", where).out().contains(" stamp="));
    }
  }

  @Test
  void aPlaceOfWhichAPartCannotBeLookedAtIsNotStill() throws Exception {
    old(root.resolve("h1/disk"));
    program("find", "#!/bin/sh\nPATH=${PATH#*:}\nfind \"$@\"\nexit 1\n");

    var ran = run("ha-activity-file", "activity", Map.of("host", "h1", "volumes", root.toString()));

    assertTrue(ran.out().contains(" error=cannot look at all of "), ran.out());
  }

  @Test
  void whatAnotherFileSystemHasIsNotTheHosts() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/proc/self")), "there is no /proc");

    var ran = run("ha-activity-file", "activity", Map.of("host", "h", "volumes", "/", "files", "proc"));

    assertTrue(ran.out().endsWith(" error=cannot look at all of //proc: /proc is on another file system\n"), ran.out());
  }

  @Test
  void aVolumeThatIsNotMountedIsNoneToLookAt() throws Exception {
    old(root.resolve("h1/disk"));
    var where = Map.of("host", "h1", "volumes", root.toString(), "mounted", "true");

    var ran = run("ha-activity-file", "activity", where);
    assertEquals("volume=%1$s error=nothing is mounted at %1$s\n".formatted(root), ran.out());
    var eligible = run("ha-activity-file", "eligible", where);
    assertEquals(1, eligible.code());
    assertTrue(eligible.err().contains("nothing is mounted at " + root + " (see the parameter"), eligible.err());

    program("mountpoint", "#!/bin/sh\n[ \"$3\" = '" + root + "' ]\n");
    assertEquals(0, run("ha-activity-file", "eligible", where).code());
    var there = run("ha-activity-file", "activity", where).out();
    assertTrue(there.contains(" stamp="), there);
    assertTrue(there.matches("(?s).*\nvolume=\\S+ root=\\d+\n"), there);
  }

  @Test
  void aLookThatHangsEndsInTimeAndIsSaidOfItsVolume() throws Exception {
    old(root.resolve("one/h1/disk"));
    old(root.resolve("two/h1/disk"));
    program("ls", "#!/bin/sh\ncase $1 in */one) sleep 100 ;; esac\n");
    var where =
        Map.of(
            "host", "h1", "volumes", root + "/one," + root + "/two", "CRM_meta_timeout", "4000");

    var ran = run("ha-activity-file", "activity", where);

    assertEquals("", ran.err());
    var lines = ran.out().lines().toList();
    assertEquals("volume=%s/one error=it takes more than 1 s to look at it".formatted(root), lines.get(0));
    assertTrue(lines.get(1).contains("/two stamp="), ran.out());
  }

  @Test
  void aFifoIsNotWaitedFor() throws Exception {
    old(root.resolve("h1/disk"));
    fifo(root.resolve("h1/fifo"));

    var ran = run("ha-activity-file", "activity", Map.of("host", "h1", "volumes", root.toString()));

    assertTrue(ran.out().contains(" stamp="), ran.out());
  }

  @Test
  void eachPlaceOfTheNameIsFilledIn() throws Exception {
    old(root.resolve("h1/h1.beat"));
    var where = Map.of("host", "h1", "volumes", root.toString(), "files", "%h/%h.beat");

    assertTrue(run("ha-activity-file", "activity", where).out().contains(" stamp="));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ha-generic", "ha-activity-file"})
  void aCommandThatCannotBeRunMakesNoHostSick(String agent) throws Exception {
    var text = Files.writeString(root.resolve("text"), "#!/bin/sh\n").toString();
    var lost = program("lost", "#!/nowhere/sh\n").toString();
    var volume = root.toString();
    for (var command : List.of("/nowhere/well", "/bin/true -x", text, "no-such-command")) {
      var where = Map.of("host", "h1", "volumes", volume, "command", command);
      var ran = run(agent, "health", where);
      assertEquals(5, ran.code(), command);
      assertTrue(ran.err().contains(command + " cannot be run here: a program without"), ran.err());
      assertEquals(5, run(agent, "eligible", where).code(), command);
    }
    var where = Map.of("host", "h1", "volumes", volume, "command", lost);
    assertEquals(5, run(agent, "health", where).code());
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
    Files.writeString(off, "#!/bin/sh\n[ $1 = h1 ] || { echo 'user=root password=x'; echo 'S3cret' >&2; echo 'ocf-exit-reason:no such outlet' >&2; exit 1; }\n");
    assertTrue(off.toFile().setExecutable(true));
    var program = off.toString();

    for (var action : List.of("recover", "fence")) {
      assertEquals(0, run("ha-generic", action, Map.of("host", "h1", action, program)).code());
      var other = run("ha-generic", action, Map.of("host", "h2", action, program));
      assertEquals(1, other.code(), action);
      assertEquals("ocf-exit-reason:" + off + ": no such outlet\n", other.err());
      var mute = run("ha-generic", action, Map.of("host", "h1", action, "false"));
      assertEquals("ocf-exit-reason:false failed (exit status 1)\n", mute.err());
      var lacking = run("ha-generic", action, Map.of("host", "h1", action, program + " -x"));
      assertEquals(5, lacking.code());
      var none = run("ha-generic", action, Map.of("host", "h1"));
      assertEquals(3, none.code());
      assertTrue(none.err().contains("(ha.param." + action + ")"), none.err());
    }
  }

  @Test
  void anAgeIsNoPartOfAStampWhateverIsBetweenThem() throws Exception {
    var look = root.resolve("look");
    Files.writeString(look, "#!/bin/sh\nprintf ' 7\\t  %s\\n' 42.5\n");
    assertTrue(look.toFile().setExecutable(true));

    var ran = run("ha-generic", "activity", Map.of("host", "h1", "volumes", "disk", "look", look.toString()));

    assertEquals("volume=disk stamp=7 age=42\n", ran.out());
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
}
