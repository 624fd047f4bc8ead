package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// Lives in which connections move.
final class SimMovesTest {
  private final SimCluster cluster = RealDaemons.cluster(2, 3);
  private final SimBites bites = new SimBites(cluster);

  SimMovesTest() {
    var options = SimFocus.MOVES.options(SimOptions.USUAL);
    for (var host = 1; host <= options.hosts(); host++) {
      cluster.addHost(SimOptions.host(host));
    }
    cluster.loadCib(SimCibs.random(3, Map.of("no-quorum-policy", "stop"), options));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
  }

  private void happen() {
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    var random = new SplittableRandom(5);
    for (var fault = 0; fault < 3; fault++) {
      new SimMoveFault(cluster, random, changes, bites).happen();
    }
  }

  @Test
  void connectionsMoveWhileSomethingIsUnderWayAndNobodyWaitsInVain() {
    happen();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    var struck = bites.counts().values().stream().mapToInt(SimBites.Count::struck).sum();
    assertTrue(struck > 0, bites.counts()::toString);
    assertEquals("[]", cluster.failures().toString());
  }

  @Test
  void aDcThatWaitsInVainIsFound() {
    happen();
    cluster.checks().said("controld", "error: No result of a_start_0 from node1 in time");
    assertTrue(cluster.failures().toString().contains("waits-in-vain"), cluster.failures().toString());
  }

  @Test
  void remoteNodesAreRemovedStepByStepAndAddedAgain() {
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    var random = new SplittableRandom(7);
    for (var fault = 0; fault < 4; fault++) {
      new SimRemovalFault(cluster, random, changes, bites).happen();
    }
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    assertTrue(bites.counts().keySet().stream().anyMatch(it -> it.startsWith("removed in order")), bites.counts()::toString);
    assertEquals("[]", cluster.failures().toString());
  }

  @Test
  void aHostThatIsFencedThoughItWasStoppedInOrderIsFound() {
    var host = cluster.hosts().getFirst();
    var removals = cluster.checks().removals();
    removals.fences("reboot", host.name());
    removals.begin(host);
    removals.fences("monitor", host.name());
    removals.fences("reboot", "node1");
    assertEquals("[]", cluster.failures().toString());

    removals.fences("reboot", host.name());

    assertTrue(cluster.failures().toString().contains("removed-host"), cluster.failures().toString());
  }

  @Test
  void aHostThatIsFencedForItsConnectionThoughItIsWellIsFound() {
    var host = cluster.hosts().getFirst();
    var planned = "notice: Actions: Fence (reboot) %s '%s'".formatted(host.name(), "remote connection is unrecoverable");
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    host.resetConnections(); // with a cause, that is
    isFenced(host, planned);
    assertEquals("[]", cluster.failures().toString());
    cluster.run(Duration.ofMinutes(2)); // it is fenced for that, and back
    assertEquals(Set.of(), cluster.checksFailed());
    wellHostsHear(dc(), "controld", "notice: Requesting fencing (reboot) of node " + host.name()); // a person, that is
    host.agentFault("a", "stop", List.of("fails"));
    isFenced(host, planned.replace("remote connection is unrecoverable", "a failed there"));
    assertEquals("[]", cluster.failures().toString());

    isFenced(host, planned);

    assertTrue(cluster.failures().toString().contains("well-host"), cluster.failures().toString());
  }

  @Test
  void aConnectionThatFailsThoughBothAreWellIsFound() {
    var host = cluster.hosts().getFirst();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    var failed = "error: Result of %s_start_0 on node1: %s";
    host.resetConnections();
    says("node1", "controld", failed.formatted(host.name(), "Error (lost again at once: reset)")); // with a cause, that is
    cluster.run(Duration.ofMinutes(2)); // it is fenced for that, and back
    says("node1", "controld", failed.formatted(host.name(), "Error (it was stopped before it was there)"));
    says("node2", "controld", failed.formatted(host.name(), "Timed out (refused)")); // of another one
    says("node1", "controld", failed.formatted("a", "Error (so)"));
    assertEquals("[]", cluster.failures().toString());

    says("node1", "controld", failed.formatted(host.name(), "Timed out (refused)"));

    assertTrue(cluster.failures().toString().contains("fails (Timed out (refused))"), cluster.failures().toString());
  }

  @Test
  void aHostThatIsFencedWhileNobodyHasFailedToConnectIsFound() {
    var host = cluster.hosts().getFirst();
    for (var member : cluster.nodes()) {
      cluster.cut(member.name(), host.name());
      cluster.cut(host.name(), member.name());
      member.powerOff();
    }
    cluster.nodes().forEach(SimNode::powerOn);
    assertTrue(cluster.runUntil(() -> cluster.nodes().stream().anyMatch(SimNode::isDc), Duration.ofMinutes(1)));
    cluster.run(Duration.ofSeconds(5)); // it is being tried
    var dc = dc();
    isFencedByPlan(dc, host, "a failed there");
    isFencedByPlan(dc, host, "node is unclean"); // nobody hears it
    assertEquals("[]", cluster.failures().toString());
    cluster.heal();
    says(dc, "controld", "notice: Requesting fencing (reboot) of node " + host.name()); // a person, that is
    assertEquals("[]", cluster.failures().toString());

    isFencedByPlan(dc, host, "node is unclean");

    assertTrue(cluster.failures().toString().contains("nobody has tried to connect to it in vain"), cluster.failures().toString());
  }

  private void isFencedByPlan(String dc, SimNode host, String why) {
    says(dc, "schedulerd", "notice: Actions: Fence (reboot) %s '%s'".formatted(host.name(), why));
    says(dc, "schedulerd", "notice: Calculated transition 7 (with warnings)");
    says(dc, "controld", "notice: Requesting fencing (reboot) of node " + host.name());
    says(dc, "schedulerd", "notice: Calculated transition 8");
  }

  private void says(String node, String daemon, String text) {
    cluster.checks().reachableHosts().said(Objects.requireNonNull(cluster.node(node).process(daemon)), text);
  }

  private void isFenced(SimNode host, String planned) {
    isFenced(dc(), host, planned);
  }

  private void isFenced(String by, SimNode host, String planned) {
    wellHostsHear(by, "schedulerd", planned);
    wellHostsHear(by, "controld", "notice: Requesting fencing (reboot) of node " + host.name());
  }

  private String dc() {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElseThrow().name();
  }

  private void wellHostsHear(String node, String daemon, String text) {
    cluster.checks().wellHosts().said(Objects.requireNonNull(cluster.node(node).process(daemon)), text);
  }

  @Test
  void whoIsCutOffFromTheMemberWithTheConnectionMayFenceItsHostBeforeItIsSeenToBeDc() {
    var host = cluster.hosts().getFirst();
    cluster.run(Duration.ofMinutes(1));
    var connected = cluster.streams().connectedTo(host, 0).iterator().next();
    var other = cluster.nodes().stream().map(SimNode::name).filter(it -> !it.equals(connected) && !it.equals(dc())).findFirst().orElseThrow();
    cluster.cut(connected, other);
    cluster.cut(other, connected);
    var planned = "notice: Actions: Fence (reboot) %s '%s'".formatted(host.name(), "resources are active but connection is unrecoverable");
    isFenced(other, host, planned);
    assertEquals("[]", cluster.failures().toString());

    isFenced(host, planned);

    assertTrue(cluster.failures().toString().contains("well-host"), cluster.failures().toString());
  }

  @Test
  void aHostOfWhichSomethingIsLeftIsFound() {
    var host = cluster.hosts().getFirst();

    cluster.checks().removals().end(host);

    var found = cluster.failures().toString();
    assertTrue(found.contains("removed-host") && found.contains("a node_state, a primitive"), found);
  }

  @Test
  void aConnectionThatTheCibDoesNotKnowOfIsFound() {
    var host = cluster.hosts().getFirst();
    cluster.run(Duration.ofMinutes(1));
    cluster.checks().connections();
    assertEquals(Set.of(), cluster.checksFailed());

    cluster.update("node1", List.of(CibOp.put("status", Element.of("node_state", "id", host.name(), "in_ccm", "0"))), _ -> {});
    cluster.run(Duration.ofSeconds(1));
    cluster.checks().connections();

    assertEquals(Set.of(SimCheck.MISPLACED), cluster.checksFailed());
  }

  /// The member that had given it away forgot that it had, and wrote that nobody is connected.
  @Test
  void aConnectionThatMovesWhileAllIsRefreshedIsKnown() {
    var host = cluster.hosts().getFirst();
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    for (var to : cluster.nodes()) {
      bites.await(
          "moving, all is refreshed",
          (_, text) -> {
            var now = text.contains("Result of %s_migrate_from_0".formatted(host.name()));
            if (now) {
              cluster.queue().after(1, () -> changes.cleanUp(cluster.node("node1"), _ -> {}));
            }
            return now;
          });
      changes.ask(cluster.node("node1"), CibOp.put("constraints", SimOddDeeds.location(host.name(), to)));
      assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
      cluster.run(Duration.ofMinutes(1)); // else it could be a visit
      cluster.checks().connections();
      assertEquals("[]", cluster.failures().toString());
    }
    assertTrue(bites.counts().get("moving, all is refreshed").struck() > 0, bites.counts()::toString);
  }

  /// Nobody knew any more that a member is connected to it, and what still ran there was started elsewhere.
  @Test
  void whatRunsOnARemoteNodeThatIsTakenOutIsStoppedBeforeItIsStartedElsewhereThoughAllIsRefreshed() {
    var host = cluster.hosts().getFirst();
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    changes.ask(cluster.node("node1"), CibOp.put("constraints", SimOddDeeds.location("g", host)));
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    assertTrue(host.activeResources().containsAll(List.of("g1", "g2")), host.activeResources()::toString);

    host.agentFault("g2", "stop", List.of("takes", "PT3S"));
    changes.ask(cluster.node("node1"), CibOp.deleteAllXPath("//primitive[@id='%1$s']|//rsc_location[@rsc='%1$s' or @node='%1$s']".formatted(host.name())));
    cluster.run(Duration.ofSeconds(1));
    changes.cleanUp(cluster.node("node1"), _ -> {});

    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    assertEquals(List.of(), host.activeResources());
    assertEquals(1, cluster.resourceOn("g1").size());
    assertEquals("[]", cluster.failures().toString());
  }

  @Test
  void peopleDoMoreBesideAFaultWhichIsToldLikeAnyOtherDeed() {
    var changes = new SimChanges(cluster, new SimPromises(cluster));
    var beside = new SimBeside(cluster, new SplittableRandom(3), changes, bites, 100);
    beside.begin();
    cluster.story().begin();
    for (var fault = 0; fault < 20; fault++) {
      cluster.loss(0.01); // whatever is done
      cluster.run(Duration.ofSeconds(4));
    }
    var deeds = cluster.story().deeds().stream().map(SimStory.Deed::step).filter(it -> !it.startsWith("loss")).toList();
    assertEquals(20, deeds.size(), deeds::toString);
    for (var kind : List.of("cleanup node\\d all .*", "cleanup node\\d far\\d .*", "change node\\d .*ban-far.*", "change node\\d put nodes .*")) {
      assertTrue(deeds.stream().anyMatch(it -> it.matches(kind)), () -> kind + " is not among " + deeds);
    }

    cluster.story().end();
    beside.end();
    var again = new SimScript(cluster);
    deeds.forEach(again::again);
    cluster.run(Duration.ofSeconds(4));

    assertTrue(cluster.trace().lines().stream().anyMatch(it -> it.contains("refresh of far1 on ") && it.endsWith("Done[]")), "it is answered");
    assertTrue(cluster.settle(Duration.ofMinutes(3)), cluster.unsettled()::toString);
    assertEquals("[]", cluster.failures().toString());
  }
}
