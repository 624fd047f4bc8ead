package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Watches the cluster's one order and its quorum through a group of its own. What two nodes were
/// delivered in the same membership, they were delivered in the same sequence. Nodes that go from
/// one membership to the next together were delivered the same messages in the first. Two sides
/// never have quorum at the same time, and a node that is left out has none beside the others.
///
/// A node that is behind is not left out. The members of one membership install the next one at
/// different moments, and a node whose line is cut before it hears of the next has quorum in the
/// former one until its lease expires. The former one does not know which nodes came with the next;
/// that is no conflict. Nothing of the next counts as agreed to by the node that is behind, and the
/// others wait for it before they go on without it.
final class SimOrder {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private static final int EACH_TIME = 3;

  /// Longer than an event takes from a link to a looker-on.
  private static final long TOLERANCE = 100_000_000;

  private final SimCluster cluster;
  private final Map<String, LinkedHashSet<Heard>> heard = new LinkedHashMap<>();
  private final Map<String, Membership> present = new LinkedHashMap<>();
  private final Map<String, Membership> quorate = new LinkedHashMap<>();
  private final Map<String, Long> since = new HashMap<>(); // a node hears of its membership
  private final Map<String, Long> conflictSince = new HashMap<>();
  private final Map<String, Stretch> stretches = new LinkedHashMap<>();
  private long lastMessage;
  private boolean looked; // at what is claimed, since that changed last
  private boolean apart; // whether one was left out then

  SimOrder(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// Takes part on a node from inside a process of it.
  void join(SimNode node, SimProcess process, World world) {
    var part = new Part(node, world);
    process.onEnd(
        (_, _) -> {
          claim(node.name(), null);
          present.remove(node.name());
          since.remove(node.name());
        });
    part.group.open();
    world.after(EVERY, part::speak);
  }

  /// The names of the members a node last heard of, sorted; empty if it hears nothing.
  List<String> members(SimNode node) {
    var membership = present.get(node.name());
    return membership == null
        ? List.of()
        : membership.members().stream().map(it -> it.name().text()).sorted().toList();
  }

  /// The number of the membership a node last heard of, 0 if it hears nothing.
  long membership(SimNode node) {
    var membership = present.get(node.name());
    return membership == null ? 0 : membership.number();
  }

  /// For how long a node has had the membership that it last heard of.
  Duration age(SimNode node) {
    var now = cluster.queue().now();
    return Duration.ofNanos(now - since.getOrDefault(node.name(), now));
  }

  /// Whether a node last heard that it has quorum.
  boolean isQuorate(SimNode node) {
    return quorate.containsKey(node.name());
  }

  /// Nobody hears anything of a node that is not running.
  void everyMoment() {
    if (looked && conflictSince.isEmpty() && !apart) {
      return; // what was no conflict is none
    }
    if (cluster.quorumOption("two_node").equals("1")) {
      return; // each of the two has quorum; fencing decides
    }
    looked = true;
    apart = false;
    var claims = new ArrayList<>(quorate.entrySet());
    for (var one : claims) {
      for (var two : claims) {
        if (one.getKey().compareTo(two.getKey()) < 0) {
          compare(one.getKey(), one.getValue(), two.getKey(), two.getValue());
        }
      }
    }
  }

  private void compare(String one, Membership first, String two, Membership second) {
    var key = one + " " + two;
    var leftOut =
        first.number() < second.number()
            ? isLeftOut(one, first, second)
            : isLeftOut(two, second, first);
    apart |= leftOut;
    // Who hears nothing because the node or its link stands still cannot be told of a loss either.
    var awake =
        leftOut && !cluster.node(one).isLinkStopped() && !cluster.node(two).isLinkStopped();
    if (!awake) {
      conflictSince.remove(key);
      return;
    }
    var since = conflictSince.computeIfAbsent(key, _ -> cluster.queue().now());
    if (cluster.queue().now() - since > TOLERANCE) {
      cluster.fail(
          SimCheck.TWO_QUORUMS,
          "%s and %s both have quorum, in memberships %d and %d, and one is left out"
              .formatted(one, two, first.number(), second.number()));
      conflictSince.put(key, Long.MAX_VALUE / 2);
    }
  }

  /// Whether a node that is still in an earlier membership has no place in a later one, or only one
  /// as a node that left and joined anew.
  private static boolean isLeftOut(String node, Membership earlier, Membership later) {
    var before = earlier.byName(new NodeName(node));
    var after = later.byName(new NodeName(node));
    return before == null || after == null || before.sinceNumber() != after.sinceNumber();
  }

  /// What a node hears of its membership, and whether it has quorum.
  void told(String node, Membership now) {
    var before = present.put(node, now);
    if (before == null || before.number() != now.number()) {
      since.put(node, cluster.queue().now());
    }
    claim(node, now.quorate() ? now : null);
  }

  private void claim(String node, @Nullable Membership now) {
    looked = false;
    if (now == null) {
      quorate.remove(node);
    } else {
      quorate.put(node, now);
    }
  }

  /// Something was heard on a node, after all that it heard before.
  void heard(String node, String text) {
    heard(node, new Heard(text, 0));
  }

  private void heard(String node, Heard what) {
    heard.computeIfAbsent(node, _ -> new LinkedHashSet<>()).add(what);
  }

  /// What was heard, in which membership if that matters.
  private record Heard(String text, long membership) {
    // As a record's own, quicker: there are hundreds of thousands of them in a life.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Heard it && membership == it.membership && text.equals(it.text);
    }

    @Override
    public int hashCode() {
      return 31 * text.hashCode() + Long.hashCode(membership);
    }

    @Override
    public String toString() {
      return membership == 0 ? text : text + " in " + membership;
    }
  }

  /// What was heard on a node from one membership to the next.
  private record Stretch(String node, List<String> messages) {}

  /// A node went from one membership to the next: all that did were delivered the same in the
  /// first.
  void heardBetween(String node, long from, long to, List<String> messages) {
    var key = "from membership " + from + " to " + to;
    var other = stretches.putIfAbsent(key, new Stretch(node, messages));
    if (other != null && !other.messages.equals(messages)) {
      cluster.fail(
          SimCheck.ORDER,
          "%s %s heard %s, %s heard %s".formatted(key, other.node, other.messages, node, messages));
    }
  }

  /// Compares all that was heard.
  void finish() {
    var nodes = new ArrayList<>(heard.keySet());
    for (var two = 1; two < nodes.size(); two++) {
      var theirs = HashMap.<Heard, Integer>newHashMap(heard.get(nodes.get(two)).size());
      heard.get(nodes.get(two)).forEach(it -> theirs.put(it, theirs.size()));
      for (var one = 0; one < two; one++) {
        compare(nodes.get(one), nodes.get(two), theirs);
      }
    }
  }

  /// @param theirs what the second one heard, and as which
  private void compare(String one, String two, Map<Heard, Integer> theirs) {
    var last = -1;
    var lastHeard = new Heard("", 0);
    for (var what : heard.get(one)) {
      var at = theirs.get(what);
      if (at == null) {
        continue;
      }
      if (at < last) {
        cluster.fail(
            SimCheck.ORDER,
            "%s heard %s before %s, %s the other way round".formatted(one, lastHeard, what, two));
        return;
      }
      last = at;
      lastHeard = what;
    }
  }

  private final class Part implements GroupClient.Listener {
    private final SimNode node;
    private final World world;
    private final GroupClient group;
    private List<String> messages = new ArrayList<>();
    private long membership;
    private boolean fromBeginning;
    private boolean inGroup;

    Part(SimNode node, World world) {
      this.node = node;
      this.world = world;
      this.group = new GroupClient(world, "sim", this);
    }

    private void speak() {
      world.after(EVERY, this::speak);
      for (var times = 0; times < EACH_TIME; times++) {
        var text = node.name() + "#" + ++lastMessage;
        world.after(
            Duration.ofNanos(world.random().nextLong(EVERY.toNanos())),
            () -> group.broadcast(text.getBytes(StandardCharsets.UTF_8)));
      }
    }

    @Override
    public void joined(LinkMessage.Joined welcome) {
      membership = 0;
      fromBeginning = false;
      inGroup = false;
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {}

    @Override
    public void membership(Membership now) {
      if (now.number() != membership) {
        if (fromBeginning) {
          heardBetween(node.name(), membership, now.number(), messages);
        }
        fromBeginning = inGroup; // what was said before this one joined it has not heard
        messages = new ArrayList<>();
      }
      membership = now.number();
      told(node.name(), now);
      heard(node.name(), "membership " + membership);
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      inGroup = nodeIds.contains(new NodeId(node.id()));
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      var text = new String(payload, StandardCharsets.UTF_8);
      messages.add(text);
      heard(node.name(), new Heard(text, membership));
    }

    @Override
    public void lost(String why) {
      present.remove(node.name());
      claim(node.name(), null);
    }
  }
}
