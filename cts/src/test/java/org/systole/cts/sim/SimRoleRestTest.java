package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.roles.live.ClusterRoles;

/// What roles may still do when the faults have ended, and what not.
final class SimRoleRestTest {
  private static final String GOES = "{\"test\":{\"checks\":[\"\",\"" + SimRolePlan.GONE + "\"]}}";

  private static SimCluster cluster(String... roles) {
    var cluster = RealDaemons.cluster(1, 3);
    cluster.loadCib(SimCibs.standard(3));
    cluster
        .checks()
        .roles()
        .plan(new SimRolePlan(false, false, true, List.of(roles).stream().map(SimRolePlan::xml).toList()));
    cluster.powerOnAll();
    cluster.settle(Duration.ofMinutes(3));
    return cluster;
  }

  /// While r1 is waited for, which is to be looked at later, r0 is gone.
  @Test
  void aCheckThatIsToldToFailAfterTheFaultsIsNoUnrest() {
    for (var destructive : List.of(true, false)) {
      var cluster =
          cluster(
              "<role id=\"r0\" jig=\"test\" implicit=\"true\" destructive=\"%s\" check-interval=\"10s\" timeout=\"5s\"><data>%s</data></role>"
                  .formatted(destructive, GOES),
              "<role id=\"r1\" jig=\"script\" check-interval=\"24s\" timeout=\"5s\"><requires role=\"r0\"/></role>");
      var people = new SimRoleChanges(cluster);
      people.begin();
      people.ask(cluster.node("node1"), "<propose/><bind role=\"r1\" node=\"node1\"/><commit/>");
      people.end();
      var before = errors(cluster);
      people.check();
      assertEquals(List.of(), cluster.failures());
      assertTrue(errors(cluster) > before, "r0 was not gone while r1 was waited for");
    }
  }

  private static long errors(SimCluster cluster) {
    return cluster.trace().toString().lines().filter(it -> it.contains("active -> error")).count();
  }

  private static ClusterRoles failed(String jig, String cause) {
    return SimRoleRest.read(
        """
        <cluster-roles><roles-document version="1" domain=""><jigs><jig id="script"/><jig id="test"/></jigs>
        <roles><role id="r0" jig="%s" check-interval="5s" timeout="5s"/></roles>
        <nodes><node name="node2" alive="true" available="true" deployment="system"/></nodes>
        <deployments><deployment id="system"/></deployments>
        <snapshots><snapshot deployment="system" number="1" state="committed">
        <deployment-role role="r0"/>
        <noderole role="r0" node="node2" state="error" run="1" cause="%s"/></snapshot></snapshots></roles-document></cluster-roles>
        """
            .formatted(jig, cause));
  }

  /// Roles that the cluster does not have, so nobody looks at them again.
  @Test
  void aPlannedFaultHasToPassByItself() {
    var cluster = cluster("<role id=\"r0\" jig=\"test\"/>");
    var rest = new SimRoleRest(cluster);
    cluster.checks().roles().see(failed("script", "its check failed: /srv is not mounted"));
    assertEquals(false, rest.hasOnlyPlannedFaults(), "all steps work by now");
    cluster.checks().roles().see(failed("test", "its check failed: " + SimRolePlan.GONE));
    assertTrue(rest.hasOnlyPlannedFaults());
    assertEquals(List.of(), cluster.failures());
    rest.plannedFaultsPass();
    assertEquals(Set.of(SimCheck.NOT_AT_REST), cluster.checksFailed());
  }
}
