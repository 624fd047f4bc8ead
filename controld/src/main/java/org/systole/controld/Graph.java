package org.systole.controld;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// A transition graph as the scheduler wrote it.
///
/// @param clusterDelay what a result may take beyond its action's own timeout
/// @param fencingTimeout the time a fencing may take
/// @param batchLimit actions under way in the whole cluster: 0 as the load allows, -1 without limit
/// @param migrationLimit migrations under way on a node; 0 or less for no limit
/// @param failedStart the failcount after a failed start, null to count up
/// @param failedStop the same for a failed stop
/// @param recheckBy seconds since 1970 at which time alone will change the outcome; 0 for never
record Graph(
    List<Synapse> synapses,
    Duration clusterDelay,
    Duration fencingTimeout,
    int batchLimit,
    int migrationLimit,
    @Nullable String failedStart,
    @Nullable String failedStop,
    long recheckBy) {
  static final Graph EMPTY =
      new Graph(List.of(), Duration.ofSeconds(60), Duration.ofSeconds(60), 0, -1, null, null, 0);

  /// Actions that become due together, once every action in `inputs` is confirmed.
  record Synapse(int id, int priority, Set<Integer> inputs, List<Action> actions) {}

  enum Kind {
    /// Does nothing; others are ordered against it.
    PSEUDO,
    /// An agent is to be run.
    RESOURCE,
    /// The cluster does something itself: fencing, shutdown, clearing.
    CLUSTER
  }

  /// One thing to do.
  ///
  /// @param parameters the element's `attributes`
  /// @param timeout as the scheduler gave it, start delay included; zero if it gave none
  record Action(
      int id,
      Kind kind,
      Element xml,
      Map<String, String> parameters,
      Duration timeout,
      long intervalMillis) {
    String task() {
      return xml.get("operation", "");
    }

    /// Such as `web_start_0`; in notifications, what tells them apart.
    String key() {
      return xml.get("operation_key", "");
    }

    String node() {
      return xml.get("on_node", "");
    }

    String nodeId() {
      return xml.get("on_node_uuid", "");
    }

    /// The cluster node that carries it out: for a remote node, the one that holds its connection.
    String executor() {
      return xml.get("router_node", node());
    }

    @Nullable String meta(String name) {
      return parameters.get(OperationRequest.meta(name));
    }

    int expectedRc() {
      return Numbers.parseInt(meta("op_target_rc"), 0);
    }

    boolean isFencing() {
      return kind == Kind.CLUSTER && Task.FENCE.is(task());
    }

    /// Looks for a resource where it should not be active.
    boolean isProbe() {
      return kind == Kind.RESOURCE && Task.isProbe(task(), intervalMillis);
    }

    /// The resource it is about, as its node knows it: instances of an anonymous clone are one.
    String resource() {
      var primitive = xml.first("primitive");
      return primitive == null ? "" : primitive.get("id", "");
    }

    boolean isMigration() {
      return Task.MIGRATE_TO.is(task()) || Task.MIGRATE_FROM.is(task());
    }

    boolean noWait() {
      return "true".equals(meta("op_no_wait"));
    }

    /// Whether this action, when done, means that the node is down.
    boolean downs(String nodeId) {
      var downed = xml.first("downed");
      return downed != null && downed.first("node", nodeId) != null;
    }

    @Override
    public String toString() {
      return "%s on %s (action %d)".formatted(key(), node(), id);
    }
  }

  static Graph read(Element xml) {
    var synapses = new ArrayList<Synapse>();
    for (var synapse : xml.children("synapse")) {
      synapses.add(synapse(synapse));
    }
    var delay = duration(xml.get("cluster-delay"), Duration.ofSeconds(60));
    return new Graph(
        List.copyOf(synapses),
        delay,
        duration(xml.get("fencing-timeout", xml.get("stonith-timeout", "")), delay),
        Numbers.parseInt(xml.get("batch-limit"), 0),
        Numbers.parseInt(xml.get("migration-limit"), -1),
        xml.get("failed-start-offset"),
        xml.get("failed-stop-offset"),
        Numbers.parse(xml.get("recheck-by"), 0));
  }

  private static Duration duration(@Nullable String text, Duration otherwise) {
    if (text == null || text.isEmpty()) {
      return otherwise;
    }
    var millis = Interval.read(text);
    return millis == null ? otherwise : Duration.ofMillis(millis);
  }

  private static Synapse synapse(Element xml) {
    var actions = new ArrayList<Action>();
    for (var set : xml.children("action_set")) {
      for (var action : set.children()) {
        if (!action.isComment()) {
          actions.add(action(action));
        }
      }
    }
    var inputs = new LinkedHashSet<Integer>();
    for (var list : xml.children("inputs")) {
      for (var trigger : list.children("trigger")) {
        for (var input : trigger.children()) {
          inputs.add(Numbers.parseInt(input.id(), -1));
        }
      }
    }
    return new Synapse(
        Numbers.parseInt(xml.id(), -1), priority(xml.get("priority")), inputs, actions);
  }

  private static int priority(@Nullable String text) {
    return text == null ? 0 : Score.parse(text, 0);
  }

  private static Action action(Element xml) {
    var kind =
        switch (xml.name()) {
          case "rsc_op" -> Kind.RESOURCE;
          case "crm_event" -> Kind.CLUSTER;
          default -> Kind.PSEUDO;
        };
    var parameters = new LinkedHashMap<String, String>();
    for (var attributes : xml.children("attributes")) {
      for (var i = 0; i < attributes.attributeCount(); i++) {
        parameters.put(attributes.attributeName(i), attributes.attributeValue(i));
      }
    }
    var timeout =
        Numbers.parse(parameters.get("CRM_meta_timeout"), 0)
            + Numbers.parse(parameters.get("CRM_meta_start_delay"), 0);
    return new Action(
        Numbers.parseInt(xml.id(), -1),
        kind,
        xml,
        parameters,
        Duration.ofMillis(Math.max(0, timeout)),
        Numbers.parse(parameters.get("CRM_meta_interval"), 0));
  }
}
