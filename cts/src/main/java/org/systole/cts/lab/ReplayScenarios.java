package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.systole.cts.replay.LiveAction;
import org.systole.cts.replay.Part;

/// Cases of the scheduler's corpus that name connections to remote nodes, played with real nodes and hosts.
final class ReplayScenarios {
  /// How scenarios are called that need the corpus.
  static final String SCENARIOS = "replay-";

  private static final String OTHER_PARAMETERS =
      "the case's device has other parameters than it was started with";
  private static final String ANEW = "nothing is known of a machine that was started anew";
  private static final String NESTED = "nested-remote-recovery";

  private ReplayScenarios() {}

  static boolean needsContainers(String name) {
    return name.equals(SCENARIOS + NESTED);
  }

  static List<Scenario> all() {
    return Stream.of(hosts(), connections(), guests()).flatMap(List::stream).toList();
  }

  /// A host is connected, or lost.
  private static List<Scenario> hosts() {
    return List.of(
        of(
            "remote-startup-probes",
            "a host is connected, and looked at",
            builders(),
            Replay::release),
        of(
            "remote-start-fail",
            "two members cannot connect to a host, the third one can",
            Part.of("rhel7-auto1", "node1", "rhel7-auto2", "node2", "rhel7-auto3", "node3")
                .hosts("rhel7-auto4")
                .stoppedAtFirst("rhel7-auto4")
                .more("rhel7-auto4_start_0 on node[12]", "these have failed in the case")
                .more("rhel7-auto4_stop_0 on node1", "the first of them was recovered before")
                .more("shooter_.* on node[12]", "it makes room for each try"),
            ReplayScenarios::cannotConnect),
        of("remote-disable", "a connection is disabled", builders(), Replay::release),
        of(
            "remote-fence-unclean",
            "a host is lost",
            builders()
                .more("FAKE._monitor_0 on remote1", "it has come back, which the case ends with")
                .more("FAKE[24]_stop_0 on node.", "so that there is a better place, which is the next plan's"),
            ReplayScenarios::hostDiesAndIsSlow),
        of(
            "remote-fence-before-reconnect",
            "a host is lost that is not connected again at once",
            Part.of("c7auto1", "node1", "c7auto2", "node2", "c7auto3", "node3").hosts("c7auto4"),
            it -> hostDies(it, "c7auto4")));
  }

  /// A connection moves, or the member with it dies.
  private static List<Scenario> connections() {
    return List.of(
        of("remote-move", "a connection is banned from its member", builders(), Replay::release),
        of(
            "remote-recover-connection",
            "the member with the connections to hosts dies",
            Part.of("controller-0", "node1", "controller-1", "node2", "controller-2", "node3")
                .hosts("messaging-0", "messaging-1")
                .without("messaging-2|galera-.*", "two hosts tell what six do")
                .without("galera", "ran on these hosts")
                .without("redis(-master)?", "runs on members only")
                .more("rabbitmq_monitor_0 on messaging-1", "what is there is looked at, and found")
                .more("rabbitmq_notify_0 on messaging-0", "it might be a start, for all that is known then"),
            it -> memberDies(it, "node2")),
        of(
            "remote-connection-unrecoverable",
            "the only member dies that may have the connection",
            Shape.TWO,
            Part.of("node1", "node1", "node2", "node2")
                .hosts("remote1")
                .less("killer_.* on node2", OTHER_PARAMETERS)
                .less("rsc1_monitor_0 on node2", "node2 has been looked at long ago")
                .less("rsc1_delete_0 on remote1", "its parameters are the same all the while"),
            it -> memberDies(it, "node1")),
        of(
            "migration-behind-migrating-remote",
            "a resource leaves a host whose connection moves",
            Shape.TWO,
            Part.of("node1", "node1", "node2", "node2").hosts("remote1", "remote2"),
            Replay::release));
  }

  /// What a resource keeps is a node.
  private static List<Scenario> guests() {
    return List.of(
        of(
            "whitebox-fail2",
            "a guest's executor ends",
            Part.of("18node1", "node1", "18node2", "node2", "18node3", "node3")
                .hosts("lxc1", "lxc2")
                .less("[ABD]_monitor_0 on lxc2", "lxc2 has been looked at when it was connected")
                .more("[ABCDM]_monitor_0 on lxc1", ANEW),
            it -> executorDies(it, "lxc1")),
        of(
            "guest-node-host-dies",
            "the member that two guests run on dies",
            Shape.FIVE,
            Part.of(
                    "rhel7-1", "node1", "rhel7-2", "node2", "rhel7-3", "node3", "rhel7-4", "node4",
                    "rhel7-5", "node5")
                .hosts("lxc1", "lxc2")
                .less("Fencing_.* on node4", OTHER_PARAMETERS)
                .less("lxc[12]_monitor_0 on node.", "all have been asked when guests were new")
                .more("(rsc_rhel7-1|lxc-ms)_monitor_0 on lxc[12]", ANEW),
            it -> memberDies(it, "node1")),
        of(
            NESTED,
            "the executor ends in a replica of a bundle that runs on a remote host",
            Part.of("controller-0", "node1", "controller-1", "node2", "controller-2", "node3")
                .hosts("database-0", "galera-bundle-0")
                .word("docker", "podman")
                .without("database-[12]", "hosts of other replicas, to which nothing happens")
                .without(
                    "(rabbitmq-|redis-|haproxy-).*|messaging-.*|ip-.*|openstack-.*",
                    "have nothing to do with it")
                .without("stonith-(?!fence_ipmilan-525400aab9d9$).*", "one device is enough")
                .more("galera_monitor_0 on galera-bundle-0", ANEW),
            ReplayScenarios::replicaDies));
  }

  private static Scenario of(String name, String about, Part part, Replay.Event event) {
    return of(name, about, Shape.THREE, part, event);
  }

  private static Scenario of(
      String name, String about, Shape shape, Part part, Replay.Event event) {
    return new Scenario(
        SCENARIOS + name, about, shape, false, run -> Replay.play(run, name, part, event));
  }

  /// Three members in the order of their names, and a host.
  private static Part builders() {
    return Part.of("18builder", "node1", "18node1", "node2", "18node2", "node3").hosts("remote1");
  }

  private static void hostDies(Replay replay, String name) throws IOException {
    replay.free();
    var host = replay.host(name);
    var processes = LabProcesses.freeze(host); // so that none starts another
    replay.run().fault(() -> NodeScenarios.powerOff(replay.run(), host, processes));
  }

  /// It is connected again when everything else is done, else there would be another plan before the end of
  /// the case's.
  private static void hostDiesAndIsSlow(Replay replay) throws IOException {
    var lab = replay.run().lab();
    hostDies(replay, "remote1");
    replay.awaitBegin(LiveAction.fencing("remote1"));
    lab.hostCable("remote1", false); // before it is up again
    replay.await("all but the connection", "remote1_(start_0|monitor_60000) on .*");
    lab.hostCable("remote1", true);
  }

  private static void cannotConnect(Replay replay) throws IOException {
    var lab = replay.run().lab();
    lab.keepFrom(lab.node("node1"), "rhel7-auto4");
    lab.keepFrom(lab.node("node2"), "rhel7-auto4");
    replay.release();
    replay.awaitFailure("rhel7-auto4_start_0 on node1");
    replay.awaitFailure("rhel7-auto4_start_0 on node2");
  }

  private static void memberDies(Replay replay, String name) throws IOException {
    replay.free();
    var run = replay.run();
    var victim = run.lab().node(name);
    run.mustFence(victim);
    var processes = LabProcesses.freeze(victim);
    run.fault(() -> NodeScenarios.powerOff(run, victim, processes));
    // it comes back when everything is done, else there would be another plan before the end of the case's
    replay.awaitBegin(LiveAction.fencing(name));
    run.lab().network().cable(Run.id(victim), false);
    replay.await("as expected", "");
    run.lab().network().cable(Run.id(victim), true);
  }

  private static void executorDies(Replay replay, String name) throws IOException {
    replay.free();
    var executor = LabProcesses.only(replay.host(name), "remoted");
    replay.run().fault(executor::destroyForcibly);
  }

  private static void replicaDies(Replay replay) throws IOException {
    replay.free();
    var inside =
        LabProcesses.of(replay.host("database-0"), "remoted").stream()
            .filter(it -> LabProcesses.isInContainer(it.pid()))
            .toList();
    LabFailure.unless(inside.size() == 1, "%d executors in containers".formatted(inside.size()));
    replay.run().fault(inside.getFirst()::destroyForcibly);
  }
}
