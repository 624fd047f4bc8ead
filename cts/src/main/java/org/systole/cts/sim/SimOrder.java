package org.systole.cts.sim;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

  private static final int UNIT_MAX = 100_000_000; // of a message's number

  /// Longer than an event takes from a link to a looker-on.
  private static final long TOLERANCE = 100_000_000;

  private final SimCluster cluster;
  private final Map<String, List<Heard>> heard = new LinkedHashMap<>(); // by each node
  private final List<Said> said = new ArrayList<>(); // by their numbers
  private final Map<String, Heard> others = new HashMap<>(); // what is no such message
  private final Map<String, Membership> present = new LinkedHashMap<>();
  private final Map<String, Membership> quorate = new LinkedHashMap<>();
  private final Map<String, Long> since = new HashMap<>(); // a node hears of its membership
  private final Map<String, Long> lapsed = new HashMap<>(); // when a node heard last that it has quorum no more
  private final Map<String, Long> conflictSince = new HashMap<>();
  private final Map<String, Stretch> stretches = new LinkedHashMap<>();
  private int pass; // through what was heard
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

  /// For how long a node has had neither another membership nor its quorum.
  Duration withoutQuorum(SimNode node) {
    var now = cluster.queue().now();
    return Duration.ofNanos(now - Math.max(since.getOrDefault(node.name(), now), lapsed.getOrDefault(node.name(), 0L)));
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
      if (quorate.remove(node) != null) {
        lapsed.put(node, cluster.queue().now());
      }
    } else {
      quorate.put(node, now);
    }
  }

  /// Something was heard on a node, after all that it heard before.
  void heard(String node, String text) {
    heard(node, others.computeIfAbsent(text, _ -> new Heard(text, 0)));
  }

  private void heard(String node, Heard what) {
    heard.computeIfAbsent(node, _ -> new ArrayList<>()).add(what);
  }

  /// What was heard, in which membership if that matters: one object, whoever heard it. There are
  /// hundreds of thousands of these in a life.
  private static final class Heard {
    private final String text;
    private final long membership;
    private int at; // as which the second of two nodes heard it, if it did so in that pass
    private int pass;
    private int looked; // the last pass in which what the first one heard came to it

    Heard(String text, long membership) {
      this.text = text;
      this.membership = membership;
    }

    @Override
    public String toString() {
      return membership == 0 ? text : text + " in " + membership;
    }
  }

  /// A message of a looker-on, and as what it was heard: nearly always in one membership.
  private static final class Said {
    private final String text;
    private final byte[] payload;
    private final List<Heard> as = new ArrayList<>(1);

    Said(String text) {
      this.text = text;
      this.payload = text.getBytes(StandardCharsets.UTF_8);
    }

    Heard in(long membership) {
      for (var known : as) {
        if (known.membership == membership) {
          return known;
        }
      }
      var heard = new Heard(text, membership);
      as.add(heard);
      return heard;
    }
  }

  private Said say(String node) {
    var message = new Said(node + "#" + (said.size() + 1));
    said.add(message);
    return message;
  }

  /// What these bytes say, in a membership.
  private Heard what(byte[] payload, long membership) {
    var number = number(payload);
    var known = number > 0 && number <= said.size() ? said.get(number - 1) : null;
    if (known != null && Arrays.equals(known.payload, payload)) {
      return known.in(membership);
    }
    var text = new String(payload, StandardCharsets.UTF_8);
    return others.computeIfAbsent(text + " in " + membership, _ -> new Heard(text, membership));
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
      for (var one = 0; one < two; one++) {
        compare(nodes.get(one), nodes.get(two));
      }
    }
  }

  /// What was heard more than once counts as it was heard first.
  private void compare(String one, String two) {
    pass++;
    var count = 0;
    for (var what : heard.get(two)) {
      if (what.pass != pass) {
        what.pass = pass;
        what.at = count++;
      }
    }
    var last = -1;
    var lastHeard = new Heard("", 0);
    for (var what : heard.get(one)) {
      if (what.pass != pass || what.looked == pass) {
        continue;
      }
      what.looked = pass;
      if (what.at < last) {
        cluster.fail(
            SimCheck.ORDER,
            "%s heard %s before %s, %s the other way round".formatted(one, lastHeard, what, two));
        return;
      }
      last = what.at;
      lastHeard = what;
    }
  }

  /// The number at the end of what may be a looker-on's message.
  private static int number(byte[] payload) {
    var number = 0;
    var unit = 1;
    for (var at = payload.length - 1; at > 0 && payload[at] != '#' && unit <= UNIT_MAX; at--) {
      number += (payload[at] - '0') * unit;
      unit *= 10;
    }
    return number;
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
        var message = say(node.name());
        world.after(
            Duration.ofNanos(world.random().nextLong(EVERY.toNanos())),
            () -> group.broadcast(message.payload));
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
      var what = what(payload, membership);
      messages.add(what.text);
      heard(node.name(), what);
    }

    @Override
    public void lost(String why) {
      present.remove(node.name());
      claim(node.name(), null);
    }
  }
}
