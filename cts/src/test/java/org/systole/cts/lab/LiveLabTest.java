package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// One life of a real cluster of three nodes, each in a network namespace of its own.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class LiveLabTest {
  private static final int DATA_ERROR = 65;
  private static final int NOT_CONNECTED = 102;
  private static final int NO_SUCH = 105;
  private static final Path HEARTBEAT_DUMMY = Path.of("/usr/lib/ocf/resource.d/heartbeat/Dummy");

  private static final int FORM = 1;
  private static final int LOAD = 2;

  private Lab lab;
  private boolean formed;
  private boolean loaded;

  @BeforeAll
  void makeTheLab() throws IOException {
    var home = LabHome.distribution();
    var obstacle = LabRunner.obstacle(home);
    assumeTrue(obstacle.isEmpty(), obstacle);
    var parent = Path.of(System.getProperty("java.io.tmpdir")).toRealPath();
    lab = Lab.make(home, parent, Shape.THREE);
  }

  @AfterAll
  void removeTheLab() throws IOException {
    if (lab != null) {
      lab.close();
    }
  }

  /// Brings a cluster to where the steps before would have, so that a step can be run alone.
  @BeforeEach
  void onlyWhileEverythingWorks(TestInfo test) throws IOException {
    assumeTrue(lab.isIntact(), "a step before failed");
    var order = test.getTestMethod().orElseThrow().getAnnotation(Order.class).value();
    if (order > FORM) {
      form();
    }
    if (order > LOAD) {
      load();
    }
  }

  @Test
  @Order(FORM)
  void threeNodesFormACluster() throws IOException {
    form();
  }

  private void form() throws IOException {
    if (formed) {
      return;
    }
    formed = true;
    lab.step(
        "three nodes started: a DC is elected, all are online",
        () -> {
          for (var node : lab.nodes()) {
            node.start();
          }
          lab.await("a DC and three nodes online", LiveLabTest::isComplete);
        });
  }

  @Test
  @Order(LOAD)
  void everyResourceOfAConfigurationStarts() throws IOException {
    load();
  }

  private void load() throws IOException {
    if (loaded) {
      return;
    }
    loaded = true;
    lab.step(
        "configuration loaded: every resource runs",
        () -> {
          var answer = lab.nodes().getFirst().configure(configuration());
          assertTrue(answer.ok(), answer::output);
          lab.await("every resource active", it -> isComplete(it) && allRun(it, 3));
          // With no resource and no node named, all are meant.
          Lab.succeed(lab.nodes().getFirst(), "crm_resource", "--cleanup");
          var refreshed = Lab.succeed(lab.nodes().getFirst(), "crm_resource", "--refresh").output();
          assertEquals("Waiting for 1 reply from the controller\n... got reply (done)", refreshed.strip());
          lab.await("every resource found again", it -> isComplete(it) && allRun(it, 3));
        });
  }

  @Test
  @Order(3)
  void aKilledDaemonOfANodeComesBackAndNothingIsRestarted() throws IOException {
    var node = lab.otherThan(dc());
    survivesTheDeathOf("attrd", node);
  }

  @Test
  @Order(4)
  void aKilledDaemonOfTheDcComesBackAndNothingIsRestarted() throws IOException {
    survivesTheDeathOf("attrd", lab.node(dc()));
  }

  private void survivesTheDeathOf(String daemon, LocalNode node) throws IOException {
    var mark = "lab-" + daemon + "-" + node.name();
    lab.step(
        "%s of %s killed: it is back, and nothing was restarted".formatted(daemon, node.name()),
        () -> {
          var before = deedsEverywhere(lab.now());
          var killed = LabProcesses.only(node, daemon);
          killed.destroyForcibly();
          Lab.awaitProcess(
              daemon + " of " + node.name() + " started again",
              () -> LabProcesses.isAnother(node, daemon, killed));
          Lab.awaitProcess(
              "an attribute set on " + node.name() + " after the death of " + daemon,
              () -> answers(node, "attrd_updater", "-n", mark, "-U", "1"));
          var after =
              lab.await(
                  node,
                  "the attribute in the CIB, all online and active",
                  it ->
                      isComplete(it)
                          && allRun(it, 3)
                          && "1".equals(attribute(it, node.name(), mark)));
          assertEquals(
              before, deedsEverywhere(after), "what was done with the resources before and after");
          assertNothingFenced();
          var status = Lab.succeed(node, "crm_mon", "-1").output();
          assertTrue(status.contains("Online: [ node1 node2 node3 ]"), status);
        });
  }

  @Test
  @Order(5)
  void aNodeWhoseCibManagerDiedIsNotTouchedEither() throws IOException {
    survivesTheDeathOf("cibd", lab.otherThan(dc()));
    survivesTheDeathOf("cibd", lab.node(dc()));
  }

  private static boolean answers(LocalNode node, String command, String... arguments) {
    try {
      return node.run(command, arguments).ok();
    } catch (IOException e) {
      return false;
    }
  }

  private static @Nullable String attribute(Snapshot seen, String node, String name) {
    var found = seen.status().node(node);
    return found == null ? null : found.attributes().get(name);
  }

  private List<Object> deedsEverywhere(Snapshot seen) {
    var all = new ArrayList<>();
    lab.nodes().forEach(it -> all.add(Lab.deeds(seen, it.name())));
    return all;
  }

  @Test
  @Order(6)
  void whatCannotBeDoneIsRefusedInPlainWords() throws IOException {
    lab.step(
        "errors of use: plain words and the right exit status each",
        () -> {
          var node = lab.nodes().getFirst();
          plainly(Lab.expect(NO_SUCH, node, "crm_resource", "-r", "nosuch", "--locate"));
          plainly(
              Lab.expect(NO_SUCH, node, "crm_attribute", "-N", "nosuch", "-n", "some", "-v", "1"));
          var before = Lab.succeed(node, "cibadmin", "--query", "-o", "configuration").output();
          plainly(
              Lab.expect(
                  DATA_ERROR,
                  node,
                  "cibadmin",
                  "--modify",
                  "-o",
                  "resources",
                  "-X",
                  "<primitive id='x'"));
          assertEquals(
              before, Lab.succeed(node, "cibadmin", "--query", "-o", "configuration").output());
        });
  }

  @Test
  @Order(7)
  void theLossOfTheDcIsFencedAndItsResourcesRecover() throws IOException {
    var dc = dc();
    lab.step(
        "%s, the DC, lost its power: fenced, its resources run elsewhere".formatted(dc),
        () -> {
          Lab.succeed(
              lab.node(dc),
              "crm_attribute",
              "-t",
              "crm_config",
              "-n",
              "fencing-action",
              "-v",
              "off");
          lab.node(dc).kill();
          var survivor = lab.otherThan(dc);
          lab.await(
              survivor,
              "the old DC down, a new one, everything active",
              it -> it.isDown(dc) && it.dc() != null && !dc.equals(it.dc()) && allRun(it, 2));
          var history = Lab.succeed(survivor, "stonith_admin", "--history", dc).output();
          assertTrue(history.contains("turning off of " + dc + " successful"), history);
          assertFalse(lab.node(dc).isRunning(), dc + " is off");
        });
    lab.step(
        dc + " is back: online, and clones run on it again",
        () -> {
          lab.node(dc).start();
          lab.await(lab.node(dc), "all online and active", it -> isComplete(it) && allRun(it, 3));
        });
  }

  @Test
  @Order(8)
  void aRebootByTheAdministratorBringsTheNodeBack() throws IOException {
    var target = lab.otherThan(dc()).name();
    lab.step(
        target + " rebooted by stonith_admin: back and online",
        () -> {
          // the DC may see the node go and fence it as well, which must not leave it off
          Lab.succeed(
              lab.node(target),
              "crm_attribute",
              "-t",
              "crm_config",
              "-n",
              "fencing-action",
              "-v",
              "reboot");
          var old = LabProcesses.only(lab.node(target), "pacemakerd");
          Lab.succeed(lab.otherThan(target), "stonith_admin", "--reboot", target, "-t", "60");
          Lab.awaitProcess("the end of " + target + "'s old supervisor", () -> !old.isAlive());
          lab.await(
              lab.node(target), "all online and active", it -> isComplete(it) && allRun(it, 3));
        });
  }

  @Test
  @Order(9)
  void aStoppedNodeHandsItsResourcesOverAndIsNotFenced() throws IOException {
    var leaving = dc();
    var node = lab.node(leaving);
    lab.step(
        leaving + " stopped in good order: its resources moved, nothing was fenced",
        () -> {
          var witness = lab.otherThan(leaving);
          var fencings = Lab.succeed(witness, "stonith_admin", "--history", "*").output();
          assertTrue(node.shutDown(Lab.LIMIT), leaving + " stopped in time");
          lab.await(witness, "everything on two nodes", it -> it.isDown(leaving) && allRun(it, 2));
          assertEquals(fencings, Lab.succeed(witness, "stonith_admin", "--history", "*").output());
        });
    lab.step(
        "commands on %s, which is down, and a mistake in its corosync.conf".formatted(leaving),
        () -> {
          plainly(Lab.expect(NOT_CONNECTED, node, "crm_node", "-l"));
          mistakeInTheConfiguration(node);
        });
  }

  private static void mistakeInTheConfiguration(LocalNode node) throws IOException {
    var file = node.layout().clusterConfiguration();
    var good = Files.readString(file);
    var lines = new ArrayList<>(good.lines().toList());
    var at = lines.indexOf("  version: 2");
    lines.set(at, "  version 2");
    Files.writeString(file, String.join("\n", lines) + "\n");
    try {
      var refused = node.run("pacemakerd");
      assertFalse(refused.ok(), refused::output);
      assertTrue(refused.output().contains("corosync.conf, line " + (at + 1)), refused::output);
    } finally {
      Files.writeString(file, good);
    }
  }

  @Test
  @Order(10)
  void allNodesStopInGoodOrder() throws IOException {
    lab.step(
        "all nodes stopped in good order",
        () -> assertEquals(List.of(), lab.stop(), "nodes that had to be killed"));
  }

  private String dc() {
    var seen = lab.await("a DC", it -> it.dc() != null);
    return String.valueOf(seen.dc());
  }

  private void assertNothingFenced() throws IOException {
    var history = Lab.succeed(lab.nodes().getFirst(), "stonith_admin", "--history", "*").output();
    assertFalse(history.contains("successful"), history);
  }

  /// What happened in words: one line, and where the reference has it what did not work in
  /// a second.
  private static void plainly(LocalNode.Outcome outcome) {
    assertTrue(List.of(1L, 2L).contains(outcome.output().lines().count()), outcome::output);
    assertFalse(outcome.output().contains("Exception"), outcome::output);
  }

  private static boolean isComplete(Snapshot it) {
    return it.dc() != null && it.online().size() == 3;
  }

  private static boolean allRun(Snapshot it, int nodes) {
    return !it.isPending()
        && it.activeOn("power").size() == 1
        && it.activeOn("plain").size() == 1
        && (!hasHeartbeatDummy() || it.activeOn("service").size() == 1)
        && it.activeOn("disk").size() == 1
        && it.activeOn("address").equals(it.activeOn("disk"))
        && it.activeOn("cache-clone").size() == nodes
        && it.activeOn("replica-clone").size() == nodes
        && it.promotedOn("replica-clone").size() == 1;
  }

  private static boolean hasHeartbeatDummy() {
    return Files.exists(HEARTBEAT_DUMMY);
  }

  private String configuration() throws IOException {
    try (var in = LiveLabTest.class.getResourceAsStream("configuration.xml")) {
      if (in == null) {
        throw new IOException("configuration.xml is missing beside the test");
      }
      var text =
          new String(in.readAllBytes(), StandardCharsets.UTF_8)
              .replace("@DIRECTORY@", lab.dir().toString());
      if (hasHeartbeatDummy()) {
        return text;
      }
      System.out.println("note: " + HEARTBEAT_DUMMY + " is missing; its resources are left out");
      return text.replaceAll("(?s)<!-- heartbeat -->.*<!-- /heartbeat -->", "")
          .replace("provider=\"heartbeat\"", "provider=\"pacemaker\"");
    }
  }
}
