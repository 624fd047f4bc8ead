package org.systole.cts.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.systole.cts.local.LocalNode;

/// Nodes with two networks between them: one of them costs nothing.
final class LinkScenarios {
  private static final int LINKS = 2;
  private static final int TOKENS = 3;
  private static final int FLAPS = 8;

  /// Shorter, and longer, than it takes to notice that a link is gone.
  private static final List<Long> FLAP_MILLIS = List.of(150L, 900L);

  private LinkScenarios() {}

  static List<Scenario> all() {
    return List.of(
        scenario("links-one", "the cable of a node to one of two networks is cut", it -> one(it, 0)),
        scenario("links-other", "the cable to the other network is", it -> one(it, 1)),
        scenario(
            "links-network", "one of two networks is gone for all nodes", LinkScenarios::network),
        scenario(
            "links-flapping",
            "a cable has a loose contact, then the other one is cut",
            LinkScenarios::flapping),
        scenario("links-both", "both cables of a node are cut", LinkScenarios::both),
        scenario(
            "links-rejected",
            "a node's firewall begins to reject what the others send",
            LinkScenarios::rejected));
  }

  private static Scenario scenario(String name, String about, Scenario.Story story) {
    return new Scenario(name, about, Shape.LINKS, false, story);
  }

  private static void one(Run run, int link) throws IOException {
    var victim = run.victim(true);
    var witness = run.others(victim).getFirst();
    var before = ring(witness);
    run.fault(() -> run.lab().network().cable(Run.id(victim), link, false));
    awaitLink(run, "noticed", witness, victim, link, false);
    nothingHappens(run, witness, before);
    run.fault(() -> run.lab().network().cable(Run.id(victim), link, true));
    awaitLink(run, "back", witness, victim, link, true);
    nothingHappens(run, witness, before);
  }

  /// Broken and refused connections look like those to a process that has ended. This one has not, and
  /// the others have to wait for the end of its lease. Links that are probed are broken at once.
  private static void rejected(Run run) throws IOException {
    var victim = run.victim(false);
    var majority = run.others(victim);
    run.mustFence(victim);
    var before = LabLogs.waits(majority);
    run.fault(
        () -> {
          for (var it : majority) {
            run.lab().network().reject(Run.id(it), Run.id(victim));
          }
        });
    run.awaitDetection(majority.getFirst(), victim);
    run.awaitRecovery(majority);
    LabFailure.unless(
        LabLogs.waits(majority) > before,
        "the process on %s was taken for ended by nodes that its firewall rejects"
            .formatted(victim.name()));
    var names = Run.names(majority);
    var stopped =
        run.lab().evidence().deeds(run.since()).stream()
            .filter(it -> it.deed().equals("stopping") && it.resource().equals("everywhere") && names.contains(it.node()))
            .toList();
    LabFailure.unless(stopped.isEmpty(), "stopped for want of a quorum that was about to come: " + stopped);
    run.lab().network().heal();
  }

  private static void network(Run run) throws IOException {
    var witness = run.victim(false);
    var before = ring(witness);
    run.fault(() -> cables(run, 0, false));
    for (var other : run.others(witness)) {
      awaitLink(run, "noticed", witness, other, 0, false);
    }
    nothingHappens(run, witness, before);
    run.fault(() -> cables(run, 0, true));
    for (var other : run.others(witness)) {
      awaitLink(run, "back", witness, other, 0, true);
    }
    nothingHappens(run, witness, before);
  }

  private static void cables(Run run, int link, boolean whole) throws IOException {
    for (var id = 1; id <= run.lab().shape().nodes(); id++) {
      run.lab().network().cable(id, link, whole);
    }
  }

  private static void flapping(Run run) throws IOException {
    var victim = run.victim(false);
    var id = Run.id(victim);
    var witness = run.others(victim).getFirst();
    var before = ring(witness);
    run.fault(() -> run.lab().network().cable(id, 0, false));
    for (var flap = 0; flap < FLAPS; flap++) {
      var next = run.patience((flap + 1) * FLAP_MILLIS.get(flap % FLAP_MILLIS.size()));
      Lab.awaitProcess("the next flap", next);
      run.lab().network().cable(id, 0, flap % 2 == 0);
    }
    run.lab().network().cable(id, 0, true);
    awaitLink(run, "back", witness, victim, 0, true);
    nothingHappens(run, witness, before);
    run.fault(() -> run.lab().network().cable(id, 1, false));
    awaitLink(run, "noticed", witness, victim, 1, false);
    nothingHappens(run, witness, before);
    run.lab().network().cable(id, 1, true);
    awaitLink(run, "healed", witness, victim, 1, true);
  }

  private static void both(Run run) throws IOException {
    var victim = run.victim(true);
    var majority = run.others(victim);
    run.mustFence(victim);
    run.fault(
        () -> {
          for (var link = 0; link < LINKS; link++) {
            run.lab().network().cable(Run.id(victim), link, false);
          }
        });
    run.awaitDetection(majority.getFirst(), victim);
    run.awaitRecovery(majority);
    for (var link = 0; link < LINKS; link++) {
      run.lab().network().cable(Run.id(victim), link, true);
    }
  }

  /// So long that a token could have been lost three times: no other membership, nobody moved or fenced.
  private static void nothingHappens(Run run, LocalNode witness, String before) throws IOException {
    Lab.awaitProcess(
        "time enough", run.patience(TOKENS * run.lab().shape().tokenMillis()));
    run.nothingHappened();
    var after = ring(witness);
    LabFailure.unless(after.equals(before), "the membership changed: " + before + ", then " + after);
  }

  /// What `corosync-quorumtool` calls the membership.
  static String ring(LocalNode node) throws IOException {
    return Lab.succeed(node, "corosync-quorumtool", "-s")
        .output()
        .lines()
        .filter(it -> it.startsWith("Ring ID:"))
        .findFirst()
        .orElseThrow(() -> new LabFailure("corosync-quorumtool names no membership"));
  }

  private static void awaitLink(
      Run run, String time, LocalNode witness, LocalNode other, int link, boolean connected) {
    var state = connected ? "connected" : "disconnected";
    run.await(
        time,
        "link %d from %s to %s %s".formatted(link, witness.name(), other.name(), state),
        () -> state(witness, other, link).equals(state));
  }

  private static String state(LocalNode witness, LocalNode other, int link) {
    try {
      var isMeant = false;
      for (var line : witness.run("corosync-cfgtool", "-s").output().lines().toList()) {
        if (line.startsWith("LINK ID ")) {
          isMeant = line.startsWith("LINK ID " + link + " ");
        } else if (isMeant && line.strip().matches("nodeid: +" + Run.id(other) + ":.*")) {
          return line.substring(line.lastIndexOf(':') + 1).strip();
        }
      }
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
