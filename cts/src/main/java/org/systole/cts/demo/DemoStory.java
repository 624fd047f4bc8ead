package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.systole.cts.demo.DemoSteps.Failed;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// The fixed story of the demonstration: every step is done and then seen to have worked, or the
/// story ends there.
final class DemoStory {
  private final LocalCluster cluster;
  private final ClusterView view;
  private final DemoSteps steps;

  DemoStory(LocalCluster cluster, PrintStream out) {
    this.cluster = cluster;
    this.view = new ClusterView(cluster.nodes());
    this.steps = new DemoSteps(cluster, view, out);
  }

  /// @return whether every step was seen to work
  boolean tell() throws IOException {
    return steps.tell(
        () -> {
          start();
          var dc = killTheDc();
          bringBack(dc);
          failAResource();
          standby();
          stop();
        },
        "-1",
        "-r",
        "-f");
  }

  private void start() throws IOException, Failed {
    steps.start(
        "three nodes started: a DC is elected, all are online",
        () -> {
          for (var node : cluster.nodes()) {
            node.start();
          }
        },
        it -> it.dc() != null && it.online().size() == cluster.nodes().size());
    steps.step(
        "configuration loaded: every resource runs",
        this::configure,
        it -> allRun(it, cluster.nodes().size()));
  }

  private void configure() throws IOException, Failed {
    var text = DemoConfiguration.text("configuration.xml").replace("@DIRECTORY@", cluster.dir().toString());
    DemoSteps.check(
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
    steps.step(
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
    steps.step(
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
    steps.step(
        "web failed on %s: noticed, counted, running again".formatted(where),
        () -> removeState(cluster.node(where), "web"),
        it -> it.failures("web", where) == 1 && allRun(it, cluster.nodes().size()));
    DemoSteps.check(cluster.node(where).run("crm_resource", "--cleanup", "-r", "web"), "clean up web");
    steps.step("its failure is cleaned up", () -> {}, it -> it.failures("web", where) == 0);
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
    steps.step(
        "%s on standby: nothing runs on it".formatted(node),
        () -> DemoSteps.check(speaker.run("crm_standby", "-N", node, "-v", "on"), "set standby"),
        it ->
            allRun(it, cluster.nodes().size() - 1)
                && it.status().node(node) != null
                && it.status().node(node).running().isEmpty());
    steps.step(
        "%s takes part again".formatted(node),
        () -> DemoSteps.check(speaker.run("crm_standby", "-N", node, "-D"), "end standby"),
        it -> allRun(it, cluster.nodes().size()));
  }

  private void stop() throws IOException, Failed {
    var begin = System.nanoTime();
    var late = cluster.stop(DemoSteps.LIMIT);
    if (!late.isEmpty()) {
      throw new Failed("these nodes did not stop by themselves: " + late);
    }
    steps.report("all nodes stopped in good order", begin);
  }
}
