package org.systole.attrd;

import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;

/// Tells the log what becomes of attributes, in the words administrators know from Pacemaker's
/// attribute manager and search logs for. Every node's log has every change, and whose it was.
final class AttrLog implements AttributeTable.Watch {
  private static final String UNSET = "(unset)";

  private final World world;
  private final Function<NodeName, @Nullable CibNodeId> nodeIds;
  private String source = "the cluster";
  private @Nullable NodeName writer; // as it was told last

  /// @param nodeIds a cluster node's id in the CIB by its name
  AttrLog(World world, Function<NodeName, @Nullable CibNodeId> nodeIds) {
    this.world = world;
    this.nodeIds = nodeIds;
  }

  /// What changes from now on comes from there: a node, or what the values are read from.
  void from(String name) {
    source = name;
  }

  @Override
  public void value(Attribute attribute, NodeName node, @Nullable String before) {
    var id = nodeIds.apply(node);
    var delay = attribute.delayMillis();
    world
        .log()
        .notice(
            "Setting %s[%s] in %s: %s -> %s | from %s with %s write delay and node XML ID %s"
                .formatted(
                    attribute.name(),
                    node,
                    attribute.kind().utilization() ? "utilization" : "instance_attributes",
                    shown(before),
                    shown(attribute.valueOf(node)),
                    source,
                    delay == 0 ? "no" : Interval.format(delay),
                    id == null ? "unknown" : id));
  }

  @Override
  public void delay(Attribute attribute, @Nullable String asked) {
    var millis = attribute.delayMillis();
    world
        .log()
        .info(
            millis == 0
                ? "Update attribute %s to remove delay".formatted(attribute.name())
                : "Update attribute %s delay to %dms (%s)"
                    .formatted(attribute.name(), millis, asked == null ? Interval.format(millis) : asked));
  }

  @Override
  public void expanded(Attribute attribute, String asked, @Nullable String value) {
    world.log().info("Expanded %s=%s to %s".formatted(attribute.name(), asked, shown(value)));
  }

  /// All values of a node are forgotten, as [#from(String)] asked.
  void removing(NodeName node) {
    world
        .log()
        .notice(
            "Removing all %s attributes for node %s | and reaping node from cache"
                .formatted(node, source));
  }

  /// All values of a member are forgotten, which left, and may have been the one that writes.
  void lost(NodeName node) {
    world
        .log()
        .notice(
            "Removing all %s attributes for node loss | without reaping node from cache"
                .formatted(node));
    if (node.equals(writer)) {
      world.log().notice("Lost attribute writer " + node);
      writer = null;
    }
  }

  /// @param now the node whose attribute manager writes to the CIB from now on, null if that is open
  void writer(@Nullable NodeName now, boolean ours) {
    if (Objects.equals(now, writer)) {
      return;
    }
    var was = writer == null ? "unset" : writer.text();
    writer = now;
    if (ours) {
      world.log().notice("Recorded local node as attribute writer (was %s)".formatted(was));
    } else if (now != null) {
      world.log().notice("Recorded new attribute writer: %s (was %s)".formatted(now, was));
    }
  }

  /// An update of one of this node's clients goes to all.
  ///
  /// @param host the node it is for, null if that is this one, whose name is not known yet
  /// @param becomes gives the value that it makes there; asked only if it is of one attribute, and the log has such lines
  void broadcasting(
      AttrMessage.Update update, @Nullable NodeName host, Supplier<@Nullable String> becomes, boolean writes) {
    if (update.pattern().isEmpty()) {
      world
          .log()
          .debug(
              () ->
                  "Broadcasting %s[%s]=%s%s"
                      .formatted(
                          update.name(), host == null ? "local" : host, sent(becomes.get()), writes ? " (writer)" : ""));
    } else {
      world.log().debug(() -> "Setting %s to %s".formatted(update.pattern(), sent(update.value())));
    }
  }

  /// As Pacemaker's shows a value in a message that has none.
  private static String sent(@Nullable String value) {
    return value == null ? "(null)" : value;
  }

  /// A request was carried out.
  void processed(String request, String origin) {
    world.log().debug(() -> "Processed %s request from %s: Done".formatted(request, origin));
  }

  /// A request was not carried out.
  void processedInVain(String request, String origin, String why) {
    world.log().warning("Processed %s request from %s: Error (%s)".formatted(request, origin, why));
  }

  /// An update of a delay says none, or something else: it is left out.
  void noDelay(String name, AttrMessage.Update update) {
    var wrong = update.delayText();
    if (wrong == null) {
      world.log().warning("Could not update %s: peer did not specify value for delay".formatted(name));
      return;
    }
    var millis = notADelay(wrong);
    world
        .log()
        .warning("Could not update %s: invalid delay value %dms (%s)".formatted(name, millis, wrong));
  }

  /// A new attribute was to have a delay that is none, and gets none.
  void delayIgnored(String name, String wrong) {
    notADelay(wrong);
    world.log().warning("Ignoring invalid delay %s for attribute %s".formatted(wrong, name));
  }

  /// Returns the time that it stands for, negative, or 0 if it is none.
  private long notADelay(String wrong) {
    var millis = Interval.readMs(wrong);
    if (millis == null) {
      world.log().warning("'%s' is not a valid time duration: Bad input value provided".formatted(wrong));
    }
    return millis == null ? 0 : millis;
  }

  /// Values that another source has do not fit into the table.
  void leftOut(int count, String where) {
    world
        .log()
        .error(
            "%d values that %s are left out: all attributes would have more than %d bytes or %d names; delete attributes or shorten them"
                .formatted(count, where, AttributeTable.BYTES_MAX, AttributeTable.ATTRIBUTES_MAX));
  }

  static String shown(@Nullable String value) {
    return value == null ? UNSET : value;
  }
}
