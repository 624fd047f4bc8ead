package org.systole.attrd;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;

/// One attribute with its values, by node.
final class Attribute {
  /// One node's value.
  static final class Value {
    /// Those that are asked for again come soon after the first time: the attribute manager was away
    /// for seconds. In these an operation may fail as often as this, and each failure waits.
    private static final int COUNTED_MAX = 20;

    private List<String> counted = List.of();
    private @Nullable String text;
    private boolean remote;
    private boolean unwritten;
    private boolean unalerted;

    /// Null once it was deleted.
    @Nullable String text() {
      return text;
    }

    boolean isRemote() {
      return remote;
    }

    /// Whether the CIB may hold another value.
    boolean isUnwritten() {
      return unwritten;
    }

    void written(boolean done) {
      unwritten = !done;
    }

    /// Whether no alert was sent for its last change; asking counts as having sent it.
    boolean takeUnalerted() {
      var news = unalerted;
      unalerted = false;
      return news;
    }

    /// An alert is to be sent after all.
    void unalerted() {
      unalerted = true;
    }

    /// The last updates that are in it and are done once, oldest first. They stay when the value is
    /// deleted: what was counted before must not count again after.
    List<String> counted() {
      return counted;
    }

    void counted(List<String> updates) {
      counted =
          List.copyOf(updates.subList(Math.max(0, updates.size() - COUNTED_MAX), updates.size()));
    }

    private boolean becomes(@Nullable String newText, boolean nowRemote) {
      remote |= nowRemote;
      var same = newText == null ? text == null : newText.equalsIgnoreCase(text);
      if (!same) {
        text = newText;
        unwritten = true;
        unalerted = true;
      }
      return !same;
    }
  }

  private final String name;
  private final AttrMessage.Kind kind;
  private final Map<NodeName, Value> values = new TreeMap<>(NodeName.IGNORING_CASE);
  private long delayMillis;

  Attribute(String name, AttrMessage.Kind kind, long delayMillis) {
    this.name = name;
    this.kind = kind;
    this.delayMillis = Math.clamp(delayMillis, 0, Interval.MAX_MS);
  }

  String name() {
    return name;
  }

  AttrMessage.Kind kind() {
    return kind;
  }

  /// How long changes are collected before they are written.
  long delayMillis() {
    return delayMillis;
  }

  /// Returns whether that is new.
  boolean delay(long millis) {
    var delay = Math.clamp(millis, 0, Interval.MAX_MS);
    var changed = delay != delayMillis;
    delayMillis = delay;
    return changed;
  }

  Map<NodeName, Value> values() {
    return values;
  }

  @Nullable String valueOf(NodeName node) {
    var value = values.get(node);
    return value == null ? null : value.text();
  }

  /// The updates in a node's value that are done once.
  List<String> countedFor(NodeName node) {
    var value = values.get(node);
    return value == null ? List.of() : value.counted();
  }

  /// Says which updates are in a node's value.
  void counted(NodeName node, List<String> updates) {
    values.computeIfAbsent(node, _ -> new Value()).counted(updates);
  }

  /// Returns whether that is new.
  boolean set(NodeName node, @Nullable String text, boolean remote) {
    return values.computeIfAbsent(node, _ -> new Value()).becomes(text, remote);
  }

  boolean hasUnwritten() {
    return !kind.isPrivate() && values.values().stream().anyMatch(Value::isUnwritten);
  }
}
