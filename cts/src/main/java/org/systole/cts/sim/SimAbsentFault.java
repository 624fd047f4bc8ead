package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.xml.Element;

/// What runs on a remote node is changed while nobody is connected to that.
final class SimAbsentFault extends SimOddDeeds {
  SimAbsentFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  /// A resource is brought onto a remote node, the connection is lost, and the resource is removed or
  /// gets another agent before it is back.
  void happen() {
    var host = one(cluster.hosts());
    var brought = random.nextBoolean() || !host.activeResources().contains("a");
    var what = brought ? "extra" + (1 + random.nextInt(REPLICAS_MAX)) : "a";
    if (brought) {
      changes.extrasToo();
      ask(CibOp.put("configuration", withPlace(SimCibs.resource(what), location(what, host))));
      cluster.runUntil(() -> host.activeResources().contains(what), Duration.ofSeconds(20));
      cluster.run(Duration.ofNanos(random.nextLong(one(List.of(MILLI, 3 * SECOND)))));
    }
    lost(host);
    var removed = brought && random.nextBoolean();
    var kind = "absent, " + (removed ? "removed" : "another agent");
    after(
        random.nextLong(one(List.of(SECOND, 4 * SECOND, 10 * SECOND))),
        () -> whenSomebodyIsUp(() -> {
          bites.count(kind, isAway(host) && host.activeResources().contains(what));
          ask(
              removed
                  ? CibOp.deleteAllXPath("//rsc_location[@rsc=%1$s]|//primitive[@id=%1$s]".formatted(CibXPath.literal(what)))
                  : CibOp.put("resources", otherAgent(what)));
          if (random.nextInt(3) == 0) {
            after(upTo(4), this::cleanUp);
          }
        }));
    cluster.run(Duration.ofSeconds(15 + random.nextInt(30)));
  }

  /// In one request: it is started nowhere else.
  private static Element withPlace(Element resource, Element constraint) {
    return Element.builder("configuration")
        .add(Element.builder("resources").add(resource).build())
        .add(Element.builder("constraints").add(constraint).build())
        .build();
  }

  /// Whether no member is connected to it, or what they say does not come through.
  private boolean isAway(SimNode host) {
    return host.isLinkStopped()
        || cluster.streams().connectedTo(host, 0).stream()
            .noneMatch(it -> cluster.network().hear(cluster.node(it), host));
  }

  private void whenSomebodyIsUp(Runnable task) {
    if (cluster.nodes().stream().anyMatch(it -> it.isPowered() && it.cib() != null)) {
      task.run();
    } else {
      after(SECOND / 4, () -> whenSomebodyIsUp(task));
    }
  }

  /// It is the same resource for who goes by names, and another thing for agents.
  private Element otherAgent(String id) {
    var cib = dc().cib();
    var now = cib == null ? null : cib.find(it -> it.is("primitive") && id.equals(it.id()));
    Element other;
    do {
      other =
          Element.of(
              "primitive",
              "id",
              id,
              "class",
              "ocf",
              "provider",
              one(List.of("pacemaker", "heartbeat")),
              "type",
              one(List.of("Dummy", "Other")));
    } while (now != null && same(now, other, "provider") && same(now, other, "type"));
    return other;
  }

  private static boolean same(Element one, Element other, String attribute) {
    return one.get(attribute, "").equals(other.get(attribute, ""));
  }

  /// Nobody is connected to it for a while.
  private void lost(SimNode host) {
    var member = connectedTo(host);
    switch (random.nextInt(8)) {
      case 0, 1 -> cutOff(host, 5 * SECOND + upTo(35));
      case 2 -> member.powerOff();
      case 3 -> host.kill("remoted");
      case 4 -> host.hang("remoted", upTo(30));
      case 5 -> {
        host.kill("remoted");
        member.powerOff();
      }
      case 6 -> {
        cutOff(host, 5 * SECOND + upTo(15));
        after(upTo(5), member::powerOff);
      }
      default -> cluster.nodes().forEach(SimNode::powerOff);
    }
    if (!member.isPowered()) {
      cluster.nodes().forEach(it -> it.powerOnAfter(SECOND + upTo(8)));
    }
  }
}
