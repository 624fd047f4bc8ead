package org.systole.common.options;

import static org.systole.common.options.OptionSpec.Trait.ADVANCED;

import java.util.List;

/// What can be set for single resources, whatever their agent.
public final class ResourceOptionTables {
  /// Parameters of all fence devices.
  public static final List<OptionSpec> FENCING = fencing();

  /// Meta-attributes of primitives.
  public static final List<OptionSpec> PRIMITIVE =
      new OptionTable()
          .add("priority", "score", "0", "What is stopped last when not everything can run")
          .add("critical", "boolean", "true", "Whether it may move what it is colocated with")
          .detail("The default of influence in its colocations, those within a group included.")
          .add("target-role", "select", "Started", "What the cluster should make of it")
          .values("Stopped", "Started", "Unpromoted", "Promoted")
          .add("is-managed", "boolean", "true", "Whether the cluster may start and stop it")
          .add("maintenance", "boolean", "false", "Leave it as it is and do not monitor it")
          .add("resource-stickiness", "score", null, "Score for the node where it is active")
          .detail("By default 1 for instances of clones and 0 for all else.")
          .add("requires", "select", null, "What must hold before it can be started")
          .values("nothing", "quorum", "fencing", "unfencing")
          .add(
              "migration-threshold",
              "score",
              "INFINITY",
              "Failures on a node after which it may not run there")
          .detail("0 means that failures never ban it.")
          .add("failure-timeout", "duration", "0", "When failures are forgotten")
          .detail("0 means never.")
          .add("multiple-active", "select", "stop_start", "What to do if it is active twice")
          .values("block", "stop_only", "stop_start", "stop_unexpected")
          .add("allow-migrate", "boolean", null, "Whether it can be moved while it runs")
          .detail("By default true for connections to remote nodes, else false.")
          .add("allow-unhealthy-nodes", "boolean", "false", "Whether node health is ignored")
          .add(
              "container-attribute-target",
              "string",
              null,
              "Whose attributes its agent sees in a bundle: the host's or the container's")
          .add("remote-node", "string", null, "Name of the guest node it provides")
          .add("remote-addr", "string", null, "Address of the guest node")
          .detail("By default the name of the guest node.")
          .add("remote-port", "port", "3121", "Port of the guest node")
          .add("remote-connect-timeout", "timeout", "60s", "How long connecting to it may take")
          .add(
              "remote-allow-migrate",
              "boolean",
              "true",
              "Whether the connection to the guest node can move while it is open")
          .build();

  private ResourceOptionTables() {}

  private static List<OptionSpec> fencing() {
    var table =
        new OptionTable()
            .add("pcmk_host_argument", "string", null, "The agent's parameter for the target")
            .is(ADVANCED)
            .add("pcmk_host_map", "string", null, "What the device calls the nodes")
            .detail("Such as \"node1:1;node2:2,3\".")
            .add("pcmk_host_list", "string", null, "The nodes the device can fence")
            .add("pcmk_host_check", "select", null, "How to find out which nodes it can fence")
            .values("dynamic-list", "static-list", "status", "none")
            .add("pcmk_delay_max", "duration", "0s", "Wait a random time up to this")
            .add("pcmk_delay_base", "string", "0s", "Wait at least this long before fencing")
            .detail("One time, or one for each node, such as \"node1:1s;node2:5\".")
            .add("pcmk_action_limit", "integer", "1", "How much the device does at once")
            .detail("-1 means any number of actions.");
    for (var action : List.of("reboot", "off", "on", "list", "monitor", "status")) {
      table
          .add(
              "pcmk_%s_action".formatted(action),
              "string",
              action,
              "The device's command for '%s'".formatted(action))
          .is(ADVANCED)
          .add(
              "pcmk_%s_timeout".formatted(action),
              "timeout",
              "60s",
              "How long '%s' may take".formatted(action))
          .is(ADVANCED)
          .add(
              "pcmk_%s_retries".formatted(action),
              "integer",
              "2",
              "How often '%s' is tried within its timeout".formatted(action))
          .is(ADVANCED);
    }
    return table.build();
  }
}
