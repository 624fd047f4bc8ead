package org.systole.attrd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.cluster.Levels;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.NodeName;
import org.systole.common.values.Score;

/// All attributes. Changes arrive in the cluster's one order, so the table is the same on every
/// node.
final class AttributeTable {
  /// More attributes than this are a runaway agent.
  static final int ATTRIBUTES_MAX = 100_000;

  /// The limit for attributes that count failures is higher: a runaway agent must not keep failures
  /// from being counted.
  static final int WITH_FAILURES_MAX = 120_000;

  /// The limit for all values together, in bytes as they are sent to a node that joins. They are
  /// sent in one message, and no node could join if it did not fit.
  static final long BYTES_MAX = 32L << 20;

  /// Is told what changes, after it has.
  interface Watch {
    /// @param before the value that was there, null for none
    void value(Attribute attribute, NodeName node, @Nullable String before);

    /// An attribute has another delay.
    ///
    /// @param asked as it was asked for, null if that is not known
    void delay(Attribute attribute, @Nullable String asked);

    /// A value that counts up was asked for.
    void expanded(Attribute attribute, String asked, @Nullable String value);
  }

  private final Watch watch;
  private final Map<String, Attribute> attributes = new TreeMap<>();
  private long bytes;
  private int leftOut;

  AttributeTable(Watch watch) {
    this.watch = watch;
  }

  Collection<Attribute> attributes() {
    return attributes.values();
  }

  @Nullable Attribute get(String name) {
    return attributes.get(name);
  }

  /// The length of all values, as [#BYTES_MAX] counts them.
  long bytes() {
    return bytes;
  }

  /// By how much an update lengthens the values; 0 or less if it does not.
  long growth(AttrMessage.Update update, NodeName node) {
    if (update.change() == AttrMessage.Change.DELAY) {
      return 0;
    }
    var growth = 0L;
    for (var name : namesOf(update)) {
      var known = attributes.get(name);
      var attribute = known == null ? new Attribute(name, update.kind(), 0) : known;
      var counted = withOnce(attribute.countedFor(node), update.once());
      growth += growth(attribute, node, update.value(), counted);
    }
    return growth;
  }

  private static long length(Attribute attribute, NodeName node) {
    return attribute.values().containsKey(node)
        ? TextLength.of(attribute, node, attribute.valueOf(node), attribute.countedFor(node))
        : 0;
  }

  /// How much longer all values become by this one.
  private static long growth(
      Attribute attribute, NodeName node, @Nullable String value, List<String> counted) {
    return TextLength.of(attribute, node, value, counted) - length(attribute, node);
  }

  private boolean set(Attribute attribute, NodeName node, @Nullable String value, boolean remote) {
    return set(attribute, node, value, remote, attribute.countedFor(node));
  }

  private boolean set(
      Attribute attribute,
      NodeName node,
      @Nullable String value,
      boolean remote,
      List<String> counted) {
    var before = attribute.valueOf(node);
    bytes -= length(attribute, node);
    var changed = attribute.set(node, value, remote);
    attribute.counted(node, counted);
    bytes += length(attribute, node);
    if (changed) {
      watch.value(attribute, node, before);
    }
    return changed;
  }

  /// Gives attributes that are there the delay of an update, if it changes that.
  ///
  /// @return those that had another one
  List<Attribute> delay(AttrMessage.Update update) {
    if (update.change() == AttrMessage.Change.VALUE || update.delayMillis() < 0) {
      return List.of();
    }
    var changed = new ArrayList<Attribute>();
    for (var name : namesOf(update)) {
      var attribute = attributes.get(name);
      if (attribute != null && attribute.delay(update.delayMillis())) {
        watch.delay(attribute, update.delayText());
        changed.add(attribute);
      }
    }
    return changed;
  }

  /// Applies the value of an update, to one attribute or to all that its pattern finds. Values that would exceed
  /// the limit are left as they are, on every node alike.
  ///
  /// @param speaks whether all managers are at least of that level, see [Levels]; the same on every node
  /// @return the names of the attributes that changed
  Set<String> apply(AttrMessage.Update update, IntPredicate speaks) {
    var changed = new LinkedHashSet<String>();
    if (update.change() == AttrMessage.Change.DELAY) {
      return changed;
    }
    for (var name : namesOf(update)) {
      if (applyTo(name, update, speaks)) {
        changed.add(name);
      }
    }
    return changed;
  }

  private List<String> namesOf(AttrMessage.Update update) {
    if (update.pattern().isEmpty()) {
      return List.of(update.name());
    }
    return matching(update.pattern());
  }

  /// The names in which a pattern is found; none if it is no valid pattern.
  List<String> matching(String text) {
    var pattern = ExtendedRegex.compile(text);
    return pattern == null
        ? List.of()
        : attributes.keySet().stream().filter(pattern::isIn).toList();
  }

  private static List<String> withOnce(List<String> counted, @Nullable String once) {
    if (once == null) {
      return counted;
    }
    var more = new ArrayList<>(counted);
    more.add(once);
    return more;
  }

  private boolean applyTo(String name, AttrMessage.Update update, IntPredicate speaks) {
    var node = update.node();
    var known = attributes.get(name);
    if (node == null || known == null && !hasRoomFor(name)) {
      return false;
    }
    var attribute = known == null ? new Attribute(name, update.kind(), update.delayMillis()) : known;
    var counted = attribute.countedFor(node);
    if (speaks.test(Levels.COUNTED_ONCE)
        && update.once() != null
        && counted.contains(update.once())) {
      return false;
    }
    var asked = update.value();
    var value = expand(asked, attribute.valueOf(node), speaks);
    if (asked != null && !asked.equals(value)) {
      watch.expanded(attribute, asked, value);
    }
    var withThis = withOnce(counted, update.once());
    if (!fits(growth(attribute, node, value, withThis))) {
      return false;
    }
    attributes.put(name, attribute);
    return set(attribute, node, value, update.remote(), withThis);
  }

  /// Attributes without a value count for nothing: a node that joined later was not told of them,
  /// and must not have room where others have none.
  private boolean hasRoomFor(String name) {
    var most = FailureAttribute.isOne(name) ? WITH_FAILURES_MAX : ATTRIBUTES_MAX;
    if (attributes.size() >= most) {
      attributes.values().removeIf(it -> it.values().isEmpty());
    }
    return attributes.size() < most;
  }

  /// What an attribute becomes on a node by a value that is asked for.
  @Nullable String expanded(
      String name, NodeName node, @Nullable String asked, IntPredicate speaks) {
    var attribute = attributes.get(name);
    return expand(asked, attribute == null ? null : attribute.valueOf(node), speaks);
  }

  /// `value++` and `value+=N` count up from the present value; anything else is taken as it is. What is no score
  /// becomes 0, whatever N is, and infinity is a number like others.
  private static @Nullable String expand(
      @Nullable String asked, @Nullable String present, IntPredicate speaks) {
    if (asked == null || !asked.startsWith("value")) {
      return asked;
    }
    var rest = asked.substring("value".length());
    if (!rest.equals("++") && !rest.startsWith("+=")) {
      return asked;
    }
    var more = rest.equals("++") ? 1 : number(rest.substring(2));
    if (!speaks.test(Levels.COUNTED_AS_SCORES)) {
      return Integer.toString(Score.add(number(present), more));
    }
    return present != null && Score.read(present) == null && !isHealth(present)
        ? "0"
        : Integer.toString(Score.clamp((long) number(present) + more));
  }

  /// Words that are scores, here of 0.
  private static boolean isHealth(String text) {
    return Stream.of("red", "yellow", "green").anyMatch(text::equalsIgnoreCase);
  }

  private static int number(@Nullable String text) {
    var score = text == null ? null : Score.read(text);
    return score == null ? 0 : score;
  }

  /// Forgets failures.
  ///
  /// @return the values that were there
  Set<Meanwhile.Key> clear(AttrMessage.ClearFailures failures) {
    var changed = new LinkedHashSet<Meanwhile.Key>();
    for (var name : matching(Patterns.failures(failures))) {
      var attribute = attributes.get(name);
      for (var node : new ArrayList<>(attribute.values().keySet())) {
        var meant = failures.node() == null || failures.node().equalsIgnoreCase(node);
        if (meant && set(attribute, node, null, false)) {
          changed.add(Meanwhile.Key.of(name, node));
        }
      }
    }
    return changed;
  }

  private boolean fits(long growth) {
    return growth <= 0 || bytes + growth <= BYTES_MAX;
  }

  /// Forgets every value of a node. They are no longer written; the caller cleans the CIB.
  ///
  /// @return the names of the attributes that it had
  List<String> forget(NodeName node) {
    var had =
        attributes.values().stream()
            .filter(it -> it.values().containsKey(node))
            .map(Attribute::name)
            .toList();
    attributes.values().forEach(it -> remove(it, node));
    return had;
  }

  /// Forgets every value of a member but these, and but those of a remote node that is called like it: such a member is
  /// turned down, and is there for a moment all the same.
  void forgetMember(NodeName node, Set<Meanwhile.Key> except) {
    for (var it : attributes.values()) {
      var value = it.values().get(node);
      if (value != null && !value.isRemote() && !except.contains(Meanwhile.Key.of(it.name(), node))) {
        remove(it, node);
      }
    }
  }

  private void remove(Attribute attribute, NodeName node) {
    bytes -= length(attribute, node);
    attribute.values().remove(node);
  }

  List<AttrPeerMessage.Value> valuesOf(Predicate<NodeName> nodes) {
    return collect((node, _) -> nodes.test(node));
  }

  List<AttrPeerMessage.Value> remoteValues() {
    return collect((_, value) -> value.isRemote());
  }

  private List<AttrPeerMessage.Value> collect(BiPredicate<NodeName, Attribute.Value> wanted) {
    var found = new ArrayList<AttrPeerMessage.Value>();
    for (var attribute : attributes.values()) {
      attribute
          .values()
          .forEach(
              (node, value) -> {
                if (wanted.test(node, value)) {
                  found.add(
                      new AttrPeerMessage.Value(
                          attribute.name(),
                          attribute.kind(),
                          attribute.delayMillis(),
                          node,
                          value.text(),
                          value.isRemote(),
                          value.counted().isEmpty() ? null : value.counted()));
                }
              });
    }
    return found;
  }

  /// Takes over values that are missing here.
  void takeMissing(List<AttrPeerMessage.Value> values) {
    take(
        values.stream()
            .filter(
                it -> {
                  var attribute = attributes.get(it.name());
                  return attribute == null || !attribute.values().containsKey(it.node());
                })
            .toList());
  }

  /// Takes over values that a peer vouches for. When parts of a cluster meet that were full each,
  /// not all fit: what would be too much is left out, so that nodes that join can be told of the
  /// rest.
  ///
  /// @return the names of the attributes that changed
  Set<String> take(List<AttrPeerMessage.Value> values) {
    var changed = new LinkedHashSet<String>();
    for (var it : values) {
      var known = attributes.get(it.name());
      var attribute =
          known == null ? new Attribute(it.name(), it.kind(), it.delayMillis()) : known;
      var counted = it.counted() == null ? List.<String>of() : it.counted();
      var growth = growth(attribute, it.node(), it.value(), counted);
      if (!fits(growth) || known == null && !hasRoomFor(it.name())) {
        leftOut++;
        continue;
      }
      attributes.put(it.name(), attribute);
      if (set(attribute, it.node(), it.value(), it.remote(), counted)) {
        changed.add(it.name());
      }
    }
    return changed;
  }

  /// How many values of others were left out since this was asked last, for want of room.
  int takeLeftOut() {
    var count = leftOut;
    leftOut = 0;
    return count;
  }
}
