package org.systole.execd;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;

/// Where agents are and what environment they are run in.
///
/// @param base what every agent gets
/// @param ocfRoots directories that have a `resource.d`, the first to be searched first
/// @param share what comes with the programs
/// @param scratch directory for agents' state that does not outlive a boot
record AgentEnvironment(
    Map<String, String> base, List<Path> ocfRoots, Path share, Path scratch) {
  private static final String SYSTEM_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  private static final Path SYSTEM_OCF_ROOT = Path.of("/usr/lib/ocf");

  /// Variables that the service manager set for the daemon and not for programs it starts.
  private static final Set<String> NOT_INHERITED =
      Set.of(
          "NOTIFY_SOCKET",
          "LISTEN_FDS",
          "LISTEN_PID",
          "LISTEN_FDNAMES",
          "WATCHDOG_USEC",
          "WATCHDOG_PID",
          "INVOCATION_ID",
          "JOURNAL_STREAM",
          "MAINPID",
          "SYSTOLE_SUPERVISOR");

  /// What agents are told of the program that starts them, on a member and on a remote node.
  static final String MEMBER = "pacemaker-execd";

  static final String REMOTE = "pacemaker-remoted";

  /// @param service [#MEMBER] or [#REMOTE]
  static AgentEnvironment of(Layout layout, Map<String, String> inherited, String service) {
    var scratch =
        layout.rootForChildren() == null
            ? Path.of("/run/resource-agents")
            : layout.run().resolve("rsctmp");
    var base = new TreeMap<>(inherited);
    base.keySet().removeAll(NOT_INHERITED);
    base.put("PATH", sbin(layout) + ":" + inherited.getOrDefault("PATH", SYSTEM_PATH));
    base.put("HA_SBIN_DIR", sbin(layout).toString());
    base.put("HA_RSCTMP", scratch.toString());
    base.put("PCMK_service", service);
    for (var prefix : List.of("PCMK_", "HA_")) {
      base.put(prefix + "cluster_type", "corosync");
      base.put(prefix + "logfacility", "none");
      base.put(prefix + "logfile", layout.log().resolve("pacemaker.log").toString());
    }
    base.put("HA_LOGFACILITY", "none");
    base.put("HA_LOGFILE", layout.log().resolve("pacemaker.log").toString());
    base.put("HA_DEBUGLOG", layout.log().resolve("pacemaker.log").toString());
    base.put("OCF_RA_VERSION_MAJOR", "1");
    base.put("OCF_RA_VERSION_MINOR", "1");
    base.put("OCF_EXIT_REASON_PREFIX", "ocf-exit-reason:");
    return new AgentEnvironment(base, roots(layout, inherited), layout.share(), scratch);
  }

  private static Path sbin(Layout layout) {
    var home = layout.share().getParent();
    return (home == null ? Path.of("/usr") : home).resolve("sbin");
  }

  private static List<Path> roots(Layout layout, Map<String, String> inherited) {
    var roots = new ArrayList<Path>();
    roots.add(layout.share().resolve("systole/ocf"));
    var asked = inherited.get("OCF_ROOT");
    if (asked != null && !asked.isEmpty()) {
      roots.add(Path.of(asked));
    }
    if (!roots.contains(SYSTEM_OCF_ROOT)) {
      roots.add(SYSTEM_OCF_ROOT);
    }
    return List.copyOf(roots);
  }

  /// The path of an OCF agent's program under a root.
  static String program(Path root, AgentName agent) {
    return root.resolve("resource.d").resolve(agent.provider()).resolve(agent.type()).toString();
  }

  /// The environment of an OCF agent that is found under `root`.
  ///
  /// @param instance what the agent is told of the resource: its id, or the agent's own name where
  ///     it is asked about itself
  Map<String, String> ocf(
      Path root, String instance, AgentName agent, Map<String, String> parameters) {
    var all = new TreeMap<>(base);
    for (var parameter : parameters.entrySet()) {
      var name = parameter.getKey();
      if (!name.isEmpty() && name.indexOf('=') < 0) {
        all.put(name.equals("OCF_CHECK_LEVEL") ? name : "OCF_RESKEY_" + name, parameter.getValue());
      }
    }
    all.put("OCF_ROOT", root.toString());
    all.put("OCF_RESOURCE_INSTANCE", instance);
    all.put("OCF_RESOURCE_TYPE", agent.type());
    all.put("OCF_RESOURCE_PROVIDER", agent.provider());
    return all;
  }
}
