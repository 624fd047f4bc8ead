package org.systole.controld;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.values.ExecStatus;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage.Result;

/// How operations are written into the status section.
final class HistoryXml {
  static final String FEATURE_SET = Product.FEATURE_SET;

  private HistoryXml() {}

  /// Whether a result is another than the one asked for.
  static boolean failed(Result result) {
    return switch (result.status()) {
      case CANCELLED, PENDING -> false;
      case NOT_SUPPORTED, TIMEOUT, ERROR, NOT_CONNECTED, NO_FENCE_DEVICE, NO_SECRETS, INVALID ->
          true;
      case UNKNOWN, DONE, ERROR_HARD, ERROR_FATAL, NOT_INSTALLED ->
          result.rc() != TransitionKey.expectedRc(result.userData());
    };
  }

  /// The `lrm_rsc_op` elements of a result: one, or two for a failure that is also the last thing
  /// that was done.
  ///
  /// @param origin who writes it, for people reading the CIB
  static List<Element> entries(
      Result result, String node, @Nullable AgentMetadata metadata, String origin) {
    var operation = recordedAs(result);
    var key = OperationKey.text(result.resource(), operation, result.intervalMillis());
    var entries = new ArrayList<Element>();
    for (var id : ids(result, key)) {
      entries.add(entry(id, key, operation, result, node, origin));
    }
    if (metadata != null) {
      entries.set(
          entries.size() - 1,
          OperationDigests.with(
              entries.getLast(), metadata, result.parameters(), result.intervalMillis()));
    }
    return entries;
  }

  /// A resource with its records.
  static Element.Builder resource(String resource, AgentName agent) {
    return Element.builder("lrm_resource")
        .attr("id", resource)
        .attr("class", agent.standard())
        .attr("provider", agent.provider().isEmpty() ? null : agent.provider())
        .attr("type", agent.type());
  }

  /// `resources` in the frame of their node.
  static Element nodeState(String nodeId, String nodeName, List<Element> resources) {
    return Element.builder("node_state")
        .attr("id", nodeId)
        .attr("uname", nodeName)
        .attr("crm-debug-origin", "controld_update_resource_history")
        .add(lrm(nodeId, resources))
        .build();
  }

  static Element lrm(String nodeId, List<Element> resources) {
    return Element.builder("lrm")
        .attr("id", nodeId)
        .add(Element.builder("lrm_resources").addAll(resources))
        .build();
  }

  /// A result made up here, for an operation that never ran.
  static Result made(
      String resource,
      AgentName agent,
      String operation,
      long intervalMillis,
      Map<String, String> parameters,
      String key,
      int rc,
      ExecStatus status,
      String why,
      long nowSeconds) {
    return new Result(
        -1,
        resource,
        agent,
        operation,
        intervalMillis,
        0,
        rc,
        status,
        why,
        "",
        0,
        0,
        nowSeconds,
        nowSeconds,
        parameters,
        key,
        false);
  }

  /// A reload that worked leaves the resource started, one that did not tells as much as a monitor.
  private static String recordedAs(Result result) {
    return switch (result.operation()) {
      case "reload", "reload-agent" -> result.status() == ExecStatus.DONE ? "start" : "monitor";
      default -> result.operation();
    };
  }

  private static List<String> ids(Result result, String key) {
    return switch (result.operation()) {
      case "notify" ->
          List.of(
              "%s_%s_notify_%s_0"
                  .formatted(
                      result.resource(),
                      result.parameters().getOrDefault("CRM_meta_notify_type", "pre"),
                      result.parameters().getOrDefault("CRM_meta_notify_operation", "none")));
      case "migrate_to", "migrate_from" -> List.of(key);
      default -> {
        if (!failed(result)) {
          yield List.of(result.intervalMillis() > 0 ? key : result.resource() + "_last_0");
        }
        var failure = result.resource() + "_last_failure_0";
        yield result.intervalMillis() > 0
            ? List.of(failure)
            : List.of(failure, result.resource() + "_last_0");
      }
    };
  }

  private static Element entry(
      String id, String key, String operation, Result result, String node, String origin) {
    var notify = result.operation().equals("notify") && result.status() != ExecStatus.PENDING;
    var rc = notify ? 0 : result.rc();
    var status = notify ? ExecStatus.DONE : result.status();
    var userData =
        result.userData().isEmpty()
            ? new TransitionKey((int) result.callId(), -1, result.rc(), TransitionKey.NO_ENGINE)
                .toString()
            : result.userData();
    var changed =
        result.intervalMillis() > 0 && result.lastChangeSeconds() > 0
            ? result.lastChangeSeconds()
            : result.lastRunSeconds();
    var migration = operation.equals("migrate_to") || operation.equals("migrate_from");
    var parameters = result.parameters();
    return Element.builder("lrm_rsc_op")
        .attr("id", id)
        .attr("operation_key", key)
        .attr("operation", operation)
        .attr("crm-debug-origin", origin)
        .attr("crm_feature_set", parameters.getOrDefault("crm_feature_set", FEATURE_SET))
        .attr("transition-key", userData)
        .attr("transition-magic", "%d:%d;%s".formatted(status.code(), rc, userData))
        .attr("exit-reason", failed(result) ? result.exitReason() : "")
        .attr("on_node", node)
        .attr("call-id", result.callId())
        .attr("rc-code", rc)
        .attr("op-status", status.code())
        .attr("interval", result.intervalMillis())
        .attr("last-rc-change", changed)
        .attr("exec-time", result.execMillis())
        .attr("queue-time", result.queueMillis())
        .attr("migrate_source", migration ? parameters.get("CRM_meta_migrate_source") : null)
        .attr("migrate_target", migration ? parameters.get("CRM_meta_migrate_target") : null)
        .attr("op-digest", OperationDigests.all(parameters))
        .build();
  }
}
