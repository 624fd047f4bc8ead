package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.systole.cts.local.LocalNode;

/// corosync.conf is changed while the nodes run.
final class ConfigurationScenarios {
  private static final int READ_ANEW_NODES = 4;
  private static final int KEY_BYTES = 256;
  private static final long FORMER_MILLIS = 10_000;

  private ConfigurationScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario(
            "node-list",
            "a node is taken off the list of a running cluster, and added again, under load",
            Shape.FOUR,
            false,
            ConfigurationScenarios::nodeList),
        new Scenario(
            "key",
            "the cluster's key is changed while the nodes run, under load",
            Shape.LINKS,
            false,
            ConfigurationScenarios::key));
  }

  private static void nodeList(Run run) throws IOException {
    var lab = run.lab();
    var leaving = lab.nodes().get(READ_ANEW_NODES - 1);
    var staying = run.others(leaving);
    var whole = Files.readString(leaving.layout().clusterConfiguration());
    run.touch(leaving);
    try (var writers = new Writers()) {
      writers.steadily(staying);
      run.fault(() -> readAnew(staying, without(whole, leaving)));
      run.await("left", "the node's end", () -> !leaving.isRunning());
      run.awaitRecovery(staying);
      run.await("forgotten", "three votes expected", () -> expects(staying, 3));
      var first = staying.getFirst();
      Lab.succeed(first, "crm_node", "--remove", leaving.name(), "--force");

      var added = Evidence.now();
      readAnew(staying, whole);
      run.await("listed", "four votes expected", () -> expects(staying, 4));
      Files.writeString(leaving.layout().clusterConfiguration(), whole);
      leaving.start();
      lab.await(first, "all nodes online", it -> Health.isComplete(lab, it));
      run.reached("added");
      writers.stop();
      Health.await(lab);
      var deeds =
          lab.evidence().deeds(added).stream()
              .filter(it -> it.changes() && !it.node().equals(leaving.name()))
              .toList();
      LabFailure.unless(deeds.isEmpty(), "resources were started or stopped: " + deeds);
      run.note(writers.told());
      writers.verify(lab);
    }
  }

  private static void key(Run run) throws IOException {
    var lab = run.lab();
    var nodes = lab.nodes();
    var first = nodes.getFirst();
    var before = LinkScenarios.ring(first);
    var key = new byte[KEY_BYTES];
    ThreadLocalRandom.current().nextBytes(key);
    try (var writers = new Writers()) {
      writers.steadily(nodes);
      for (var node : nodes.subList(0, nodes.size() - 1)) {
        Files.write(node.layout().clusterKey(), key);
      }
      var refused = first.run("corosync-cfgtool", "-R");
      LabFailure.unless(
          refused.status() != 0 && refused.output().contains(nodes.getLast().name() + " the one in use"),
          "a key that one node does not have is taken: " + refused);
      Files.write(nodes.getLast().layout().clusterKey(), key);
      run.fault(() -> Lab.succeed(first, "corosync-cfgtool", "-R"));
      run.await("new", "the new key everywhere", () -> saysEach(nodes, "key is the new one in"));
      run.await("only", "the former one refused", () -> saysEach(nodes, "former key is no longer"));
      Lab.awaitProcess("time enough", run.patience(2L * lab.shape().tokenMillis() + FORMER_MILLIS));
      writers.stop();
      run.nothingHappened();
      var after = LinkScenarios.ring(first);
      LabFailure.unless(after.equals(before), "the membership changed: " + before + ", " + after);
      run.note(writers.told());
      writers.verify(lab);
    }
  }

  private static boolean saysEach(List<LocalNode> nodes, String what) {
    try {
      for (var node : nodes) {
        if (!log(node).contains(what)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // the next look tells
    }
  }

  private static String log(LocalNode node) throws IOException {
    var file = node.layout().log().resolve("pacemaker.log");
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }

  private static void readAnew(List<LocalNode> nodes, String text) throws IOException {
    for (var node : nodes) {
      Files.writeString(node.layout().clusterConfiguration(), text);
    }
    Lab.succeed(nodes.getLast(), "corosync-cfgtool", "-R");
  }

  private static String without(String text, LocalNode node) {
    return text.replaceAll("  node \\{[^}]*name: " + node.name() + "\\b[^}]*\\}\n", "");
  }

  private static boolean expects(List<LocalNode> nodes, int votes) {
    try {
      for (var node : nodes) {
        var shown = node.run("corosync-quorumtool", "-s").output();
        if (!shown.contains("Expected votes:   " + votes + "\n")) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // the next look tells
    }
  }
}
