package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// The fixed story of the demonstration: every step is done and then seen to have worked, or the
/// story ends there.
final class DemoStory {
  private static final Duration STEP = Duration.ofSeconds(90);

  /// A step that was not seen to work.
  static final class Failed extends Exception {
    Failed(String what) {
      super(what);
    }
  }

  /// Something to do that may fail.
  private interface Action {
    void run() throws IOException, Failed;
  }

  private final LocalCluster cluster;
  private final ClusterView view;
  private final PrintStream out;

  DemoStory(LocalCluster cluster, PrintStream out) {
    this.cluster = cluster;
    this.view = new ClusterView(cluster.nodes());
    this.out = out;
  }

  /// @return whether every step was seen to work
  boolean tell() throws IOException {
    var begin = System.nanoTime();
    try {
      start();
      var dc = killTheDc();
      bringBack(dc);
      failAResource();
      standby();
      stop();
    } catch (Failed e) {
      out.println("FAILED: " + e.getMessage());
      var now = view.now();
      if (now != null) {
        showStatus();
      }
      return false;
    }
    out.printf("done in %.1f s%n", (System.nanoTime() - begin) / 1e9);
    return true;
  }

  private void start() throws IOException, Failed {
    step(
        "three nodes started: a DC is elected, all are online",
        () -> {
          for (var node : cluster.nodes()) {
            node.start();
          }
        },
        it -> it.dc() != null && it.online().size() == cluster.nodes().size());
    step(
        "configuration loaded: every resource runs",
        this::configure,
        it -> allRun(it, cluster.nodes().size()));
  }

  private void configure() throws IOException, Failed {
    var text = DemoConfiguration.text().replace("@DIRECTORY@", cluster.dir().toString());
    check(
        cluster.nodes().getFirst().configure(text),
        "load the configuration");
  }

  private static boolean allRun(ClusterView.Snapshot it, int nodes) {
    return !it.isPending()
        && it.activeOn("power").size() == 1
        && it.activeOn("database").size() == 1
        && it.activeOn("web").equals(it.activeOn("database"))
        && it.activeOn("files").size() == 1
        && it.activeOn("files-address").size() == 1
        && it.activeOn("cache-clone").size() == nodes
        && it.activeOn("replica-clone").size() == nodes
        && it.promotedOn("replica-clone").size() == 1;
  }

  private String killTheDc() throws IOException, Failed {
    var before = view.now();
    var dc = before == null ? null : before.dc();
    if (dc == null) {
      throw new Failed("there is no DC to kill");
    }
    step(
        "%s, the DC, lost its power: fenced, its resources run elsewhere".formatted(dc),
        () -> cluster.node(dc).kill(),
        it ->
            it.isDown(dc)
                && it.dc() != null
                && !dc.equals(it.dc())
                && allRun(it, cluster.nodes().size() - 1));
    checkFenced(dc);
    return dc;
  }

  private void checkFenced(String node) throws IOException, Failed {
    var survivor =
        cluster.nodes().stream().filter(it -> !it.name().equals(node)).findFirst().orElseThrow();
    var history = survivor.run("stonith_admin", "--history", node);
    if (!history.ok() || !history.output().contains("succe")) {
      throw new Failed(
          "no successful fencing of %s is on record: %s".formatted(node, history.output()));
    }
  }

  private void bringBack(String node) throws IOException, Failed {
    step(
        "%s is back: online, clones run on it again".formatted(node),
        () -> cluster.node(node).start(),
        it -> it.online().size() == cluster.nodes().size() && allRun(it, cluster.nodes().size()));
  }

  private void failAResource() throws IOException, Failed {
    var before = view.now();
    if (before == null || before.activeOn("web").size() != 1) {
      throw new Failed("resource web does not run anywhere");
    }
    var where = before.activeOn("web").getFirst();
    step(
        "web failed on %s: noticed, counted, running again".formatted(where),
        () -> removeState(cluster.node(where), "web"),
        it -> it.failures("web", where) == 1 && allRun(it, cluster.nodes().size()));
    check(cluster.node(where).run("crm_resource", "--cleanup", "-r", "web"), "clean up web");
    step("its failure is cleaned up", () -> {}, it -> it.failures("web", where) == 0);
  }

  /// Takes away what the resource's agent remembers it by, as if the service had died.
  private static void removeState(LocalNode node, String resource) throws IOException, Failed {
    List<Path> found;
    try (var files = Files.walk(node.dir())) {
      found =
          files
              .filter(it -> it.getFileName().toString().equals("Dummy-" + resource + ".state"))
              .toList();
    }
    if (found.isEmpty()) {
      throw new Failed("%s has no state of %s to take away".formatted(node.name(), resource));
    }
    for (var file : found) {
      Files.delete(file);
    }
  }

  private void standby() throws IOException, Failed {
    var before = view.now();
    if (before == null || before.activeOn("files").isEmpty()) {
      throw new Failed("group files does not run anywhere");
    }
    var node = before.activeOn("files").getFirst();
    var speaker = cluster.nodes().getFirst();
    step(
        "%s on standby: nothing runs on it".formatted(node),
        () -> check(speaker.run("crm_standby", "-N", node, "-v", "on"), "set standby"),
        it ->
            allRun(it, cluster.nodes().size() - 1)
                && it.status().node(node) != null
                && it.status().node(node).running().isEmpty());
    step(
        "%s takes part again".formatted(node),
        () -> check(speaker.run("crm_standby", "-N", node, "-D"), "end standby"),
        it -> allRun(it, cluster.nodes().size()));
  }

  private void stop() throws IOException, Failed {
    var begin = System.nanoTime();
    var late = cluster.stop(STEP);
    if (!late.isEmpty()) {
      throw new Failed("these nodes did not stop by themselves: " + late);
    }
    report("all nodes stopped in good order", begin);
  }

  private void step(String what, Action action, Predicate<ClusterView.Snapshot> wanted)
      throws IOException, Failed {
    var begin = System.nanoTime();
    action.run();
    if (view.await(wanted, STEP) == null) {
      throw new Failed("not seen within %d s: %s".formatted(STEP.toSeconds(), what));
    }
    report(what, begin);
  }

  private void report(String what, long beginNanos) {
    out.printf("%6.1f s  %s%n", (System.nanoTime() - beginNanos) / 1e9, what);
    out.flush();
  }

  private static void check(LocalNode.Outcome outcome, String what) throws Failed {
    if (!outcome.ok()) {
      throw new Failed(
          "cannot %s: exit status %d: %s"
              .formatted(what, outcome.status(), outcome.output().strip()));
    }
  }

  private void showStatus() throws IOException {
    for (var node : cluster.nodes()) {
      var status = node.run("crm_mon", "-1", "-r", "-f");
      if (status.ok()) {
        out.println(status.output());
        return;
      }
    }
  }
}
