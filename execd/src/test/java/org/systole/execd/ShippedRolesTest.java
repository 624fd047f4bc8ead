package org.systole.execd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.roles.data.JsonText;
import org.systole.roles.document.RolePackages;

/// What the shipped roles find on a machine.
final class ShippedRolesTest extends RolesOnAMachine {
  @Test
  void eachIsDefinedAndHasItsSteps() throws Exception {
    var file = agents().resolve("roles/systole.xml");
    var shipped = new RolePackages.PackageFile("systole.xml", Files.readAllBytes(file));
    var roles = RolePackages.roles(List.of(shipped), List.of());
    var defined = new TreeMap<String, Boolean>();
    roles.forEach((id, role) -> defined.put(id.text(), !role.check().isNone()));
    var made = new TreeMap<String, Boolean>();
    try (var all = Files.list(agents().resolve("roles"))) {
      all.filter(Files::isDirectory)
          .forEach(
              it ->
                  made.put(
                      it.getFileName().toString(), Files.isExecutable(it.resolve("check"))));
    }
    assertEquals(made, defined);
    assertEquals(8, made.size());
  }

  @Test
  void aClockIsInStepIfChronySaysSo() throws Exception {
    program("chronyc", "echo 0A000001,ntp1,2,1700000000.1,-0.0004,0.1,0.1,-1.2,0.1,0.1,0.1,0.1,64.1,Normal");
    fine("clock", "{}", "{\"clock\":{\"kept-by\":\"chrony\",\"source\":\"ntp1\"}}");
    wrong(
        "clock",
        "{\"max-offset\":0.0001,\"wait\":0}",
        "the clock is 0.0004 s off, more than 0.0001 s");
    program("chronyc", "echo 7F7F0101,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,Not synchronised");
    wrong("clock", "{\"wait\":0}", "chronyd is not synchronised with any source");
  }

  @Test
  void aRunWaitsForTheClock() throws Exception {
    var later = directory.resolve("later");
    program(
        "chronyc",
        "if [ -e " + later + " ]; then echo 0A,ntp1,2,0,0.1,Normal; else : >" + later
            + "; echo 0A,,0,0,0.0,Not synchronised; fi");
    assertEquals(0, does("run", "clock", "{\"wait\":10}").code());
  }

  @Test
  void aRunDoesNotWaitLongForATimeServiceThatIsNotThere() throws Exception {
    program("chronyc", "exit 1");
    wrong("clock", "{\"wait\":0}", "chronyd does not answer: is it running (systemctl start chrony)?");
    program("timedatectl", "echo NTP=no; echo NTPSynchronized=no");
    var begin = System.nanoTime();
    var run = does("run", "clock", "{}");
    assertEquals(1, run.code());
    assertTrue(run.errors().startsWith("timedatectl says that no time service is on"), run.errors());
    assertTrue(System.nanoTime() - begin < 40_000_000_000L, "it waited for what is not there");
    program("timedatectl", "exit 1");
    wrong(
        "clock",
        "{\"wait\":0}",
        "nothing keeps this node's time: chronyd and ntpd do not answer, timedatectl cannot ask systemd");
  }

  @Test
  void otherKeepersOfTimeAreAskedToo() throws Exception {
    wrong("clock", "{\"wait\":0}", "nothing keeps this node's time: install chrony, or name what does in setting by");
    program("timedatectl", "echo NTP=yes; echo NTPSynchronized=yes");
    fine("clock", "{\"wait\":0}", "{\"clock\":{\"kept-by\":\"timedatectl\",\"source\":\"\"}}");
    program("ntpq", "echo 'leap=00, refid=10.0.0.1,'; echo 'offset=900.5'");
    wrong("clock", "{\"wait\":0}", "the clock is 0.9005 s off, more than 0.5 s");
    fine("clock", "{\"max-offset\":1,\"wait\":0}", "{\"clock\":{\"kept-by\":\"ntp\",\"source\":\"10.0.0.1\"}}");
    wrong("clock", "{\"max-offset\":\"$(reboot)\"}", "setting max-offset is no number of seconds: $(reboot)");
  }

  @Test
  void agentsOfResourcesAreThereAndToldOf() throws Exception {
    file("agents/pacemaker/Dummy", "");
    root.resolve("agents/pacemaker/Dummy").toFile().setExecutable(true);
    file("agents/pacemaker/README", "");
    program(
        "cibadmin",
        "echo '<xpath-query>'; echo '  <primitive id=\"a\" class=\"ocf\" provider=\"pacemaker\" type=\"Dummy\">';"
            + " echo '  <primitive class=\"ocf\" type=\"pgsql\" id=\"db\" provider=\"heartbeat\"/>'");
    program("fence_test", "");
    program("dpkg-query", "[ \"$4\" != chrony ] || echo 'installed 4.3-2'");
    wrong("agents", "{}", "agent ocf:heartbeat:pgsql is not installed here (resource db uses it)");
    fine(
        "agents",
        "{\"configured\":false,\"agents\":[\"ocf:pacemaker:Dummy\",\"stonith:fence_test\"],\"packages\":[\"chrony\"]}",
        "{\"agents\":{\"inventory\":{\"ocf:pacemaker\":[\"Dummy\"],\"stonith\":[\"fence_test\"]},"
            + "\"packages\":{\"chrony\":\"4.3-2\"}}}");
    wrong(
        "agents",
        "{\"configured\":false,\"agents\":[\"systemd:nginx\",\"ocf:../..:x\"],\"packages\":[\"nginx\",\"--help\"]}",
        "agent systemd:nginx is not installed here (wanted by the role's settings)",
        "agent ocf:../..:x is not installed here (wanted by the role's settings)",
        "package nginx is not installed",
        "'--help' is no name of a package");
  }

  @Test
  void whatRunsInABundleHasItsAgentInTheBundlesImage() throws Exception {
    program(
        "cibadmin",
        "printf '<bundle id=\"b\">\\n<primitive id=\"in\" class=\"ocf\" provider=\"heartbeat\" type=\"apache\"/>\\n</bundle>\\n'");
    fine("agents", "{}", "{\"agents\":{\"inventory\":{},\"packages\":{}}}");
  }

  @Test
  void anInventoryNamesWhatIsLookedForAndNotThere() throws Exception {
    file("agents/pacemaker/Dummy", "");
    root.resolve("agents/pacemaker/Dummy").toFile().setExecutable(true);
    file("usr/lib/systemd/system/nginx.service", "");
    var program =
        new ProcessBuilder(agents().resolve("jig/agents").toString(), "inventory");
    program.environment().clear();
    program.environment().put("PATH", bin.toString());
    program.environment().put("TMPDIR", directory.toString());
    program.environment().put("SYSTOLE_FUNCTIONS", agents().resolve("jig/functions").toString());
    program.environment().put("SYSTOLE_AGENTS", root.resolve("agents").toString());
    program.environment().put("SYSTOLE_FAKE_ROOT", root.toString());
    var process = program.start();
    try (var to = process.getOutputStream()) {
      to.write(
          "ocf:pacemaker:Dummy\nocf:heartbeat:\"x\nsystemd:nginx\nlsb:../x\n"
              .getBytes(StandardCharsets.UTF_8));
    }
    var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor());
    assertEquals(
        "{\"inventory\":{\"ocf:pacemaker\":[\"Dummy\"]},\"missing\":[\"lsb:../x\",\"ocf:heartbeat:x\"],"
            + "\"packages\":{}}",
        JsonText.readObject(said).toString());
  }

  private void members(String... names) throws IOException {
    var text = new StringBuilder("case $1 in --name) echo n1 ;; *) ");
    for (var name : names) {
      text.append("echo '9 ").append(name).append(" member'; ");
    }
    program("crm_node", text + "echo '8 gone lost' ;; esac");
  }

  @Test
  void eachOtherMemberCanBeFencedFromTwoNodes() throws Exception {
    members("n1", "n2", "n3");
    program(
        "stonith_admin",
        "case \"$*\" in '--paths n2 --from 2 --timeout 20') echo ipmi n1 answers; echo ipmi n3 answers;"
            + " echo pdu n1 fails no route to host; echo pdu n3 answers ;;"
            + " *n3*) echo bmc3 n1 answers; echo bmc3 n2 fails it may not be used there ;; *) exit 1 ;; esac");
    wrong(
        "fencing",
        "{}",
        "fence device pdu does not tell the power of node n2 from here: no route to host",
        "fence device bmc3 can be reached from here only, for node n3 (n2: it may not be used there)");
    wrong(
        "fencing",
        "{\"targets\":[\"n2\"]}",
        "fence device pdu does not tell the power of node n2 from here: no route to host");
    fine(
        "fencing", "{\"ignore\":[\"pdu\",\"bmc3\"]}", "{\"fencing\":{\"answer\":[\"ipmi\"]}}");
    wrong("fencing", "{\"from\":3}", "setting from is neither 1 nor 2: 3");
  }

  @Test
  void oneNodeIsEnoughWhereNoOtherCouldFence() throws Exception {
    members("n1", "n2", "n3");
    program(
        "stonith_admin",
        "[ \"$4\" = 2 ] && echo 'ipmi n3 unasked the controller of n3 is not running';"
            + " echo ipmi n1 answers");
    fine("fencing", "{}", "{\"fencing\":{\"answer\":[\"ipmi\"]}}");
    fine("fencing", "{\"from\":1}", "{\"fencing\":{\"answer\":[\"ipmi\"]}}");
  }

  @Test
  void aMemberThatNothingCanFenceIsNamed() throws Exception {
    members("n1", "n2");
    program("stonith_admin", "exit 105");
    wrong("fencing", "{}", "no fence device can fence node n2 from here");
    program("stonith_admin", "echo 'the fencer is not there' >&2; exit 102");
    wrong("fencing", "{}", "the fence devices for node n2 cannot be asked: the fencer is not there");
  }

  @Test
  void linksInterfacesAndAddressesAreThere() throws Exception {
    file("sys/class/net/eth0/operstate", "up\n");
    file("sys/class/net/eth0/carrier", "1\n");
    file("sys/class/net/eth1/operstate", "down\n");
    program("ip", "echo '2: eth0    inet 10.0.0.1/24 brd 10.0.0.255'");
    program("ping", "[ \"$6\" = -- ] && [ \"$7\" = 10.0.0.254 ]");
    program("corosync-cfgtool", "echo 'LINK ID 0 udp'; echo '    nodeid:          2:   connected'");
    program("crm_node", "echo '1 n1 member'; echo '2 n2 member'");
    fine(
        "network",
        "{\"interfaces\":[\"eth0\"],\"addresses\":[\"10.0.0.1\"],\"reach\":[\"10.0.0.254\"]}",
        "{\"network\":{\"links\":1}}");
    program("crm_node", "echo '1 n1 member'; echo '2 n2 member'; echo '3 n3 lost'");
    program(
        "corosync-cfgtool",
        "echo 'LINK ID 0 udp'; echo '    nodeid: 2: connected'; echo '    nodeid: 3: connected';"
            + " echo 'LINK ID 1 udp'; echo '    nodeid: 2: disconnected'; echo '    nodeid: 3: disconnected'");
    wrong(
        "network",
        "{\"interfaces\":[\"eth1\",\"eth2\",\"../x\"],\"addresses\":[\"10.0.0.2\"],\"reach\":[\"10.0.0.9\",\"-f\"]}",
        "interface eth1 is down",
        "there is no interface eth2",
        "'../x' is no name of an interface",
        "address 10.0.0.2 is not on this node",
        "address 10.0.0.9 does not answer a ping",
        "'-f' is no address",
        "link 1 does not reach node n2");
  }

  @Test
  void aNodeThatNoLinkReachesIsNoFaultOfTheOthers() throws Exception {
    program("crm_node", "echo '1 n1 member'; echo '2 n2 member'");
    program("corosync-cfgtool", "echo 'LINK ID 0 udp'; echo '    nodeid: 2: disconnected'");
    fine("network", "{}", "{\"network\":{\"links\":1}}");
  }

  @Test
  void storageIsMountedAsItShouldBe() throws Exception {
    file(
        "proc/self/mountinfo",
        """
        21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
        30 21 8:17 / /srv rw,relatime shared:2 - xfs /dev/sdb1 rw
        31 21 8:18 / /read ro,relatime - xfs /dev/sdc1 rw
        """);
    file("etc/fstab", "/dev/sda1 / ext4 defaults 0 1\n/dev/sdb1 /srv xfs defaults 0 2\n/dev/sdd /opt xfs noauto 0 0\n");
    fine("storage", "{}", "{\"storage\":{\"mounted\":2}}");
    fine("storage", "{\"mounts\":[{\"dir\":\"/srv\",\"device\":\"/dev/sdb1\",\"type\":\"xfs\"}]}", "{\"storage\":{\"mounted\":1}}");
    Files.createDirectories(root.resolve("dev/disk/by-uuid"));
    file("dev/sdb1", "");
    Files.createSymbolicLink(root.resolve("dev/disk/by-uuid/12-34"), Path.of("../../sdb1"));
    fine(
        "storage",
        "{\"mounts\":[{\"dir\":\"/srv\",\"device\":\"UUID=12-34\",\"type\":\"auto\"}]}",
        "{\"storage\":{\"mounted\":1}}");
    wrong(
        "storage",
        "{\"mounts\":[{\"dir\":\"/srv\",\"device\":\"UUID=56-78\"}]}",
        "/srv is mounted from /dev/sdb1, not from UUID=56-78");
    wrong(
        "storage",
        "{\"devices\":[\"/dev/sdx\"],\"mounts\":[{\"dir\":\"/srv\",\"type\":\"ext4\"},{\"dir\":\"/read\"},{\"dir\":\"/data\"}]}",
        "there is no block device /dev/sdx",
        "/srv is a file system of type xfs, not ext4",
        "/read is mounted read-only",
        "/data is not mounted");
  }

  @Test
  void storageIsMountedOnlyWhereTheSettingsSaySo() throws Exception {
    file("proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    program(
        "mount",
        "echo \"$*\" >>" + root + "/mounts; echo '30 21 8:17 / /srv rw - xfs /dev/sdb1 rw' >>"
            + root + "/proc/self/mountinfo");
    var settings = "{\"mounts\":[{\"dir\":\"/srv\",\"device\":\"/dev/sdb1\",\"mount\":true}]}";
    assertEquals(1, does("check", "storage", settings).code());
    assertTrue(Files.notExists(root.resolve("mounts")), "a check changes nothing");
    fine("storage", settings, "{\"storage\":{\"mounted\":1}}");
    assertEquals("-t auto -o defaults,nosuid,nodev -- /dev/sdb1 /srv\n", Files.readString(root.resolve("mounts")));
  }

  @Test
  void namesOfNodesAreResolved() throws Exception {
    program("crm_node", "case $1 in --name) echo n1 ;; *) echo '1 n1 member'; echo '2 n2 lost' ;; esac");
    program("getent", "case $2 in n1) echo '127.0.1.1 STREAM n1' ;; n2) echo '10.0.0.2 STREAM n2' ;; *) exit 2 ;; esac");
    fine("names", "{}", "{\"names\":{\"resolved\":2}}");
    wrong("names", "{\"names\":[\"ntp\"]}", "the name ntp cannot be resolved here");
    program("getent", "echo '127.0.0.1 STREAM x'");
    wrong(
        "names",
        "{}",
        "the name n2 is 127.0.0.1 here, which is this machine itself",
        "n1 and n2 are both 127.0.0.1 here");
  }

  @Test
  void theWatchdogIsArmed() throws Exception {
    wrong(
        "watchdog",
        "{\"required\":true}",
        "no watchdog is set: name one in /etc/default/sbd (SBD_WATCHDOG_DEV), see watchdog.md");
    fine("watchdog", "{}", "{\"watchdog\":{\"armed\":false}}");
    file("etc/default/sbd", "SBD_WATCHDOG_DEV=\"/dev/watchdog0\"\n");
    wrong("watchdog", "{}", "the watchdog /dev/watchdog0 is not there: is its driver loaded?");
    file("dev/watchdog0", "");
    wrong("watchdog", "{}", "nobody keeps the watchdog /dev/watchdog0: it is not armed");
    Files.createDirectories(root.resolve("proc/99/fd"));
    Files.createSymbolicLink(root.resolve("proc/99/fd/3"), Path.of("/dev/watchdog0"));
    fine("watchdog", "{}", "{\"watchdog\":{\"armed\":true,\"device\":\"/dev/watchdog0\"}}");
  }

  @Test
  void aBootLoopIsAQuarantineUntilAPersonHasLooked() throws Exception {
    for (var boot = 1; boot <= 2; boot++) {
      file("proc/sys/kernel/random/boot_id", "boot-" + boot + "\n");
      fine("boots", "{\"most\":2}", "{\"boots\":{\"starts\":" + boot + "}}");
      fine("boots", "{\"most\":2}", "{\"boots\":{\"starts\":" + boot + "}}");
    }
    file("proc/sys/kernel/random/boot_id", "boot-3\n");
    var looped = does("run", "boots", "{\"most\":2}");
    assertTrue(looped.errors().startsWith("this machine was started 3 times within 60 minutes"), looped.errors());
    for (var settings : List.of("{\"most\":2}", "{\"most\":9}")) { // also when it would not count any more
      wrong("boots", settings, "this machine is in quarantine for a boot loop: look why, then retry this role");
    }
    fine("boots", "{\"most\":2,\"retried\":1}", "{\"boots\":{\"starts\":1}}");
    for (var boot = 4; boot <= 5; boot++) {
      file("proc/sys/kernel/random/boot_id", "boot-" + boot + "\n");
      does("run", "boots", "{\"most\":2,\"retried\":2}");
    }
    for (var before : List.of("1", "\"x\"")) { // nobody has looked since
      wrong("boots", "{\"most\":2,\"retried\":" + before + "}", "this machine is in quarantine for a boot loop: look why, then retry this role");
    }
  }

}
