package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HostOrder;

/// What people do about hosts, as by `crm_hostha`, and how they clean up in the end.
final class SimHostPeople {
  private static final Duration WELL_WITHIN = Duration.ofMinutes(12);
  private static final Duration TRY = Duration.ofSeconds(5);

  private SimHostPeople() {}

  /// Asks a member for something about a host.
  static void order(SimCluster cluster, SimNode asker, SimNode host, HostOrder what) {
    var word = what.name().toLowerCase(Locale.ROOT);
    cluster.note("%s: crm_hostha --%s %s".formatted(asker, word, host));
    cluster
        .story()
        .deed("hostha %s %s %s".formatted(asker, host, word), () -> ask(cluster, asker, host, what));
  }

  private static void ask(SimCluster cluster, SimNode asker, SimNode host, HostOrder what) {
    if (what == HostOrder.RECOVER || what == HostOrder.FENCE || what == HostOrder.CONFIRM) {
      cluster.hostChecks().forced(host);
    }
    cluster.ask(
        asker.name(),
        CtlMessage.SOCKET,
        CtlMessage.PROTOCOL,
        new CtlMessage.OrderHost(new NodeName(host.name()), what, "a person looks at it"),
        answer -> cluster.note("%s %s: %s".formatted(host, what, answer)));
  }

  /// Sets one of host HA's settings.
  static void set(SimCluster cluster, SimNode asker, String name, String value) {
    var set =
        Element.of("cluster_property_set", "id", "cib-bootstrap-options")
            .withChildren(
                List.of(Element.of("nvpair", "id", "ha-" + name, "name", name, "value", value)));
    var change = CibOp.put("crm_config", set);
    cluster.note("%s: %s is set to %s".formatted(asker, name, value));
    cluster
        .story()
        .deed(
            "change %s %s".formatted(asker, SimDeeds.told(change)),
            () -> cluster.update(asker.name(), List.of(change), _ -> {}));
  }

  /// Writes what survives of a host, as who puts a backup's nodes in the place of those that are there.
  static void record(SimCluster cluster, SimNode asker, SimNode host, String text) {
    cluster.note("%s: the record of %s is set to '%s'".formatted(asker, host, text));
    attribute(cluster, asker, host, "host-ha", HostStatus.RECORD, text);
  }

  /// Puts a host into maintenance, as for good.
  static void maintain(SimCluster cluster, SimNode asker, SimNode host) {
    cluster.note("%s: %s is put into maintenance".formatted(asker, host));
    attribute(cluster, asker, host, "maintenance", "maintenance", "true");
  }

  private static void attribute(
      SimCluster cluster, SimNode asker, SimNode host, String idPart, String name, String text) {
    var id = cluster.hosts().contains(host) ? host.name() : Integer.toString(host.id());
    var pair =
        Element.of("nvpair", "id", "nodes-%s-%s".formatted(id, idPart), "name", name, "value", text);
    var node =
        Element.builder("node")
            .attr("id", id)
            .attr("uname", host.name())
            .attr("type", cluster.hosts().contains(host) ? "remote" : null)
            .add(Element.builder("instance_attributes").attr("id", "nodes-" + id).add(pair))
            .build();
    var change = CibOp.put("nodes", node);
    cluster
        .story()
        .deed(
            "change %s %s".formatted(asker, SimDeeds.told(change)),
            () -> cluster.update(asker.name(), List.of(change), _ -> {}));
  }

  /// Takes back what people have set and ordered.
  ///
  /// A fence device that failed to start on a member is cleaned up: the members who cannot use it do not see
  /// the power of hosts.
  static void restore(SimCluster cluster, SimHostHa plan, SimChanges changes) {
    cluster.runUntil(() -> someone(cluster) != null, WELL_WITHIN);
    var asker = someone(cluster);
    if (asker != null) {
      var before = plan.settings();
      for (var name : SimHostLife.CHANGED) {
        set(cluster, asker, name, before.getOrDefault(name, ""));
      }
      cluster.hosts().forEach(it -> order(cluster, asker, it, HostOrder.RELEASE));
      changes.cleanUp(asker, _ -> {});
    }
  }

  private static @Nullable SimNode someone(SimCluster cluster) {
    return cluster.nodes().stream()
        .filter(it -> it.cib() != null && !cluster.dcs().isEmpty())
        .findFirst()
        .orElse(null);
  }

  /// Cleans up after hosts until host HA holds all of them for available.
  ///
  /// @return whether it came to that
  static boolean makeWell(SimCluster cluster) {
    var end = cluster.now().plus(WELL_WITHIN);
    while (cluster.now().compareTo(end) < 0) {
      var left =
          cluster.hosts().stream()
              .filter(it -> !cluster.hostChecks().stateOf(it).equals("AVAILABLE"))
              .toList();
      if (left.isEmpty() && cluster.unsettled().isEmpty()) {
        return true;
      }
      left.forEach(it -> cleanUp(cluster, it));
      cluster.run(TRY);
    }
    if (!cluster.unsettled().isEmpty()) {
      cluster.fail(
          SimCheck.NOT_AT_REST,
          "the cluster did not come to rest with its hosts: " + cluster.unsettled());
    }
    for (var host : cluster.unsettled().isEmpty() ? cluster.hosts() : List.<SimNode>of()) {
      cluster.hostChecks().state(host, List.of("AVAILABLE"), "nothing is the matter with it");
    }
    return false;
  }

  private static void cleanUp(SimCluster cluster, SimNode host) {
    var asker = someone(cluster);
    if (asker == null) {
      return;
    }
    host.powerOn();
    if (!host.isRunning() && !host.isComing()) {
      host.startClusterSoon();
    }
    switch (cluster.hostChecks().stateOf(host)) {
      case "FENCED" -> order(cluster, asker, host, HostOrder.CLEAR);
      case "INELIGIBLE" ->
          cluster.update(
              asker.name(),
              List.of(
                  CibOp.deleteAllXPath(
                      "//nodes/node[@uname=%s]/instance_attributes/nvpair[@name='maintenance']"
                          .formatted(CibXPath.literal(host.name())))),
              _ -> {});
      default -> {}
    }
  }
}
