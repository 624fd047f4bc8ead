package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.roles.live.ClusterRoles;

/// The checks of roles that look at a cluster that runs can fail. What they are shown are roles that the cluster does not have,
/// so nobody works on them.
final class SimRoleLooksTest {
  private static SimCluster cluster(String maintenance) {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3, Map.of("no-quorum-policy", "stop", "maintenance-mode", maintenance)));
    var role = SimRolePlan.xml("<role id=\"disk\" jig=\"script\"/>");
    cluster.checks().roles().plan(new SimRolePlan(false, false, false, List.of(role)));
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(3));
    return cluster;
  }

  private static ClusterRoles roles(String state, int run) {
    return SimRoleRest.read(
        """
        <cluster-roles><roles-document version="1" domain=""><jigs><jig id="script"/></jigs>
        <roles><role id="disk" jig="script" check-interval="5s" timeout="5s"/></roles>
        <nodes><node name="node2" alive="true" available="true" deployment="system"/></nodes>
        <deployments><deployment id="system"/></deployments>
        <snapshots><snapshot deployment="system" number="1" state="committed">
        <deployment-role role="disk"/>
        <noderole role="disk" node="node2" state="%s" run="%d"%s/></snapshot></snapshots></roles-document></cluster-roles>
        """
            .formatted(state, run, state.equals("error") ? " cause=\"so\"" : ""));
  }

  @Test
  void whatIsNotLookedAtAgainIsNoticed() {
    var cluster = cluster("false");
    cluster.checks().roles().see(roles("active", 1));
    for (var round = 0; round < 12; round++) {
      cluster.run(Duration.ofSeconds(8));
      cluster.checks().roles().looks().begins("disk@node2");
    }
    assertEquals(List.of(), cluster.failures());
    cluster.run(Duration.ofSeconds(24));
    assertEquals(List.of(), cluster.failures(), "others may hold it up");
    cluster.run(Duration.ofSeconds(4));
    assertEquals(Set.of(SimCheck.OVERDUE), cluster.checksFailed());
  }

  @Test
  void whatIsNotLookedAtAtRestIsNoticed() {
    var cluster = cluster("false");
    cluster.checks().roles().see(roles("error", 1));
    cluster.run(Duration.ofSeconds(2));
    cluster.checks().roles().looks().reach();
    assertEquals(List.of(), cluster.failures(), "that may be for a person");
    cluster.checks().roles().see(roles("active", 1));
    cluster.checks().roles().looks().reach();
    assertEquals(Set.of(SimCheck.OVERDUE), cluster.checksFailed());
  }

  @Test
  void aRunThatIsBegunInMaintenanceIsNoticed() {
    for (var maintenance : List.of("false", "true")) {
      var cluster = cluster(maintenance);
      cluster.run(Duration.ofSeconds(10));
      cluster.checks().roles().see(roles("transition", 1));
      var executor = new SimProcess(cluster.node("node2"), "execd", cluster.nextPid());
      cluster.checks().roles().said(executor, "notice: Jig script runs for disk@node2 (run 1)");
      cluster.run(Duration.ofSeconds(3));
      assertEquals(maintenance.equals("true") ? Set.of(SimCheck.RAN_LATE) : Set.of(), cluster.checksFailed());
    }
  }
}
