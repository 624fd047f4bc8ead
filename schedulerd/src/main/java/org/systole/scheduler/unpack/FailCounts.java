package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Action;
import org.systole.scheduler.model.InstanceIds;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.operations.Actions;
import org.systole.scheduler.operations.Seconds;

/// How often a resource failed on a node, as its attributes say.
public final class FailCounts {
  private static final String COUNT = FailureAttribute.COUNT + "-";
  private static final String LAST = FailureAttribute.LAST + "-";

  /// @param count the sum over all operations
  /// @param lastFailure when the last one was, seconds since the epoch; 0 if there is none
  public record FailCount(int count, long lastFailure) {
    static final FailCount NONE = new FailCount(0, 0);
  }

  private FailCounts() {}

  /// The fail count of a resource on a node.
  ///
  /// @param effective whether failures that have expired are left out
  /// @param launched whether failures of what the resource launches count as its own
  /// @param entry the history entry in question, null for any
  public static FailCount get(
      Node node, Resource resource, boolean effective, boolean launched, @Nullable Element entry) {
    var found = recorded(node, resource);
    var count = found.count;
    var last = found.lastFailure;
    if (count > 0 && resource.failureTimeoutMs() > 0 && blocks(node, resource, entry)) {
      resource
          .cluster()
          .configWarning(
              "Ignoring failure timeout ("
                  + Interval.format(resource.failureTimeoutMs())
                  + ") for "
                  + resource.id()
                  + " because it conflicts with on-fail=block");
      resource.setFailureTimeoutMs(0);
    }
    if (effective
        && count > 0
        && last > 0
        && resource.failureTimeoutMs() > 0
        && resource.cluster().nowSeconds() > last + Seconds.of(resource.failureTimeoutMs())) {
      count = 0;
    }
    // A bundle's connection may be on another node than its container.
    if (launched && !resource.launched().isEmpty() && !resource.isBundled()) {
      for (var other : resource.launched()) {
        var of = get(node, other, effective, true, entry);
        count += of.count;
        last = Math.max(last, of.lastFailure);
      }
    }
    return new FailCount(count, count > 0 && last > 0 ? last : 0);
  }

  /// The fail count without failures that have expired.
  public static FailCount effective(Node node, Resource resource, boolean launched) {
    return get(node, resource, true, launched, null);
  }

  private static FailCount recorded(Node node, Resource resource) {
    var unique = resource.is(ResourceFlag.UNIQUE);
    var known = resource.nameInHistories();
    var name = unique ? known : InstanceIds.base(known);
    var count = 0;
    var last = 0L;
    for (var attribute : node.attributes().entrySet()) {
      var key = attribute.getKey();
      if (isFor(key, COUNT, name, unique)) {
        var score = Health.read(resource.cluster(), attribute.getValue());
        if (score == null) {
          resource
              .cluster()
              .logWarning(
                  "Ignoring "
                      + key
                      + " for "
                      + node.name()
                      + " because '"
                      + attribute.getValue()
                      + "' is not a valid fail count");
        } else {
          count = Score.add(count, score);
        }
      } else if (isFor(key, LAST, name, unique)) {
        last = Math.max(last, Numbers.whole(attribute.getValue(), 0));
      }
    }
    return count == 0 && last == 0 ? FailCount.NONE : new FailCount(count, last);
  }

  /// Whether an attribute is named PREFIX-RESOURCE#OPERATION_INTERVAL. Only a unique instance is
  /// told apart by its number: an anonymous one may have been unique when it failed.
  private static boolean isFor(String key, String prefix, String name, boolean unique) {
    if (!key.startsWith(prefix) || !key.startsWith(name, prefix.length())) {
      return false;
    }
    var at = prefix.length() + name.length();
    if (!unique && at < key.length() && key.charAt(at) == ':') {
      var end = digitsEnd(key, at + 1);
      at = end > at + 1 ? end : at;
    }
    var interval = key.lastIndexOf('_');
    return at < key.length()
        && key.charAt(at) == '#'
        && interval > at + 1
        && interval + 1 < key.length()
        && digitsEnd(key, interval + 1) == key.length();
  }

  private static int digitsEnd(String text, int from) {
    var end = from;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  /// Whether a failure of an operation blocks the resource, as plainly configured.
  private static boolean blocks(Node node, Resource resource, @Nullable Element entry) {
    var name = InstanceIds.base(resource.id());
    var primitive =
        resource.xml().find(element -> element.is("primitive") && name.equals(element.id()));
    if (primitive == null) {
      return false;
    }
    for (var operations : primitive.children("operations")) {
      for (var op : operations.children("op")) {
        if ("block".equals(op.get("on-fail"))
            && (entry != null
                ? isFailureOf(name, op, entry)
                : historyHasFailureOf(node, resource, name, op))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean historyHasFailureOf(
      Node node, Resource resource, String name, Element op) {
    for (var history : resource.cluster().historyIndex().resources(node.name(), name)) {
      for (var entry : history.children(HistoryEntry.ELEMENT)) {
        if (isFailureOf(name, op, entry)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isFailureOf(String name, Element op, Element entry) {
    var task = op.get("name", "");
    var intervalMs = Interval.parse(op.get("interval"));
    if (intervalMs != Numbers.unsigned(entry.get("interval"), 0)
        || !task.equalsIgnoreCase(entry.get("operation", ""))) {
      return false;
    }
    var id = entry.get("id", "");
    if (id.equalsIgnoreCase(OperationKey.text(name, "last_failure"))) {
      return true;
    }
    return id.equalsIgnoreCase(OperationKey.text(name, task, intervalMs))
        && new HistoryEntry(entry).rc(OcfCode.OK.number()) != new HistoryEntry(entry).expectedRc();
  }

  /// Schedules that the fail count of a resource on a node is forgotten.
  public static Action clear(Resource resource, Node node, String reason) {
    var clear =
        Actions.custom(
            resource,
            OperationKey.text(resource.id(), TaskName.CLEAR_FAILCOUNT),
            TaskName.CLEAR_FAILCOUNT,
            node,
            false);
    clear.meta().put("op_no_wait", "true");
    resource
        .cluster()
        .notice(
            "Clearing failure of " + resource.id() + " on " + node.name() + " because " + reason);
    return clear;
  }
}
