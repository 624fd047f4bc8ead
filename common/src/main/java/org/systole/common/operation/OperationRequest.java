package org.systole.common.operation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

/// An operation that the executor of a node is asked for. Immutable.
///
/// @param resource as its node knows it: instances of an anonymous clone are one
/// @param operation as in the configuration; a [Task], or a name that only the agent knows
/// @param timeoutMillis 0 for no limit
/// @param startDelayMillis how long an operation waits before it runs first; no longer than until
///     another one is asked for, if it does not recur
/// @param parameters the resource's parameters and what the cluster adds (`CRM_meta_...`,
///     `crm_feature_set`), names without `OCF_RESKEY_`
/// @param transitionKey what it is known by, as text; see [TransitionKey]
public record OperationRequest(
    ResourceId resource,
    AgentName agent,
    OperationName operation,
    long intervalMillis,
    long timeoutMillis,
    long startDelayMillis,
    Map<String, String> parameters,
    String transitionKey) {
  /// What the names of meta-attributes begin with among the parameters.
  public static final String META = "CRM_meta_";

  public static final String FEATURE_SET = "crm_feature_set";

  /// The name of a meta-attribute among the parameters.
  public static String meta(String name) {
    return META + name.replace('-', '_');
  }

  /// An operation with the timeout and start delay that its parameters give it; without a timeout a
  /// recurring one may take as long as its interval.
  public static OperationRequest of(
      ResourceId resource,
      AgentName agent,
      OperationName operation,
      long intervalMillis,
      Map<String, String> parameters,
      String transitionKey) {
    var timeout = Numbers.parse(parameters.get(meta("timeout")), 0);
    var delay = Numbers.parse(parameters.get(meta("start-delay")), 0);
    return new OperationRequest(
        resource,
        agent,
        operation,
        intervalMillis,
        timeout > 0 ? timeout : intervalMillis,
        Math.max(0, delay),
        parameters,
        transitionKey);
  }

  public OperationRequest as(OperationName other) {
    return of(resource, agent, other, intervalMillis, parameters, transitionKey);
  }

  public OperationRequest as(Task other) {
    return as(other.operation());
  }

  public OperationRequest withAgent(AgentName other) {
    return of(resource, other, operation, intervalMillis, parameters, transitionKey);
  }

  public OperationRequest with(Map<String, String> others) {
    return of(resource, agent, operation, intervalMillis, others, transitionKey);
  }

  /// The same operation, asked for under another key.
  public OperationRequest under(String otherKey) {
    return new OperationRequest(
        resource,
        agent,
        operation,
        intervalMillis,
        timeoutMillis,
        startDelayMillis,
        parameters,
        otherKey);
  }

  /// The same operation, not recurring.
  public OperationRequest once() {
    return of(resource, agent, operation, 0, parameters, transitionKey);
  }

  /// As the CIB names it: `RESOURCE_OPERATION_INTERVAL`.
  public String key() {
    return OperationKey.text(resource, operation, intervalMillis);
  }

  /// What tells it from other operations of its resource: `OPERATION_INTERVAL`.
  public String kind() {
    return operation + "_" + intervalMillis;
  }

  public boolean is(Task task) {
    return task.is(operation);
  }

  /// Whether it is the operation of that name and interval.
  public boolean is(OperationName name, long interval) {
    return operation.equals(name) && intervalMillis == interval;
  }

  public @Nullable Task task() {
    return Task.of(operation);
  }

  public boolean recurs() {
    return intervalMillis > 0;
  }

  public boolean isProbe() {
    return Task.isProbe(operation.text(), intervalMillis);
  }

  public boolean isReload() {
    var task = task();
    return task != null && task.isReload();
  }

  public boolean isMigration() {
    var task = task();
    return task != null && task.isMigration();
  }

  /// A meta-attribute by its plain name (`migrate_source`, `on-fail`), null if it is not set.
  public @Nullable String metaValue(String name) {
    return parameters.get(meta(name));
  }

  /// Whether it says something about the state of its resource.
  public boolean isRecordable() {
    return switch (task()) {
      case CANCEL, DELETE, NOTIFY, META_DATA -> false;
      case null, default -> true;
    };
  }

  /// Whether carrying it out once more leads to the same as carrying it out once.
  public boolean isRepeatable() {
    return !isMigration();
  }

  /// Whether the CIB is to tell of it while it lasts.
  public boolean recordsPending() {
    var wish = metaValue("record_pending");
    return wish == null || wish.equals("true");
  }

  /// The resource's own parameters, without what the cluster adds.
  public Map<String, String> ownParameters() {
    var own = new LinkedHashMap<String, String>();
    parameters.forEach(
        (name, value) -> {
          if (!isAdded(name)) {
            own.put(name, value);
          }
        });
    return own;
  }

  /// The same operation with other parameters of the resource: those given instead of its own.
  public OperationRequest withOwnParameters(Map<String, String> own) {
    var all = new LinkedHashMap<String, String>();
    parameters.forEach(
        (name, value) -> {
          if (isAdded(name)) {
            all.put(name, value);
          }
        });
    all.putAll(own);
    return with(all);
  }

  /// The same operation without any parameters, for those who may not see them.
  public OperationRequest withoutParameters() {
    return with(Map.of());
  }

  private static boolean isAdded(String parameter) {
    return parameter.startsWith(META) || parameter.equals(FEATURE_SET);
  }
}
