package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.IntStream;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.cts.demo.DemoSteps.Failed;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// The fixed story of host HA: one host crashes and is recovered, one cannot be reached but works, one
/// does not come back and is fenced.
final class DemoHostStory {
  private final LocalCluster cluster;
  private final DemoHosts hosts;
  private final DemoSteps steps;

  DemoHostStory(LocalCluster cluster, DemoHosts hosts, PrintStream out) {
    this.cluster = cluster;
    this.hosts = hosts;
    this.steps = new DemoSteps(cluster, new ClusterView(cluster.nodes()), out);
  }

  /// @return whether every step was seen to work
  boolean tell() throws IOException {
    return steps.tell(
        () -> {
          start();
          crash();
          cutOff();
          breakDown();
          stop();
        },
        "-1",
        "-r",
        "--include=hosts");
  }

  private void start() throws IOException, Failed {
    steps.start(
        "three members and three hosts started, a DC is elected",
        () -> {
          for (var node : cluster.nodes()) {
            node.start();
          }
          hosts.start();
        },
        it -> it.dc() != null && it.online().size() == cluster.nodes().size());
    steps.step(
        "configuration loaded: every host is AVAILABLE and runs its guest",
        () -> DemoSteps.check(configure(cluster), "load the configuration"),
        DemoHostStory::isWell);
  }

  static LocalNode.Outcome configure(LocalCluster cluster) throws IOException {
    var text =
        DemoConfiguration.text("hosts.xml").replace("@DIRECTORY@", cluster.dir().toString());
    return cluster.nodes().getFirst().configure(text);
  }

  private void crash() throws IOException, Failed {
    steps.step(
        "host1 crashed, its power is on: it is SUSPECT",
        () -> hosts.host(1).crash(),
        it -> is(it, 1, "SUSPECT"));
    steps.step(
        "its neighbours see no sign of life: its power is cycled",
        () -> {},
        it -> is(it, 1, "RECOVERING", "RECOVERED"));
    steps.step("it is AVAILABLE again, and runs its guest", () -> {}, DemoHostStory::isWell);
  }

  private void cutOff() throws IOException, Failed {
    steps.step(
        "host2 does not answer, but writes: it is DEGRADED",
        () -> hosts.host(2).cutOff(),
        it -> is(it, 2, "DEGRADED"));
    steps.step(
        "it answers again: AVAILABLE, nothing was moved or fenced",
        () -> {
          wasNotFenced("host2");
          hosts.host(2).goOn();
        },
        DemoHostStory::isWell);
    wasNotFenced("host2");
  }

  private void wasNotFenced(String host) throws IOException, Failed {
    var history = cluster.nodes().getFirst().run("stonith_admin", "--history", host);
    DemoSteps.check(history, "read the history of fencings");
    if (history.output().contains("succe")) {
      throw new Failed(host + " was fenced: " + history.output().strip());
    }
  }

  private void breakDown() throws IOException, Failed {
    steps.step(
        "host3 crashed and does not come back: its power is cycled once",
        () -> {
          hosts.host(3).breakDown(true);
          hosts.host(3).crash();
        },
        it -> is(it, 3, "RECOVERED"));
    steps.step(
        "it is FENCED on proof, and its guest runs elsewhere",
        () -> {},
        it -> is(it, 3, "FENCED") && runsElsewhere(it, 3));
    steps.step(
        "repaired, switched on, cleared (crm_hostha --clear host3): all is as it was",
        () -> {
          hosts.host(3).breakDown(false);
          hosts.host(3).node().start();
          DemoSteps.check(
              cluster.nodes().getFirst().run("crm_hostha", "--clear", "host3"), "clear host3");
        },
        DemoHostStory::isWell);
  }

  private void stop() throws IOException, Failed {
    var begin = System.nanoTime();
    var late = cluster.stop(DemoSteps.LIMIT);
    if (!late.isEmpty()) {
      throw new Failed("these nodes did not stop by themselves: " + late);
    }
    hosts.kill();
    steps.report("all members stopped in good order", begin);
  }

  private static boolean isWell(Snapshot it) {
    return !it.isPending()
        && IntStream.rangeClosed(1, DemoHosts.COUNT)
            .allMatch(
                host ->
                    is(it, host, "AVAILABLE")
                        && it.activeOn("guest" + host).equals(List.of("host" + host)));
  }

  private static boolean runsElsewhere(Snapshot it, int host) {
    var where = it.activeOn("guest" + host);
    return where.size() == 1 && !where.contains("host" + host);
  }

  private static boolean is(Snapshot it, int host, String... states) {
    var status = HostStatus.of(it.cib(), new NodeName("host" + host));
    return status != null && List.of(states).contains(status.state());
  }
}
