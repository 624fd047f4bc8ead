package org.systole.controld;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.execd.client.AgentName;

/// An operation this node's executor is asked for.
///
/// @param parameters as the agent gets them, with what the controller adds
/// @param key the transition key
/// @param lockTime when the resource was locked to this node, 0 if it is not
record Order(
    String resource,
    AgentName agent,
    String operation,
    long intervalMillis,
    Map<String, String> parameters,
    String key,
    long lockTime) {
  /// @param action the graph's `rsc_op`
  /// @return null if it names no resource
  static @Nullable Order of(Element action, String key) {
    var primitive = action.first("primitive");
    if (primitive == null || primitive.id() == null) {
      return null;
    }
    var parameters = new LinkedHashMap<String, String>();
    for (var attributes : action.children("attributes")) {
      for (var i = 0; i < attributes.attributeCount(); i++) {
        parameters.put(attributes.attributeName(i), attributes.attributeValue(i));
      }
    }
    parameters.remove("CRM_meta_op_target_rc");
    parameters.putIfAbsent("crm_feature_set", HistoryXml.FEATURE_SET);
    return new Order(
        primitive.get("id", ""),
        new AgentName(
            primitive.get("class", ""), primitive.get("provider", ""), primitive.get("type", "")),
        action.get("operation", ""),
        Numbers.parse(parameters.get("CRM_meta_interval"), 0),
        parameters,
        key,
        Numbers.parse(action.get("shutdown-lock"), 0));
  }

  Order as(String other) {
    return new Order(resource, agent, other, intervalMillis, parameters, key, lockTime);
  }

  Order with(Map<String, String> others) {
    return new Order(resource, agent, operation, intervalMillis, others, key, lockTime);
  }

  /// As the CIB names it: `RESOURCE_OPERATION_INTERVAL`.
  String opKey() {
    return OperationKey.text(resource, operation, intervalMillis);
  }

  boolean isReload() {
    return operation.startsWith("reload");
  }

  /// Whether it says something about the state of its resource.
  boolean isRecordable() {
    return isRecordable(operation);
  }

  static boolean isRecordable(String operation) {
    return switch (operation) {
      case "cancel", "delete", "notify", "meta-data" -> false;
      default -> true;
    };
  }

  /// Whether carrying it out once more leads to the same as carrying it out once.
  boolean isRepeatable() {
    return switch (operation) {
      case "migrate_to", "migrate_from" -> false;
      default -> true;
    };
  }

  boolean recordPending() {
    var wish = parameters.get("CRM_meta_record_pending");
    return wish == null || wish.equals("true");
  }

  long timeoutMillis() {
    var timeout = Numbers.parse(parameters.get("CRM_meta_timeout"), 0);
    return timeout > 0 ? timeout : intervalMillis;
  }

  long startDelayMillis() {
    return Math.max(0, Numbers.parse(parameters.get("CRM_meta_start_delay"), 0));
  }
}
