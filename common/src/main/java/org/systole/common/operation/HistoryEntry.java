package org.systole.common.operation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.xml.Element;

/// A result as the CIB's status section keeps it: one `lrm_rsc_op`. What it says is read when it is
/// asked for.
///
/// @param xml the element
public record HistoryEntry(Element xml) {
  public static final String ELEMENT = "lrm_rsc_op";

  /// The ids of entries that are not named by their operation's key.
  private static final String LAST = "last";

  private static final String LAST_FAILURE = "last_failure";

  /// The entries of a result: one, or two for a failure that is also the last thing that was done.
  ///
  /// @param node on which it ran
  /// @param metadata what is known of the agent, null if nothing
  /// @param origin who writes it, for people reading the CIB
  public static List<HistoryEntry> of(
      OperationResult result, NodeName node, @Nullable AgentMetadata metadata, String origin) {
    var entries = new ArrayList<HistoryEntry>();
    for (var id : ids(result)) {
      entries.add(new HistoryEntry(entry(id, result, node, origin)));
    }
    if (metadata != null) {
      var last = OperationDigest.with(entries.getLast().xml, metadata, result.request());
      entries.set(entries.size() - 1, new HistoryEntry(last));
    }
    return entries;
  }

  /// A reload that worked leaves the resource started, one that did not tells as much as a monitor.
  private static OperationName recordedAs(OperationResult result) {
    if (!result.request().isReload()) {
      return result.operation();
    }
    return (result.status() == ExecStatus.DONE ? Task.START : Task.MONITOR).operation();
  }

  private static List<String> ids(OperationResult result) {
    var request = result.request();
    var resource = request.resource().text();
    var key = OperationKey.text(request.resource(), recordedAs(result), request.intervalMillis());
    var last = OperationKey.text(resource, LAST, 0);
    if (request.is(Task.NOTIFY)) {
      var type = request.metaValue("notify_type");
      var about = request.metaValue("notify_operation");
      return List.of(
          OperationKey.notification(
              resource, type == null ? "pre" : type, about == null ? "none" : about));
    }
    if (request.isMigration()) {
      return List.of(key);
    }
    if (!result.failed()) {
      return List.of(request.recurs() ? key : last);
    }
    var failure = OperationKey.text(resource, LAST_FAILURE, 0);
    return request.recurs() ? List.of(failure) : List.of(failure, last);
  }

  private static Element entry(String id, OperationResult result, NodeName node, String origin) {
    var request = result.request();
    var operation = recordedAs(result);
    var notified = request.is(Task.NOTIFY) && result.status() != ExecStatus.PENDING;
    var rc = notified ? OcfCode.OK.number() : result.rc();
    var status = notified ? ExecStatus.DONE : result.status();
    var key =
        request.transitionKey().isEmpty()
            ? TransitionKey.unplanned((int) result.callId(), result.rc()).toString()
            : request.transitionKey();
    var changed =
        request.recurs() && result.lastChangeSeconds() > 0
            ? result.lastChangeSeconds()
            : result.lastRunSeconds();
    var featureSet = request.parameters().get(OperationRequest.FEATURE_SET);
    return Element.builder(ELEMENT)
        .attr("id", id)
        .attr(
            "operation_key",
            OperationKey.text(request.resource(), operation, request.intervalMillis()))
        .attr("operation", operation.text())
        .attr("crm-debug-origin", origin)
        .attr("crm_feature_set", featureSet == null ? Product.FEATURE_SET : featureSet)
        .attr("transition-key", key)
        .attr("transition-magic", TransitionKey.magic(status, rc, key))
        .attr("exit-reason", result.failed() ? result.exitReason() : "")
        .attr("on_node", node.text())
        .attr("call-id", result.callId())
        .attr("rc-code", rc)
        .attr("op-status", status.code())
        .attr("interval", request.intervalMillis())
        .attr("last-rc-change", changed)
        .attr("exec-time", result.execMillis())
        .attr("queue-time", result.queueMillis())
        .attr("migrate_source", request.isMigration() ? request.metaValue("migrate_source") : null)
        .attr("migrate_target", request.isMigration() ? request.metaValue("migrate_target") : null)
        .attr("op-digest", OperationDigest.of(request.parameters()))
        .build();
  }

  /// What a resource's history has.
  ///
  /// @param history their parent
  public static List<HistoryEntry> all(Element history) {
    return history.children(ELEMENT).stream().map(HistoryEntry::new).toList();
  }

  /// The last thing that was done with a resource.
  public static Optional<HistoryEntry> last(Element history) {
    return all(history).stream().max(Comparator.comparingLong(it -> Numbers.whole(it.xml.get("call-id"), 0)));
  }

  /// Whether the last thing that was done with a resource tells that it does not run, and nothing is under way.
  public static boolean tellsStopped(Element history) {
    return last(history).filter(HistoryEntry::saysStopped).isPresent()
        && all(history).stream().noneMatch(HistoryEntry::isPending);
  }

  /// Whether the resource was stopped, or not found: not where its agent is not installed either.
  public boolean saysStopped() {
    var done = status() == ExecStatus.DONE;
    var notThere = is(OcfCode.NOT_INSTALLED) && (done || status() == ExecStatus.NOT_INSTALLED);
    return done && is(Task.STOP) && is(OcfCode.OK)
        || isProbe() && (done && is(OcfCode.NOT_RUNNING) || notThere);
  }

  public String id() {
    return xml.get("id", "");
  }

  /// The operation key; very old entries have it as their id.
  public String key() {
    var key = xml.get("operation_key", "");
    return key.isEmpty() ? id() : key;
  }

  /// As it is written. The entry may be another program's, so it can be anything.
  public String operation() {
    return xml.get("operation", "");
  }

  /// Whether it is kept only to tell of a failure, until that is cleared.
  public boolean isFailure() {
    return id().endsWith("_" + LAST_FAILURE + "_0");
  }

  public boolean is(Task task) {
    return task.is(operation());
  }

  public long intervalMillis() {
    return Numbers.unsigned(xml.get("interval"), 0);
  }

  public boolean isProbe() {
    return Task.isProbe(operation(), intervalMillis());
  }

  /// The exit code as recorded.
  ///
  /// @param otherwise what stands for one that is missing or no number
  public int rc(int otherwise) {
    return Numbers.integer(xml.get("rc-code"), otherwise);
  }

  /// Whether that exit code was recorded.
  public boolean is(OcfCode code) {
    return code.is(rc(TransitionKey.NOT_KNOWN));
  }

  /// Whether its exit code tells that the resource works there, in whatever role.
  public boolean tellsActive() {
    var code = OcfCode.of(rc(TransitionKey.NOT_KNOWN));
    return code != null && code.isActive();
  }

  /// How the execution ended, [ExecStatus#UNKNOWN] if that is missing or no status.
  public ExecStatus status() {
    var status = ExecStatus.of(statusCode());
    return status == null ? ExecStatus.UNKNOWN : status;
  }

  /// Whether it is under way, as far as the entry tells.
  public boolean isPending() {
    return status() == ExecStatus.PENDING;
  }

  /// The number of the status as recorded; that of [ExecStatus#UNKNOWN] if it is missing.
  public int statusCode() {
    return Numbers.integer(xml.get("op-status"), ExecStatus.UNKNOWN.code());
  }

  /// What the agent gave as its reason; empty if it gave none.
  public String exitReason() {
    return xml.get("exit-reason", "");
  }

  /// What the operation is known by, null if that is missing or no key.
  public @Nullable TransitionKey transitionKey() {
    return TransitionKey.parse(xml.get("transition-key"));
  }

  public boolean hasTransitionKey() {
    return xml.has("transition-key");
  }

  /// The exit code that counted as success, [TransitionKey#NOT_KNOWN] if that is not known.
  public int expectedRc() {
    var key = transitionKey();
    return key == null ? TransitionKey.NOT_KNOWN : key.expectedRc();
  }

  /// The node it ran on, null if the entry does not tell.
  public @Nullable NodeName node() {
    return NodeName.of(xml.get("on_node"));
  }

  /// Who wrote it.
  public String origin() {
    return xml.get("crm-debug-origin", "");
  }
}
