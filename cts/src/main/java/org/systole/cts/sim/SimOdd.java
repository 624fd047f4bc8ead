package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.systole.common.xml.Element;

/// What an odd life is about: what administrators seldom do, or agents seldom answer, and what is hardly
/// ever drawn at the moment when it could do harm. Seeds have them in turn.
enum SimOdd {
  /// The life is about nothing odd.
  NONE,
  /// Resources are watched by no recurring monitor.
  UNMONITORED,
  /// What runs on a remote node is removed, or gets another agent, while nobody is connected to that.
  ABSENT,
  /// Fencing is switched off and on while nodes are parted.
  PARTED,
  /// Live migrations there, back and there again, given up or broken into half way.
  MIGRATIONS,
  /// Probes fail, on nodes that are fresh, gated, or no members.
  PROBES,
  /// A bundle's image, replicas and ports change while it runs.
  CONTAINERS,
  /// Tickets are revoked, with all that may become of who needs them, while nodes are parted.
  TICKETS,
  /// Clones are made larger and smaller while nodes are lost.
  CLONES,
  /// People take away what the CIB knows of a node that is stopped, lost, or works.
  FORGOTTEN,
  /// A file of a node is gone or damaged when it comes back, and nodes may be left out by `last_man_standing`.
  FILES;

  private static final int NODES_MAX = 5;
  private static final int REPLICAS_MAX = 3;

  static SimOdd of(long seed) {
    return values()[1 + (int) Math.floorMod(seed, values().length - 1L)];
  }

  /// How many nodes there are, of those drawn.
  int nodes(int drawn, long seed) {
    if (!quorum(seed).isEmpty()) {
      return NODES_MAX;
    }
    return this == PARTED && random(seed, 0).nextInt(3) > 0 ? 2 : Math.clamp(drawn, 3, NODES_MAX);
  }

  SimOptions options(SimOptions drawn, long seed) {
    var hosts =
        switch (this) {
          case ABSENT -> 1 + random(seed, 1).nextInt(2);
          case UNMONITORED -> Math.min(1, random(seed, 1).nextInt(3));
          case PROBES, FORGOTTEN -> random(seed, 1).nextInt(2);
          default -> 0;
        };
    return new SimOptions(
        Map.of(),
        this != PARTED, // whoever takes over then may find the other one's resources
        this == MIGRATIONS || drawn.migrates(),
        this == CLONES,
        this == TICKETS,
        this == MIGRATIONS ? Map.of() : drawn.defaults(),
        hosts);
  }

  /// What the files say of the quorum, besides.
  Map<String, String> quorum(long seed) {
    return this == FILES && random(seed, 5).nextBoolean() ? SimStanding.always(seed) : Map.of();
  }

  /// The guests of such a life.
  SimInside inside(long seed) {
    return switch (this) {
      case MIGRATIONS -> new SimInside(random(seed, 2).nextBoolean(), true, 0, false, false);
      case CONTAINERS -> new SimInside(false, false, REPLICAS_MAX, random(seed, 2).nextBoolean(), false);
      default -> SimInside.NOTHING;
    };
  }

  SimRolePlan roles(long seed) {
    return this == PROBES && random(seed, 3).nextBoolean() ? SimRolePlan.forced(seed) : SimRolePlan.NONE;
  }

  private RandomGenerator random(long seed, int use) {
    return new SplittableRandom(seed * 0xD1342543DE82EF95L + 43 + use);
  }

  /// The configuration, as it is in such a life.
  Element into(Element cib, int nodes, long seed) {
    var random = random(seed, 4);
    return switch (this) {
      case UNMONITORED -> unmonitored(cib, random, true);
      case ABSENT -> onHost(cib);
      case TICKETS -> changed(cib, "needs", Map.of("loss-policy", random.nextInt(3) > 0 ? "fence" : "demote"));
      case CLONES -> sized(cib, nodes, random.nextInt(3) == 0);
      default -> cib;
    };
  }

  /// Most primitives have no monitor any more, fence devices set aside.
  private static Element unmonitored(Element of, RandomGenerator random, boolean drawn) {
    var strips = of.is("primitive") ? !of.get("class", "").equals("stonith") && random.nextInt(4) > 0 : drawn;
    var kept = new ArrayList<Element>();
    for (var child : of.children()) {
      if (!(of.is("operations") && strips && child.get("name", "").equals("monitor"))) {
        kept.add(unmonitored(child, random, strips));
      }
    }
    return of.withChildren(kept);
  }

  private static Element onHost(Element cib) {
    var changed = cib;
    for (var resource : new String[] {"a", "g"}) {
      var there =
          Element.of(
              "rsc_location", "id", resource + "-far", "rsc", resource, "node", SimOptions.host(1), "score", "100");
      changed = SimInside.with(changed, "constraints", there);
    }
    return changed;
  }

  private static Element sized(Element cib, int nodes, boolean unique) {
    var meta = new TreeMap<String, String>();
    meta.put("clone-max", String.valueOf(nodes));
    meta.put("clone-node-max", "1");
    meta.put("globally-unique", String.valueOf(unique));
    var set = Element.builder("meta_attributes").attr("id", "each-meta");
    meta.forEach((name, value) -> set.add(Element.of("nvpair", "id", "each-" + name, "name", name, "value", value)));
    return inserted(cib, "each-clone", set.build());
  }

  private static Element inserted(Element of, String id, Element first) {
    if (id.equals(of.id())) {
      return of.insert(0, first);
    }
    return of.withChildren(of.children().stream().map(it -> inserted(it, id, first)).toList());
  }

  private static Element changed(Element of, String id, Map<String, String> attributes) {
    var now = of;
    if (id.equals(of.id())) {
      for (var each : new TreeMap<>(attributes).entrySet()) {
        now = now.with(each.getKey(), each.getValue());
      }
      return now;
    }
    return now.withChildren(now.children().stream().map(it -> changed(it, id, attributes)).toList());
  }
}
