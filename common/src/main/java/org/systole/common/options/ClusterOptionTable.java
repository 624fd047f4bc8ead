package org.systole.common.options;

import static org.systole.common.options.OptionSpec.Trait.ADVANCED;
import static org.systole.common.options.OptionSpec.Trait.CIB_MANAGER;
import static org.systole.common.options.OptionSpec.Trait.CONTROLLER;
import static org.systole.common.options.OptionSpec.Trait.DEPRECATED;
import static org.systole.common.options.OptionSpec.Trait.GENERATED;
import static org.systole.common.options.OptionSpec.Trait.SCHEDULER;

import java.util.List;

/// The options of the whole cluster, set in `crm_config`.
public final class ClusterOptionTable {
  /// All of them, in the order they are listed.
  public static final List<OptionSpec> ALL =
      new OptionTable()
          .add("dc-version", "version", null, "Version of the software on the DC")
          .is(CONTROLLER, GENERATED)
          .add("cluster-infrastructure", "string", null, "Messaging layer the cluster runs on")
          .is(CONTROLLER, GENERATED)
          .add("cluster-name", "string", null, "Name of the cluster, free to choose")
          .detail("Rules can refer to it as the node attribute #cluster-name.")
          .is(CONTROLLER)
          .add("dc-deadtime", "duration", "20s", "How long to wait for other nodes at start-up")
          .is(CONTROLLER)
          .add(
              "cluster-recheck-interval",
              "duration",
              "15min",
              "How often to look again when nothing happens")
          .detail("Rules about dates are evaluated then, too. 0 means never.")
          .is(CONTROLLER)
          .add("election-timeout", "duration", "2min", "When an undecided election has failed")
          .is(CONTROLLER, ADVANCED)
          .add("shutdown-escalation", "duration", "20min", "When to exit from a hanging shutdown")
          .is(CONTROLLER, ADVANCED)
          .add("join-integration-timeout", "duration", "3min", "How long nodes may take to join")
          .is(CONTROLLER, ADVANCED)
          .add(
              "join-finalization-timeout",
              "duration",
              "30min",
              "How long the DC may take to finish admitting nodes")
          .is(CONTROLLER, ADVANCED)
          .add("transition-delay", "duration", "0s", "How long to wait for further events first")
          .detail("Every recovery takes that much longer.")
          .is(CONTROLLER, ADVANCED)
          .add("no-quorum-policy", "select", "stop", "What to do without quorum")
          .values("stop", "freeze", "ignore", "demote", "fence", "suicide")
          .is(SCHEDULER)
          .add("shutdown-lock", "boolean", "false", "Keep resources to a node that was shut down")
          .detail("They start again there, when the node is back or the lock has expired.")
          .is(SCHEDULER)
          .add("shutdown-lock-limit", "duration", "0", "When a shutdown lock expires")
          .detail("Counted from the beginning of the shutdown. 0 means never.")
          .is(SCHEDULER)
          .add("enable-acl", "boolean", "false", "Whether access control lists are enforced")
          .is(CIB_MANAGER)
          .add("symmetric-cluster", "boolean", "true", "Whether resources may run anywhere")
          .is(SCHEDULER)
          .add("maintenance-mode", "boolean", "false", "Leave all resources as they are")
          .is(SCHEDULER)
          .add(
              "start-failure-is-fatal",
              "boolean",
              "true",
              "Whether one failed start bans a resource from the node")
          .detail("If not, migration-threshold decides.")
          .is(SCHEDULER)
          .add("enable-startup-probes", "boolean", "true", "Whether new nodes are probed")
          .is(SCHEDULER, DEPRECATED)
          .add(
              "fence-remote-without-quorum",
              "boolean",
              "false",
              "Whether a partition without quorum may fence remote nodes")
          .is(SCHEDULER, ADVANCED)
          .add("fencing-enabled", "boolean", "true", "Whether failed nodes are fenced")
          .was("stonith-enabled")
          .detail("Without fencing, data can be damaged when nodes lose sight of each other.")
          .is(SCHEDULER, ADVANCED)
          .add("fencing-action", "select", "reboot", "What to do with a node that is fenced")
          .was("stonith-action")
          .values("reboot", "off")
          .check(OptionSpec.Check.EXACT)
          .is(SCHEDULER)
          .add("fencing-reaction", "select", "stop", "What a node does that was itself fenced")
          .was("fence-reaction")
          .values("stop", "panic")
          .check(OptionSpec.Check.NONE)
          .is(CONTROLLER)
          .add("fencing-timeout", "duration", "60s", "How long fencing may take by default")
          .was("stonith-timeout")
          .is(SCHEDULER)
          .add("have-watchdog", "boolean", "false", "Whether a watchdog daemon is in use")
          .is(SCHEDULER, GENERATED)
          .add(
              "fencing-watchdog-timeout",
              "timeout",
              "0",
              "When a lost node is certain to have been reset by its watchdog")
          .was("stonith-watchdog-timeout")
          .is(CONTROLLER)
          .add("fencing-max-attempts", "score", "10", "Failures until fencing a node is given up")
          .was("stonith-max-attempts")
          .check(OptionSpec.Check.POSITIVE)
          .is(CONTROLLER)
          .add("concurrent-fencing", "boolean", "true", "Whether nodes are fenced in parallel")
          .is(SCHEDULER, DEPRECATED)
          .add("startup-fencing", "boolean", "true", "Whether nodes never seen are fenced")
          .detail("If not, resources may be started twice.")
          .is(SCHEDULER, ADVANCED)
          .add(
              "priority-fencing-delay",
              "duration",
              "0",
              "Delay for fencing the nodes with the more important resources")
          .detail("So that they win when two halves of a cluster fence each other.")
          .is(SCHEDULER)
          .add(
              "node-pending-timeout",
              "duration",
              "0",
              "When a node that does not complete joining is fenced")
          .detail("0 means never.")
          .is(SCHEDULER)
          .add("cluster-delay", "duration", "60s", "Allowance for messages between nodes")
          .is(SCHEDULER)
          .add("load-threshold", "percentage", "80%", "System load at which to slow down")
          .is(CONTROLLER)
          .add("node-action-limit", "integer", "0", "How many actions a node runs at once")
          .detail("0 means twice its cores.")
          .is(CONTROLLER)
          .add("batch-limit", "integer", "0", "How many actions the cluster runs at once")
          .detail("0 means that the load of the nodes decides.")
          .is(SCHEDULER)
          .add("migration-limit", "integer", "-1", "How many live migrations a node does at once")
          .detail("-1 means any number.")
          .is(SCHEDULER)
          .add("cluster-ipc-limit", "nonnegative_integer", null, "Has no effect")
          .is(CIB_MANAGER, DEPRECATED)
          .add("stop-all-resources", "boolean", "false", "Whether to stop everything")
          .is(SCHEDULER)
          .add("stop-removed-resources", "boolean", "true", "Stop what is no longer configured")
          .was("stop-orphan-resources")
          .is(SCHEDULER, DEPRECATED)
          .add("cancel-removed-actions", "boolean", "true", "Cancel actions no longer configured")
          .was("stop-orphan-actions")
          .is(SCHEDULER, DEPRECATED)
          .add("pe-error-series-max", "integer", "-1", "How many inputs with errors to keep")
          .detail("0 means none, -1 all.")
          .is(SCHEDULER)
          .add("pe-warn-series-max", "integer", "5000", "How many inputs with warnings to keep")
          .detail("0 means none, -1 all.")
          .is(SCHEDULER)
          .add("pe-input-series-max", "integer", "4000", "How many other inputs to keep")
          .detail("0 means none, -1 all.")
          .is(SCHEDULER)
          .add("node-health-strategy", "select", "none", "What to make of health attributes")
          .values("none", "migrate-on-red", "only-green", "progressive", "custom")
          .detail("Those are node attributes that begin with #health.")
          .is(SCHEDULER)
          .add("node-health-base", "score", "0", "Health every node begins with")
          .detail("With the strategy progressive only.")
          .is(SCHEDULER)
          .add("node-health-green", "score", "0", "What green is worth")
          .detail("With the strategies custom and progressive only.")
          .is(SCHEDULER)
          .add("node-health-yellow", "score", "0", "What yellow is worth")
          .detail("With the strategies custom and progressive only.")
          .is(SCHEDULER)
          .add("node-health-red", "score", "-INFINITY", "What red is worth")
          .detail("With the strategies custom and progressive only.")
          .is(SCHEDULER)
          .add("join-gate-roles", "string", null, "Roles a node must have before it gets resources")
          .detail("Names separated by spaces; what runs on a node stays. Systole's own.")
          .is(SCHEDULER)
          .add("placement-strategy", "select", "default", "How resources are spread over nodes")
          .values("default", "utilization", "minimal", "balanced")
          .is(SCHEDULER)
          .build();

  private ClusterOptionTable() {}
}
