package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The scripts that come with the programs: the one that installs them, and the one that starts
/// them.
final class InstallTest {
  private static final String VIEW =
      """
      d=$(mktemp -d) && mkdir "$d/a" "$d/b" || exit
      [ "$(id -u)" = 0 ] || user=--map-root-user
      unshare $user --mount --propagation private \
        mount -t overlay overlay -o "lowerdir=$d/a:$d/b" "$d/b"
      status=$?
      rmdir "$d/a" "$d/b" "$d"
      exit $status
      """;

  private record Outcome(int status, String output) {}

  @TempDir private Path dir;
  private Path root;
  private Path unpacked;

  @BeforeEach
  void aDistribution() throws IOException {
    root = Files.createDirectories(dir.resolve("root"));
    unpacked = distribution("one");
  }

  // Tests run in the directory of the module or in one beside it.
  private static Path dist() {
    var here = Path.of("").toAbsolutePath();
    var module = Files.exists(here.resolve("src/main/dist")) ? here : here.resolveSibling("tools");
    return module.resolve("src/main/dist");
  }

  private Path distribution(String content) throws IOException {
    var home = dir.resolve("unpacked-" + content);
    for (var part : List.of("lib", "libexec/systole", "sbin", "share/systole", "share/doc/systole")) {
      Files.createDirectories(home.resolve(part));
    }
    Files.writeString(home.resolve("lib/a.jar"), content);
    for (var script : List.of("install", "launch", "make-archive")) {
      var there = home.resolve("libexec/systole").resolve(script);
      Files.copy(dist().resolve(script), there);
      Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    for (var name : List.of("systole.service", "pacemaker_remote.service", "logrotate")) {
      Files.copy(dist().resolve(name), home.resolve("share/systole").resolve(name));
    }
    for (var name : List.of("pacemakerd", "crm_mon", "crm_node")) {
      Files.createSymbolicLink(
          home.resolve("sbin").resolve(name), Path.of("../libexec/systole/launch"));
    }
    return home;
  }

  private static Outcome run(Map<String, String> environment, String... command)
      throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return new Outcome(process.waitFor(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private Outcome install(Path home, String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(home.resolve("libexec/systole/install").toString()));
    command.add("--no-archive");
    command.addAll(List.of(arguments));
    return run(Map.of("DESTDIR", root.toString()), command.toArray(String[]::new));
  }

  private Path at(String path) {
    return root.resolve(path);
  }

  @Test
  void theServiceStartsWhatWasInstalledAndTheCommandsLeadThere() throws IOException {
    var outcome = install(unpacked, "/srv/ha/systole");
    assertEquals(0, outcome.status(), outcome::output);
    var unit = Files.readString(at("etc/systemd/system/systole.service"));
    assertTrue(unit.contains("\nExecStart=/srv/ha/systole/sbin/pacemakerd\n"), unit);
    var remote = Files.readString(at("etc/systemd/system/pacemaker_remote.service"));
    assertTrue(remote.contains("\nExecStart=/srv/ha/systole/sbin/systole-remoted\n"), remote);
    assertTrue(remote.contains("\nType=notify\n"), remote);
    assertTrue(remote.contains("\nRestart=on-failure\n"), remote);
    assertTrue(remote.contains("\nEnvironment=SYSTOLE_REMOTE_RETURNS=15\n"), remote);
    var command = Files.readSymbolicLink(at("usr/sbin/crm_mon"));
    assertEquals(Path.of("/srv/ha/systole/sbin/crm_mon"), command);
    assertTrue(Files.isSymbolicLink(at("srv/ha/systole")));
  }

  @Test
  void aNewVersionIsPutBesideTheOneThatRuns() throws IOException {
    assertEquals(0, install(unpacked).status());
    var before = Files.readSymbolicLink(at("opt/systole"));
    var running = root.resolve("." + before).resolve("lib/a.jar");
    var content = Files.readAllBytes(running);
    var key = Files.readAttributes(running, "unix:ino,lastModifiedTime");

    var outcome = install(distribution("two"));

    assertEquals(0, outcome.status(), outcome::output);
    assertNotEquals(before, Files.readSymbolicLink(at("opt/systole")));
    assertArrayEquals(content, Files.readAllBytes(running));
    assertEquals(key, Files.readAttributes(running, "unix:ino,lastModifiedTime"));
    var now = root.resolve("." + Files.readSymbolicLink(at("opt/systole")));
    assertEquals("two", Files.readString(now.resolve("lib/a.jar")));
    assertEquals(0, install(unpacked).status(), "and back");
    assertEquals(before, Files.readSymbolicLink(at("opt/systole")));
  }

  @Test
  void anotherPackagesDaemonIsNoticedAndNothingIsChanged() throws IOException {
    Files.createDirectories(at("usr/sbin"));
    Files.writeString(at("usr/sbin/pacemakerd"), "another one");
    var outcome = install(unpacked);
    assertEquals(1, outcome.status());
    assertTrue(outcome.output().contains("/usr/sbin/pacemakerd"), outcome::output);
    assertTrue(outcome.output().contains("apt-get remove pacemaker"), outcome::output);
    assertFalse(Files.exists(at("opt")));
    assertFalse(Files.exists(at("etc")));
    assertEquals("another one", Files.readString(at("usr/sbin/pacemakerd")));
  }

  @Test
  void aDirectoryThatANodeMayRunFromIsLeftAlone() throws IOException {
    Files.createDirectories(at("opt/systole"));
    var outcome = install(unpacked);
    assertEquals(1, outcome.status());
    assertTrue(outcome.output().contains("systemctl stop systole"), outcome::output);
    assertFalse(Files.exists(at("usr")));
  }

  /// Starts a program of which the JVM is one that tells how it was started.
  private Outcome launch(String name, Map<String, String> environment) throws IOException {
    return launch(name, environment, "cat /proc/self/oom_score_adj\nps -o ni= -p $$\n");
  }

  /// Starts a program of which the JVM is a script.
  private Outcome launch(String name, Map<String, String> environment, String script)
      throws IOException {
    var jdk = Files.createDirectories(dir.resolve("jdk/bin")).getParent();
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    var java = jdk.resolve("bin/java");
    Files.writeString(java, "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    var program = unpacked.resolve("libexec/systole").resolve(name);
    Files.deleteIfExists(program);
    Files.createSymbolicLink(program, Path.of("launch"));
    var all = new java.util.TreeMap<>(environment);
    all.put("SYSTOLE_JAVA_HOME", jdk.toString());
    return run(all, program.toString());
  }

  /// As `scp -r` and `cp -rL` copy a distribution.
  @Test
  void programsStartWhereLinksHaveBecomeFiles() throws IOException {
    for (var place : List.of("sbin", "libexec/systole")) {
      var program = unpacked.resolve(place).resolve("crm_mon");
      Files.deleteIfExists(program);
      Files.copy(dist().resolve("launch"), program);
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
      launch("crm_node", Map.of(), "echo $SYSTOLE_HOME; exit 0\n"); // makes the JVM
      var told = run(Map.of("SYSTOLE_JAVA_HOME", dir.resolve("jdk").toString()), program.toString());
      assertEquals(unpacked + "\n", told.output(), place);
    }
  }

  @Test
  void whatDecidesOutlivesWhatItDecidesAbout() throws IOException {
    var may = run(Map.of(), "/bin/sh", "-c", "echo -900 >/proc/$$/oom_score_adj");
    assumeTrue(may.status() == 0, "a lower score is not allowed here");
    for (var name : List.of("pacemakerd", "cibd", "attrd", "controld")) {
      assertEquals(List.of("-900", "-5"), told(launch(name, Map.of())), name);
    }
    assertEquals(List.of("-500", "0"), told(launch("schedulerd", Map.of())));
  }

  @Test
  void whatRunsAgentsTakesNoPrecedence() throws IOException {
    for (var name : List.of("execd", "fenced")) {
      assertEquals(List.of("0", "0"), told(launch(name, Map.of())), name);
    }
  }

  @Test
  void whatDecidesComesFirstWhereThatIsAllowed() throws IOException {
    var may = run(Map.of(), "/bin/sh", "-c", "renice -n -5 -p $$");
    assumeTrue(may.status() == 0, "precedence is not allowed here");
    assertEquals("-5", told(launch("pacemakerd", Map.of())).getLast());
    assertEquals("0", told(launch("schedulerd", Map.of())).getLast());
  }

  @Test
  void aNodeThatIsOneOfSeveralOnAMachineTakesNoPrecedence() throws IOException {
    var before = told(run(Map.of(), "/bin/sh", "-c", "cat /proc/self/oom_score_adj; ps -o ni= -p $$"));
    assertEquals(before, told(launch("pacemakerd", Map.of("SYSTOLE_ROOT", dir.toString()))));
  }

  /// A program of that name that only notes what it was to do.
  private void note(Path programs, String name, Path notes) throws IOException {
    var program = programs.resolve(name);
    Files.writeString(program, "#!/bin/sh\necho \"%s $*\" >>'%s'\n".formatted(name, notes));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void noPlaceForTemporaryFilesRemovesNothingElse() throws IOException {
    var jdk = Files.createDirectories(dir.resolve("jdk/bin")).getParent();
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
    Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\nexit 1\n");
    var executable = PosixFilePermissions.fromString("rwxr-xr-x");
    Files.setPosixFilePermissions(jdk.resolve("bin/java"), executable);
    var programs = Files.createDirectories(dir.resolve("programs"));
    var notes = dir.resolve("notes");
    note(programs, "rm", notes);
    note(programs, "mkdir", notes);
    var outcome =
        run(
            Map.of(
                "SYSTOLE_JAVA_HOME", jdk.toString(),
                "PATH", programs + ":" + System.getenv("PATH"),
                "TMPDIR", dir.resolve("missing").toString()),
            unpacked.resolve("libexec/systole/make-archive").toString());
    assertEquals(1, outcome.status(), outcome::output);
    assertTrue(outcome.output().contains("no directory for temporary files"), outcome::output);
    for (var line : Files.readAllLines(notes)) {
      for (var path : line.split(" ")) {
        assertFalse(path.startsWith("/") && !path.startsWith(dir.toString()), line);
      }
    }
  }

  @Test
  void archivesNameTheJarsWhereTheyWillBe(@TempDir Path elsewhere) throws IOException {
    assumeTrue(run(Map.of(), "/bin/sh", "-c", VIEW).status() == 0, "no view of files of its own");
    var java = Files.createDirectories(unpacked.resolve("runtime/bin")).resolve("java");
    Files.writeString(unpacked.resolve("runtime/release"), "JAVA_VERSION=\"25.0.1\"\n");
    Files.writeString(
        java,
        """
        #!/bin/sh
        case $* in
          *train-node*) mkdir -p "$SYSTOLE_CLASS_LISTS" && echo it >"$SYSTOLE_CLASS_LISTS/daemons" ;;
          *-Xshare:dump*)
            while [ "$1" != -cp ]; do
              case $1 in -XX:SharedArchiveFile=*) file=${1#*=} ;; esac
              shift
            done
            echo "$0 $2 $(cat "$2")" >"$file"
            ;;
          *train-remote*)
            while [ "$1" != train-remote ]; do shift; done
            echo "$2" >"$3"
            ;;
        esac
        """);
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(unpacked.resolve("lib/remote"));
    var place = elsewhere.resolve("usr/lib/systole");
    var outcome =
        run(
            Map.of("SYSTOLE_JAVA_HOME", unpacked.resolve("runtime").toString()),
            unpacked.resolve("libexec/systole/make-archive").toString(),
            "--for",
            place.toString());
    assertEquals(0, outcome.status(), outcome::output);
    var archive = unpacked.resolve("lib/daemons.jsa");
    assertTrue(Files.exists(archive), outcome::output);
    assertEquals(
        "%s %s one".formatted(place.resolve("runtime/bin/java"), place.resolve("lib/a.jar")),
        Files.readString(archive).strip());
    assertEquals(
        place.resolve("lib/daemons.jsa").toString(),
        Files.readString(unpacked.resolve("lib/remote.jsa")).strip(),
        "what lies on top names what is below");
    assertFalse(Files.exists(elsewhere.resolve("usr")), "nothing is left there");
  }

  @Test
  void aDaemonsProcessIsCalledAsPacemakersWhereTheRuntimeHasThatName() throws IOException {
    var script = "echo \"${0##*/}\"\n";
    assertEquals("java", told(launch("controld", Map.of(), script)).getFirst());
    for (var name : List.of("pacemaker-controld", "pacemaker-based", "pacemakerd")) {
      Files.createSymbolicLink(dir.resolve("jdk/bin").resolve(name), Path.of("java"));
      assertEquals(name, told(launch(name, Map.of(), script)).getFirst());
    }
    assertEquals("pacemaker-controld", told(launch("controld", Map.of(), script)).getFirst());
    assertEquals("java", told(launch("crm_mon", Map.of(), script)).getFirst());
  }

  @Test
  void onlyARemoteNodesDaemonHasWhatSpeaksTls() throws IOException {
    var script = "echo \"$@\"\n";
    var missing = launch("systole-remoted", Map.of(), script);
    assertEquals(5, missing.status());
    assertTrue(missing.output().contains("no part for remote nodes"), missing::output);
    var tls = unpacked.resolve("lib/remote/tls.jar");
    Files.createDirectories(tls.getParent());
    Files.writeString(tls, "");
    for (var name : List.of("systole-remoted", "pacemaker-remoted", "pacemaker_remoted")) {
      var line = told(launch(name, Map.of(), script)).getFirst();
      assertTrue(line.contains("lib/a.jar:" + tls + " org.systole"), line);
      assertTrue(line.endsWith(" remoted"), line);
    }
    assertFalse(told(launch("execd", Map.of(), script)).getFirst().contains("remote"));
  }

  @Test
  void onlyExecutorsHaveWhatSpeaksToSystemd() throws IOException {
    var script = "echo \"$@\"\n";
    for (var part : List.of("remote", "bus")) {
      Files.createDirectories(unpacked.resolve("lib/" + part));
      Files.writeString(unpacked.resolve("lib/" + part + "/its.jar"), "");
    }
    var bus = unpacked.resolve("lib/bus/its.jar");
    var executor = told(launch("execd", Map.of(), script)).getFirst();
    assertTrue(executor.contains("lib/a.jar:" + bus + " org.systole"), executor);
    var remote = told(launch("systole-remoted", Map.of(), script)).getFirst();
    var tls = unpacked.resolve("lib/remote/its.jar");
    assertTrue(remote.contains("lib/a.jar:" + tls + ":" + bus + " org.systole"), remote);
    for (var name : List.of("cibd", "controld", "crm_mon")) {
      assertFalse(told(launch(name, Map.of(), script)).getFirst().contains(bus.toString()), name);
    }
  }

  @Test
  void whoConnectsToRemoteNodesHasWhatThatTakesOnTopOfTheCommonArchive() throws IOException {
    var script = "echo \"$@\"\n";
    Files.createDirectories(unpacked.resolve("lib/remote"));
    Files.writeString(unpacked.resolve("lib/remote/tls.jar"), "");
    var below = Files.writeString(unpacked.resolve("lib/daemons.jsa"), "");
    assertTrue(told(launch("controld", Map.of(), script)).getFirst().contains("=" + below + " "));
    var top = Files.writeString(unpacked.resolve("lib/remote.jsa"), "");
    for (var name : List.of("controld", "systole-remoted")) {
      var line = told(launch(name, Map.of(), script)).getFirst();
      assertTrue(line.contains("-XX:SharedArchiveFile=" + below + ":" + top + " "), line);
    }
    for (var name : List.of("cibd", "execd")) {
      assertFalse(told(launch(name, Map.of(), script)).getFirst().contains(top.toString()), name);
    }
    Files.delete(below);
    assertFalse(told(launch("controld", Map.of(), script)).getFirst().contains(top.toString()));
  }

  @Test
  void asTheFirstProcessOfAContainerTheLauncherStaysAndPassesOnTheEnd() throws IOException {
    Files.createDirectories(unpacked.resolve("lib/remote"));
    var asked = "trap 'kill $!; exit 7' TERM\nsleep 60 &\nkill -TERM $PPID\nwait\n";
    var environment = Map.of("PCMK_remote_pid1", "full");
    assertEquals(7, launch("systole-remoted", environment, asked).status());
    assertEquals(3, launch("systole-remoted", environment, "exit 3\n").status());
  }

  /// What the packages' scripts remove when they are purged, while Debian's are in this state.
  private String purged(String debians) throws IOException {
    var programs = Files.createDirectories(dir.resolve("programs-" + debians));
    var notes = Files.writeString(dir.resolve("notes-" + debians), "");
    for (var name : List.of("rm", "rmdir", "dpkg-statoverride", "deb-systemd-helper", "systemctl")) {
      note(programs, name, notes);
    }
    var query = Files.writeString(programs.resolve("dpkg-query"), "#!/bin/sh\necho " + debians + "\n");
    Files.setPosixFilePermissions(query, PosixFilePermissions.fromString("rwxr-xr-x"));
    var path = Map.of("PATH", programs + ":" + System.getenv("PATH"));
    for (var name : List.of("systole", "systole-common")) {
      var script = dist().resolveSibling("deb").resolve(name).resolve("postrm").toString();
      var outcome = run(path, "/bin/sh", script, "purge");
      assertEquals(0, outcome.status(), outcome::output);
    }
    return Files.readString(notes);
  }

  @Test
  void whatDebiansPackagesHaveByNowIsNotPurged() throws IOException {
    var all = purged("config-files");
    assertTrue(all.contains("rm -f /etc/corosync/authkey"), all);
    assertTrue(all.contains("rm -rf /var/lib/pacemaker"), all);
    var none = purged("installed");
    assertFalse(none.contains("rm -"), none);
    assertFalse(none.contains("dpkg-statoverride"), none);
  }

  private static List<String> told(Outcome outcome) {
    assertEquals(0, outcome.status(), outcome::output);
    return outcome.output().lines().map(String::strip).toList();
  }
}
