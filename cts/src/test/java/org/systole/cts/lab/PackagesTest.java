package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.systole.common.sbd.SbdSettings;
import org.systole.common.schema.CibSchemas;

/// What is in the Debian packages, made without runtime and archives, which take long. It needs the
/// distribution and `dpkg-deb`, no root.
final class PackagesTest {
  private static final String COMMON = "systole-common";
  private static final String NODE = "systole";
  private static final String REMOTE = "systole-remote";
  private static final String AGENTS = "systole-resource-agents";
  private static final String VERSION = "1.2~test";

  /// Those that had files which are in others now. Not all that are earlier: with a new `systole` alone, as an upgrade
  /// has it, apt would remove them, and install Debian's.
  private static final String EARLIER_AGENTS = "systole-resource-agents (<< 0.1.0~202611231849)";

  private static final Set<String> MODES =
      Set.of("drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x", "lrwxrwxrwx");

  /// A line of a package's table of contents.
  private record Entry(String mode, String owner, String path, String target) {
    boolean isDirectory() {
      return mode.startsWith("d");
    }
  }

  private static final Map<String, Map<String, Entry>> CONTENTS = new TreeMap<>();
  private static Path made = Path.of("");

  @BeforeAll
  static void build() throws IOException, InterruptedException {
    var distribution = LabHome.distribution();
    assumeTrue(Files.exists(distribution.resolve("lib/built")), "there is no distribution");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg-deb")), "this is no Debian");
    made = Files.createTempDirectory("systole-packages");
    var builder = project().resolve("tools/src/main/deb/build").toString();
    output(builder, distribution.toString(), made.toString(), "--files-only");
    for (var it : List.of(COMMON, NODE, REMOTE, AGENTS)) {
      CONTENTS.put(it, contents(it));
    }
  }

  @AfterAll
  static void remove() throws IOException {
    if (!made.toString().isEmpty()) {
      LabHome.remove(made);
    }
  }

  @Test
  void everythingBelongsToRootAndNobodyElseMayWriteIt() {
    for (var contents : CONTENTS.values()) {
      for (var entry : contents.values()) {
        assertEquals("root/root", entry.owner(), entry.path());
        assertTrue(MODES.contains(entry.mode()), entry.toString());
      }
    }
  }

  @Test
  void noFileIsInTwoPackages() {
    var seen = new TreeSet<String>();
    for (var contents : CONTENTS.values()) {
      for (var entry : contents.values()) {
        assertTrue(entry.isDirectory() || seen.add(entry.path()), entry.path());
      }
    }
  }

  /// Jigs call each other, and shipped roles their steps: none may be left behind.
  @Test
  void whatJigsAndRolesAreMadeOfIsInTheDistributionAndThePackage() throws IOException {
    for (var part : List.of("jig", "roles")) {
      var sources = project().resolve("agents/src/main").resolve(part);
      try (var files = Files.walk(sources)) {
        for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
          var path = "share/systole/" + part + "/" + sources.relativize(file);
          var there = LabHome.distribution().resolve(path);
          assertTrue(Files.isRegularFile(there), path);
          assertEquals(Files.isExecutable(file), Files.isExecutable(there), path);
          var packed = CONTENTS.get(COMMON).get("/usr/lib/systole/" + path);
          assertTrue(packed != null, path);
          assertEquals(Files.isExecutable(there), packed.mode().contains("x"), path);
        }
      }
    }
  }

  @Test
  void everyCommandHasItsLauncherPageAndCompletions() throws IOException {
    try (var commands = Files.list(LabHome.distribution().resolve("sbin"))) {
      for (var command : commands.map(it -> it.getFileName().toString()).sorted().toList()) {
        if (command.startsWith("fence_") || command.endsWith("-remoted")) {
          continue; // of use in the demo only, or a script; of a remote node, which has its own test
        }
        // What Debian has in pacemaker and corosync, only the package that replaces both may have.
        var ofNode = List.of("pacemakerd", "sbd").contains(command) || command.startsWith("corosync-");
        var in = CONTENTS.get(ofNode ? NODE : COMMON);
        var launcher = in.get("/usr/sbin/" + command);
        assertEquals("../lib/systole/libexec/systole/launch", launcher.target(), command);
        for (var file :
            List.of(
                "/usr/share/man/man8/" + command + ".8.gz",
                "/usr/share/bash-completion/completions/" + command,
                "/usr/share/zsh/vendor-completions/_" + command)) {
          assertTrue(in.containsKey(file), file);
        }
      }
    }
    assertFalse(CONTENTS.get(COMMON).containsKey("/usr/sbin/fence_systole"));
    assertFalse(CONTENTS.get(COMMON).containsKey("/usr/sbin/fence_watchdog"), "pacemaker has it");
  }

  @Test
  void everyProgramOfEachPackageHasAPage() {
    for (var name : CONTENTS.keySet()) {
      var files = CONTENTS.get(name).keySet();
      for (var file : files) {
        if (!file.startsWith("/usr/sbin/")) {
          continue;
        }
        var program = file.substring("/usr/sbin/".length());
        if (!program.isEmpty()) {
          assertTrue(files.contains("/usr/share/man/man8/" + program + ".8.gz"), file);
        }
      }
    }
  }

  @Test
  void everyDaemonHasPacemakersNameAndAPage() {
    for (var daemon : List.of("attrd", "based", "controld", "execd", "fenced", "schedulerd")) {
      var name = "pacemaker-" + daemon;
      var launcher = CONTENTS.get(NODE).get("/usr/lib/pacemaker/" + name);
      assertEquals("../systole/libexec/systole/launch", launcher.target());
      assertTrue(CONTENTS.get(NODE).containsKey("/usr/share/man/man8/" + name + ".8.gz"), name);
    }
  }

  @Test
  void theServiceHasThreeNamesWhichAreStartedStoppedAndEnabledTogether()
      throws IOException, InterruptedException {
    var units = "/usr/lib/systemd/system/";
    var unit = text(NODE, units + "systole.service");
    assertFalse(unit.contains("Conflicts="), unit);
    assertTrue(unit.contains("ExecStart=/usr/sbin/pacemakerd\n"), unit);
    for (var key : List.of("Wants", "PartOf", "Also")) {
      assertTrue(unit.contains("\n" + key + "=pacemaker.service corosync.service\n"), unit);
    }
    assertTrue(unit.contains("\nOnFailure=systole-failed.service\n"), unit);
    for (var name : List.of("pacemaker", "corosync")) {
      var other = text(NODE, units + name + ".service");
      // A supervisor that systemd kills and starts anew is not stopped by way of its other names.
      assertTrue(other.contains("\nRequires=systole.service\n"), other);
      assertFalse(other.contains("\nBindsTo="), other);
      var rest = name.equals("pacemaker") ? "corosync" : "pacemaker";
      assertTrue(other.contains("\nAlso=systole.service " + rest + ".service\n"), other);
      assertFalse(other.contains("@"), other);
      showsAsRunning(other);
      assertTrue(other.contains("\nExecStartPre=/usr/lib/systole/libexec/systole/other-name start\n"), other);
      // For postinst, where dpkg has taken it away with Debian's package.
      assertEquals(other, text(NODE, "/usr/lib/systole/share/systole/" + name + ".service"));
    }
    assertTrue(CONTENTS.get(NODE).containsKey(units + "systole-failed.service"));
    assertTrue(text(NODE, units + "sbd.service").contains("\nWantedBy=systole.service\n"));
    for (var name : List.of("sbd", "corosync-qdevice")) {
      showsAsRunning(text(NODE, units + name + ".service"));
    }
    var script = CONTENTS.get(NODE).get("/usr/lib/systole/libexec/systole/other-name");
    assertEquals("-rwxr-xr-x", script.mode());
  }

  /// The process that it has for that may be killed, and neither the name nor the node is stopped by it.
  private static void showsAsRunning(String unit) {
    for (var line :
        List.of("Type=exec", "ExecStart=/usr/bin/sleep infinity", "RemainAfterExit=yes", "OOMPolicy=continue")) {
      assertTrue(unit.contains("\n" + line + "\n"), unit);
    }
    assertTrue(unit.contains("\nSuccessExitStatus=SIGKILL "), unit);
    assertFalse(unit.contains("\nRestart="), unit); // would restart the node as well
  }

  @Test
  void aKeyIsMadeForRootAlone() throws IOException, InterruptedException {
    var path = "/usr/sbin/corosync-keygen";
    assertEquals("-rwxr-xr-x", CONTENTS.get(NODE).get(path).mode());
    assertTrue(CONTENTS.get(NODE).containsKey("/usr/share/man/man8/corosync-keygen.8.gz"));
    text(NODE, path);
    var program = made.resolve(NODE + ".files").resolve(path.substring(1)).toString();
    var key = made.resolve("authkey");
    Files.writeString(key, "the one before");
    output(program, "-l", "-k", key.toString(), "-s", "1024");
    assertEquals(1024, Files.size(key));
    assertEquals(Set.of(PosixFilePermission.OWNER_READ), Files.getPosixFilePermissions(key));
    try (var beside = Files.list(made)) {
      assertEquals(1, beside.filter(it -> it.toString().contains("authkey")).count());
    }
  }

  @Test
  void theHostsFilesAndDirectoriesAreThere() throws IOException, InterruptedException {
    var common = CONTENTS.get(COMMON);
    for (var directory :
        List.of(
            "/etc/pacemaker",
            "/var/log/pacemaker",
            "/var/lib/pacemaker/blackbox",
            "/var/lib/pacemaker/cib",
            "/var/lib/pacemaker/cores",
            "/var/lib/pacemaker/pengine")) {
      assertTrue(common.get(directory).isDirectory(), directory);
    }
    assertTrue(CONTENTS.get(NODE).get("/etc/corosync/uidgid.d").isDirectory());
    var configuration = "/etc/default/pacemaker\n/etc/logrotate.d/pacemaker\n";
    assertEquals(configuration, output("dpkg-deb", "--info", file(COMMON), "conffiles"));
    for (var schema : CibSchemas.names()) {
      assertTrue(common.containsKey("/usr/share/pacemaker/" + schema + ".rng"), schema);
    }
    assertTrue(common.containsKey("/usr/share/pacemaker/versions.rng"));
    assertTrue(common.containsKey("/usr/share/pacemaker/api/api-result.rng"));
  }

  @Test
  void agentsThatDebianHasAreInThePackagesThatTakeTheirPlacesOnly() {
    var others = new TreeSet<String>();
    for (var contents : List.of(COMMON, NODE, REMOTE)) {
      for (var entry : CONTENTS.get(contents).values()) {
        if (!entry.isDirectory() && entry.path().contains("/resource.d/pacemaker/")) {
          others.add(contents + entry.path());
        }
      }
    }
    assertEquals(Set.of(NODE + "/usr/lib/ocf/resource.d/pacemaker/remote"), others);
    var agents = CONTENTS.get(AGENTS);
    for (var agent : List.of("Dummy", "Stateful")) {
      var entry = agents.get("/usr/lib/ocf/resource.d/pacemaker/" + agent);
      assertEquals("-rwxr-xr-x", entry.mode());
    }
    var own = "/usr/lib/ocf/resource.d/systole/ha-generic";
    assertEquals("-rwxr-xr-x", CONTENTS.get(COMMON).get(own).mode());
  }

  @Test
  void aRemoteNodeHasItsDaemonAndItsUnitAndBothEndsCanSpeakTls()
      throws IOException, InterruptedException {
    var remote = CONTENTS.get(REMOTE);
    for (var name : List.of("systole-remoted", "pacemaker-remoted")) {
      var launcher = remote.get("/usr/sbin/" + name);
      assertEquals("../lib/systole/libexec/systole/launch", launcher.target(), name);
      assertTrue(remote.containsKey("/usr/share/man/man8/" + name + ".8.gz"), name);
    }
    var unit = text(REMOTE, "/usr/lib/systemd/system/pacemaker_remote.service");
    assertTrue(unit.contains("\nExecStart=/usr/sbin/systole-remoted\n"), unit);
    assertTrue(unit.contains("\nAlias=pacemaker-remote.service\n"), unit);
    assertFalse(unit.contains("script install"), unit);
    assertEquals(unit, text(REMOTE, "/usr/lib/systole/share/systole/pacemaker_remote.service"));
    var tls =
        CONTENTS.get(COMMON).keySet().stream()
            .filter(it -> it.startsWith("/usr/lib/systole/lib/remote/bctls"))
            .toList();
    assertEquals(1, tls.size(), tls::toString);
    // pcs and crmsh recommend pacemaker: without the second one apt would take it along, and this one away for it.
    assertEquals("pacemaker-remote (= 3.0.2~systole), pacemaker (= 3.0.2~systole)", field(REMOTE, "Provides"));
    assertEquals("pacemaker, pacemaker-remote", field(REMOTE, "Conflicts"));
    assertTrue(field(REMOTE, "Depends").startsWith("systole-common (= " + VERSION + "), "));
  }

  @Test
  void thePackagesTakeThePlacesOfDebians() throws IOException, InterruptedException {
    assertEquals(VERSION, field(NODE, "Version"));
    assertEquals(
        "pacemaker (= 3.0.2~systole), corosync (= 3.1.9~systole), corosync-qdevice (= 3.0.3~systole),"
            + " sbd (= 1.5.2~systole)",
        field(NODE, "Provides"));
    assertEquals(
        "pacemaker, pacemaker-remote, corosync, corosync-qdevice, sbd, dlm-controld",
        field(NODE, "Conflicts"));
    assertEquals(
        "pacemaker, pacemaker-remote, corosync, corosync-qdevice, " + EARLIER_AGENTS,
        field(NODE, "Replaces"));
    assertTrue(field(NODE, "Depends").startsWith("systole-common (= " + VERSION + "), "));
    // Not just recommended: what is removed together is removed in the order of dependencies, the
    // node first. Without its agents it could not stop its resources.
    var agents = "pacemaker-resource-agents | systole-resource-agents";
    assertTrue(field(NODE, "Depends").endsWith(agents));
    var common = "pacemaker-common (= 3.0.2~systole), pacemaker-cli-utils (= 3.0.2~systole)";
    assertEquals(common, field(COMMON, "Provides"));
    assertEquals("pacemaker-common, pacemaker-cli-utils", field(COMMON, "Conflicts"));
    // crm_node is in Debian's pacemaker, which a conflict here would not tell from our own node.
    assertEquals(
        "pacemaker-common, pacemaker-cli-utils, pacemaker, " + EARLIER_AGENTS,
        field(COMMON, "Replaces"));
    for (var field : List.of("Conflicts", "Replaces")) {
      assertEquals("pacemaker-resource-agents", field(AGENTS, field));
    }
    assertEquals("all", field(AGENTS, "Architecture"));
  }

  @Test
  void theMaintainersScriptsAreSound() throws IOException, InterruptedException {
    var scripts =
        Map.of(
            COMMON, List.of("preinst", "postinst", "postrm"),
            NODE, List.of("postinst", "prerm", "postrm"),
            REMOTE, List.of("postinst", "prerm", "postrm"));
    for (var it : new TreeMap<>(scripts).entrySet()) {
      var control = made.resolve(it.getKey() + ".control");
      output("dpkg-deb", "--control", file(it.getKey()), control.toString());
      for (var script : it.getValue()) {
        assertTrue(Files.isExecutable(control.resolve(script)), script);
        output("sh", "-n", control.resolve(script).toString());
      }
    }
    // An upgrade stops nothing: no script but that of a removal ends the service.
    for (var name : List.of(NODE, REMOTE)) {
      assertFalse(Files.exists(made.resolve(name + ".control/preinst")));
      var prerm = Files.readString(made.resolve(name + ".control/prerm"));
      assertTrue(prerm.contains("\"$1\" = remove ]"), prerm);
      assertFalse(prerm.contains("upgrade ]"), prerm);
    }
  }

  /// pcs reads it on a node that keeps no watchdog, too. A configuration file of the package would be asked about where an
  /// administrator has written one.
  @Test
  void theSettingsOfSbdAreThereAndArmNothing() throws IOException, InterruptedException {
    var sample = text(NODE, "/usr/lib/systole/share/systole/sbd");
    var read = SbdSettings.of(SbdSettings.variables(sample));
    assertFalse(read.settings().isWanted(), sample);
    assertEquals(List.of(), read.warnings());
    assertFalse(CONTENTS.get(NODE).containsKey("/etc/default/sbd"));
    var control = made.resolve("sbd.control");
    output("dpkg-deb", "--control", file(NODE), control.toString());
    var postinst = Files.readString(control.resolve("postinst"));
    assertTrue(
        postinst.contains(
            "[ -e /etc/default/sbd ] || install -D -m 644 /usr/lib/systole/share/systole/sbd /etc/default/sbd\n"),
        postinst);
  }

  private static Path project() {
    var here = Path.of(System.getProperty("user.dir"));
    return (Files.exists(here.resolve("tools")) ? here : here.resolve("..")).normalize();
  }

  private static String file(String name) throws IOException {
    try (var files = Files.list(made)) {
      return files
          .map(Path::toString)
          .filter(it -> it.contains("/" + name + "_"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String field(String name, String field) throws IOException, InterruptedException {
    return output("dpkg-deb", "--field", file(name), field).strip();
  }

  private static Map<String, Entry> contents(String name) throws IOException, InterruptedException {
    var all = new TreeMap<String, Entry>();
    for (var line : output("dpkg-deb", "--contents", file(name)).lines().toList()) {
      var words = line.split(" +", 6); // mode, owner, size, day, time, path
      var names = words[5].split(" -> ");
      var path = names[0].substring(1).replaceFirst("/$", "");
      all.put(path, new Entry(words[0], words[1], path, names.length > 1 ? names[1] : ""));
    }
    return all;
  }

  private static String text(String name, String path) throws IOException, InterruptedException {
    var to = made.resolve(name + ".files");
    output("dpkg-deb", "--extract", file(name), to.toString());
    return Files.readString(to.resolve(path.substring(1)));
  }

  private static String output(String... command) throws IOException, InterruptedException {
    var result = Files.createTempFile(made, "output", "");
    var errors = Files.createTempFile(made, "errors", "");
    var builder = new ProcessBuilder(new ArrayList<>(List.of(command)));
    builder.environment().put("SYSTOLE_DEB_VERSION", VERSION);
    builder.redirectOutput(result.toFile()).redirectError(errors.toFile());
    var process = builder.start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    assertEquals(0, process.waitFor(), () -> String.join(" ", command) + said(errors));
    return Files.readString(result, StandardCharsets.UTF_8);
  }

  private static String said(Path errors) {
    try {
      return ": " + Files.readString(errors);
    } catch (IOException e) {
      return "";
    }
  }
}
