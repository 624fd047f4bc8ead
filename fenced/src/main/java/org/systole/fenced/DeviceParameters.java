package org.systole.fenced;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.TaskName;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;

/// A fence device's parameters: its agent's own, and those that tell the fencer how to use it.
///
/// @param all as configured, sorted by name
record DeviceParameters(Map<String, String> all) {
  static final int TRIES_DEFAULT = 2;

  DeviceParameters {
    all = new TreeMap<>(all);
  }

  private @Nullable String get(String name) {
    return all.get(name);
  }

  /// How the fencer finds out which nodes the device can fence: `static-list`, `dynamic-list`,
  /// `status` or `none`.
  String hostCheck(AgentMetadata agent) {
    var check = get("pcmk_host_check");
    if (check != null) {
      return check.toLowerCase(Locale.ROOT);
    }
    if (hasHosts()) {
      return "static-list";
    }
    if (agent.has(TaskName.LIST)) {
      return "dynamic-list";
    }
    return agent.has(TaskName.STATUS) ? TaskName.STATUS : "none";
  }

  /// Whether it names the nodes that it is for.
  boolean hasHosts() {
    return get("pcmk_host_list") != null || get("pcmk_host_map") != null;
  }

  boolean hasHostCheck() {
    return get("pcmk_host_check") != null;
  }

  /// Whether a static list of nodes has this one.
  boolean lists(NodeName target) {
    for (var node : names(all.getOrDefault("pcmk_host_list", ""))) {
      if (node.equalsIgnoreCase(target.text())) {
        return true;
      }
    }
    return alias(target) != null;
  }

  /// What the device calls the node, null if it uses the node's own name.
  @Nullable String alias(NodeName target) {
    for (var mapping : all.getOrDefault("pcmk_host_map", "").strip().split("[; \t\n]+")) {
      var at = firstOf(mapping, ':', '=');
      if (at > 0
          && at + 1 < mapping.length()
          && mapping.substring(0, at).equalsIgnoreCase(target.text())) {
        return mapping.substring(at + 1);
      }
    }
    return null;
  }

  private static int firstOf(String text, char one, char other) {
    var at = text.indexOf(one);
    var also = text.indexOf(other);
    return at < 0 ? also : also < 0 ? at : Math.min(at, also);
  }

  /// Names in a list or in what an agent's `list` action writes: separated by blanks, commas,
  /// semicolons, and line ends; in a line `PLUG,ALIAS` both count.
  static List<String> names(String text) {
    var names = new ArrayList<String>();
    for (var name : text.split("[\\s,;]+")) {
      if (!name.isEmpty()) {
        names.add(name);
      }
    }
    return names;
  }

  /// The timeout configured for an action, 0 if none is.
  long timeoutMillis(String action) {
    var text = get("pcmk_" + action + "_timeout");
    var millis = text == null ? null : Interval.readMs(text);
    return millis == null ? 0 : Math.clamp(millis, 0, Interval.MAX_MS);
  }

  /// How often an action is tried altogether before it has failed.
  int tries(String action) {
    var text = get("pcmk_" + action + "_retries");
    return text == null ? TRIES_DEFAULT : Math.max(1, number(text, TRIES_DEFAULT));
  }

  /// What the agent is told to do when the fencer wants `action`.
  String agentAction(String action) {
    return all.getOrDefault("pcmk_" + action + "_action", action);
  }

  /// Whether the device leaves off a node that is to be rebooted.
  boolean staysOff() {
    return agentAction(TaskName.REBOOT).equals(TaskName.OFF);
  }

  /// How many actions may run at the same time, -1 for any number.
  int actionLimit() {
    var text = get("pcmk_action_limit");
    var limit = text == null ? 1 : number(text, 1);
    return limit == 0 ? 1 : limit;
  }

  private static int number(String text, int otherwise) {
    var scan = Numbers.scan(text.strip(), otherwise);
    return scan.valid() ? Math.clamp(scan.value(), -1, 10_000) : otherwise;
  }

  long delayMaxMillis() {
    return Math.max(0, Interval.parse(get("pcmk_delay_max"), 0));
  }

  /// The fixed delay for a target, from one value for all or a list `NODE:DELAY;...`.
  long delayBaseMillis(NodeName target) {
    var text = all.getOrDefault("pcmk_delay_base", "").strip();
    if (text.indexOf(':') >= 0) {
      for (var mapping : text.split("[; \t]+")) {
        var at = mapping.indexOf(':');
        if (at > 0 && mapping.substring(0, at).equalsIgnoreCase(target.text())) {
          return Math.max(0, Interval.parse(mapping.substring(at + 1), 0));
        }
      }
    }
    return Math.max(0, Interval.parse(text, 0));
  }

  /// What the agent reads on standard input, in the order written.
  ///
  /// @param target the node it is about, null if none
  /// @param defaultHostArgument the parameter for the node's name that the agent itself names
  Map<String, String> forAgent(
      String action, @Nullable NodeName target, @Nullable String defaultHostArgument) {
    var input = new LinkedHashMap<String, String>();
    input.put("action", agentAction(action));
    if (target != null) {
      input.put("nodename", target.text());
      var argument =
          all.getOrDefault(
              "pcmk_host_argument", defaultHostArgument == null ? "none" : defaultHostArgument);
      var fixed = get(argument);
      if (!argument.equalsIgnoreCase("none")
          && (fixed == null || fixed.equalsIgnoreCase("dynamic"))) {
        var alias = alias(target);
        input.put(argument, alias == null ? target.text() : alias);
      }
    }
    for (var parameter : all.entrySet()) {
      if (!isOurs(parameter.getKey())) {
        input.putIfAbsent(parameter.getKey(), parameter.getValue());
      }
    }
    return input;
  }

  /// Parameters that are for the cluster, not for the agent.
  private static boolean isOurs(String name) {
    return name.equals("action")
        || name.startsWith("pcmk_")
        || name.startsWith("CRM_meta_")
        || name.equals("crm_feature_set")
        || name.equals("provides")
        || name.equals("stonith-timeout");
  }

  /// Equal as far as the device is concerned.
  boolean means(DeviceParameters other) {
    return relevant().equals(other.relevant());
  }

  private Map<String, String> relevant() {
    var relevant = new TreeMap<>(all);
    relevant
        .keySet()
        .removeIf(name -> name.startsWith("CRM_meta_") || name.equals("crm_feature_set"));
    return relevant;
  }
}
