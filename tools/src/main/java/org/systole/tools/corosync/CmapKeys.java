package org.systole.tools.corosync;

import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// What corosync's cmap would hold: the settings in force, and members and quorum as they are.
final class CmapKeys {
  /// A value and how it is shown.
  ///
  /// @param type `str`, `u8`, `u16`, `u32` or `u64`
  record Value(String type, String text) {}

  /// How Corosync 2 called the members, which crmsh still asks for.
  static final String FORMER_MEMBERS = "runtime.totem.pg.mrp.srp.members.";

  private static final Set<String> WORDS = // of `totem`; all others there are numbers
      Set.of(
          "totem.cluster_name",
          "totem.transport",
          "totem.secauth",
          "totem.crypto_cipher",
          "totem.crypto_hash",
          "totem.crypto_model",
          "totem.crypto_type",
          "totem.keyfile",
          "totem.key",
          "totem.ip_version",
          "totem.link_mode",
          "totem.rrp_mode",
          "totem.vsftype",
          "totem.interface");

  private static final Map<String, String> NUMBERS =
      Map.of(
          "quorum.expected_votes", "u32",
          "quorum.votes", "u32",
          "quorum.last_man_standing_window", "u32",
          "quorum.leaving_timeout", "u32",
          "quorum.two_node", "u8",
          "quorum.wait_for_all", "u8",
          "quorum.last_man_standing", "u8",
          "quorum.auto_tie_breaker", "u8",
          "quorum.allow_downscale", "u8");

  private static final Map<String, String> NUMBERS_ANYWHERE =
      Map.of(
          "nodeid", "u32",
          "quorum_votes", "u32",
          "mcastport", "u16",
          "bindnetport", "u16",
          "ttl", "u8",
          "knet_link_priority", "u8",
          "knet_ping_interval", "u32",
          "knet_ping_timeout", "u32",
          "knet_ping_precision", "u32",
          "knet_pong_count", "u32");

  private final TreeMap<String, Value> keys = new TreeMap<>();

  private CmapKeys() {}

  static SortedMap<String, Value> of(RunningConfig running) {
    var made = new CmapKeys();
    running.keys().forEach((name, text) -> made.put(name, type(name, text), text));
    made.nodes(running);
    made.members(running);
    made.quorum(running);
    made.put("config.reload_in_progress", "u8", "0");
    made.put("config.totemconfig_reload_in_progress", "u8", "0");
    return made.keys;
  }

  private static String type(String name, String text) {
    if (RunningConfig.number(text) == null) {
      return "str";
    }
    var known = NUMBERS.get(name);
    if (known != null) {
      return known;
    }
    var anywhere = NUMBERS_ANYWHERE.get(name.substring(name.lastIndexOf('.') + 1));
    if (anywhere != null) {
      return anywhere;
    }
    if (name.startsWith("quorum.device.")) {
      return name.endsWith("timeout") || name.endsWith(".votes") ? "u32" : "str";
    }
    return name.startsWith("totem.") && !WORDS.contains(name) ? "u32" : "str";
  }

  private void put(String name, String type, Object text) {
    keys.put(name, new Value(type, text.toString()));
  }

  private void nodes(RunningConfig running) {
    for (var node : running.nodes()) {
      if (running.isLocal(node)) {
        put("nodelist.local_node_pos", "u32", node.place());
      }
    }
  }

  private void members(RunningConfig running) {
    for (var node : running.nodes()) {
      if (running.isMember(node)) {
        member(running, node, "runtime.members." + node.id() + ".");
        member(running, node, FORMER_MEMBERS + node.id() + ".");
      }
    }
  }

  private void member(RunningConfig running, RunningConfig.Node node, String prefix) {
    put(prefix + "config_version", "u64", version(running));
    var addresses = new StringBuilder();
    node.addresses().forEach((link, it) -> addresses.append("r(%d) ip(%s) ".formatted(link, it)));
    put(prefix + "ip", "str", addresses);
    put(prefix + "join_count", "u32", "1");
    put(prefix + "status", "str", "joined");
  }

  private static String version(RunningConfig running) {
    var version = running.keys().getOrDefault("totem.config_version", "0");
    return RunningConfig.number(version) == null ? "0" : version;
  }

  private void quorum(RunningConfig running) {
    var status = running.status();
    put("runtime.config.totem.token", "u32", running.tokenMillis());
    var members = status.membership().members();
    put("runtime.votequorum.ev_barrier", "u32", status.expectedVotes());
    if (!members.isEmpty()) {
      put("runtime.votequorum.highest_node_id", "u32", members.getLast().id());
      put("runtime.votequorum.lowest_node_id", "u32", members.getFirst().id());
    }
    put("runtime.votequorum.this_node_id", "u32", status.localId());
    put("runtime.votequorum.two_node", "u8", status.flags().contains("2Node") ? "1" : "0");
    put("runtime.votequorum.wait_for_all_status", "u8", running.waiting() ? "1" : "0");
  }
}
