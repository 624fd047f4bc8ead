package org.systole.scheduler.unpack;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.PlacementStrategy;
import org.systole.scheduler.model.WorkingSet;

/// Reads the cluster options.
final class ConfigReader {
  private final WorkingSet ws;

  ConfigReader(WorkingSet ws) {
    this.ws = ws;
  }

  void read(@Nullable Element config) {
    ws.readBlocks(
        config, ClusterOptions.SET, ws.ruleContext(), ws.options(), ClusterOptions.FIRST_SET);
    ClusterOptions.complete(
        ws.options(), text -> ws.configError("cluster_option_value", text), ws::configWarning);
    flag("enable-startup-probes", ClusterFlag.PROBE_RESOURCES);
    warnUnless(
        ClusterFlag.PROBE_RESOURCES,
        "enable-startup-probes",
        " Use a location constraint with resource-discovery=never instead to disable probes where"
            + " desired.");
    if (isTrue("have-watchdog")) {
      ws.set(ClusterFlag.HAVE_FENCING);
    }
    if (mentionsUnfencing()) {
      ws.set(ClusterFlag.ENABLE_UNFENCING);
    }
    fencing();
    flag("stop-all-resources", ClusterFlag.STOP_ALL);
    flag("symmetric-cluster", ClusterFlag.SYMMETRIC);
    ws.setNoQuorumPolicy(noQuorumPolicy());
    flag("stop-removed-resources", ClusterFlag.STOP_REMOVED_RESOURCES);
    warnUnless(ClusterFlag.STOP_REMOVED_RESOURCES, "stop-removed-resources", "");
    flag("cancel-removed-actions", ClusterFlag.CANCEL_REMOVED_ACTIONS);
    warnUnless(ClusterFlag.CANCEL_REMOVED_ACTIONS, "cancel-removed-actions", "");
    flag("maintenance-mode", ClusterFlag.IN_MAINTENANCE);
    flag("start-failure-is-fatal", ClusterFlag.START_FAILURE_FATAL);
    if (ws.is(ClusterFlag.FENCING_ENABLED)) {
      flag("startup-fencing", ClusterFlag.STARTUP_FENCING);
    }
    if (!ws.is(ClusterFlag.STARTUP_FENCING)) {
      ws.logWarning("unpack_config", "Blind faith: not fencing unseen nodes", "");
    }
    Health.readScores(ws);
    ws.setPlacementStrategy(
        PlacementStrategy.valueOf(option("placement-strategy").toUpperCase(Locale.ROOT)));
    flag("shutdown-lock", ClusterFlag.SHUTDOWN_LOCK);
    if (ws.is(ClusterFlag.SHUTDOWN_LOCK)) {
      ws.setShutdownLockMs(Interval.parse(option("shutdown-lock-limit")));
    }
    ws.setNodePendingMs(Interval.parse(option("node-pending-timeout")));
    flag("fence-remote-without-quorum", ClusterFlag.FENCE_REMOTE_NO_QUORUM);
  }

  private void fencing() {
    ws.setFenceTimeoutMs(Interval.parse(option("fencing-timeout")));
    flag("fencing-enabled", ClusterFlag.FENCING_ENABLED);
    ws.setFenceAction(option("fencing-action"));
    flag("concurrent-fencing", ClusterFlag.CONCURRENT_FENCING);
    warnUnless(ClusterFlag.CONCURRENT_FENCING, "concurrent-fencing", "");
    ws.setPriorityFencingDelayMs(Interval.parse(option("priority-fencing-delay")));
  }

  private String option(String name) {
    return ws.options().getOrDefault(name, "");
  }

  private boolean isTrue(String name) {
    return Bool.isTrue(option(name));
  }

  private void flag(String name, ClusterFlag flag) {
    ws.set(flag, isTrue(name));
  }

  private void warnUnless(ClusterFlag flag, String option, String advice) {
    if (!ws.is(flag)) {
      ws.configWarningOnce(
          option,
          "Support for the "
              + option
              + " cluster property is deprecated and will be removed (and"
              + " behave as true) in a future release."
              + advice);
    }
  }

  private NoQuorumPolicy noQuorumPolicy() {
    return switch (option("no-quorum-policy").toLowerCase(Locale.ROOT)) {
      case "ignore" -> NoQuorumPolicy.IGNORE;
      case "freeze" -> NoQuorumPolicy.FREEZE;
      case "demote" -> NoQuorumPolicy.DEMOTE;
      case "fence", "suicide" -> fenceWithoutQuorum();
      default -> NoQuorumPolicy.STOP;
    };
  }

  private NoQuorumPolicy fenceWithoutQuorum() {
    if (!ws.is(ClusterFlag.FENCING_ENABLED)) {
      ws.configError(
          "unpack_config", "Resetting no-quorum-policy to 'stop' because fencing is disabled");
      return NoQuorumPolicy.STOP;
    }
    if (Numbers.integer(ws.cib().get("no-quorum-panic"), 0) != 0 || ws.is(ClusterFlag.QUORATE)) {
      return NoQuorumPolicy.FENCE;
    }
    ws.notice("Resetting no-quorum-policy to 'stop': cluster has never had quorum");
    return NoQuorumPolicy.STOP;
  }

  /// Whether any resource provides or requires unfencing, as plainly written in the configuration;
  /// needed before resources are read.
  private boolean mentionsUnfencing() {
    var configuration = ws.cib().first("configuration");
    if (configuration == null) {
      return false;
    }
    var resources = configuration.first("resources");
    if (resources != null && resources.find(ConfigReader::isUnfencingBlock) != null) {
      return true;
    }
    var defaults = configuration.first("rsc_defaults");
    return defaults != null
        && defaults.children().stream().anyMatch(ConfigReader::isUnfencingBlock);
  }

  private static boolean isUnfencingBlock(Element block) {
    return block.is("meta_attributes")
        && block.children("nvpair").stream()
            .anyMatch(
                pair ->
                    ("provides".equals(pair.get("name")) || "requires".equals(pair.get("name")))
                        && "unfencing".equals(pair.get("value")));
  }
}
