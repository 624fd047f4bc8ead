package org.systole.pacemakerd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.systole.common.values.Bool;

/// The host's options, `PCMK_` and `CIB_` variables of `/etc/default/pacemaker`: which are read, and
/// what the administrator is told of those that are not.
final class HostOptions {
  private static final String PREFIX = "PCMK_";

  private static final Set<String> READ =
      Set.of(
          "PCMK_authkey_location",
          "PCMK_ca_file",
          "PCMK_cert_file",
          "PCMK_crl_file",
          "PCMK_debug",
          "PCMK_fail_fast",
          "PCMK_key_file",
          "PCMK_logfacility",
          "PCMK_logfile",
          "PCMK_logfile_mode",
          "PCMK_logpriority",
          "PCMK_node_action_limit",
          "PCMK_node_start_state",
          "PCMK_panic_action",
          "PCMK_remote_address",
          "PCMK_remote_pid1",
          "PCMK_remote_port",
          "PCMK_schema_directory",
          "PCMK_service",
          "PCMK_stderr",
          "PCMK_tls_priorities",
          "PCMK_trace_files",
          "PCMK_trace_formats",
          "PCMK_trace_functions",
          "PCMK_trace_tags");

  private static final String NO_PASSWORDS =
      "passwords of commands of other machines are looked at by unix_chkpwd";
  private static final String NO_BLACKBOX = "there is no blackbox; PCMK_debug logs more";
  private static final String NO_VALGRIND = "daemons are Java programs; JAVA_TOOL_OPTIONS can profile them";

  private static final Map<String, String> NOT_READ = notRead();

  private HostOptions() {}

  private static Map<String, String> notRead() {
    var why = new LinkedHashMap<String, String>();
    why.put("CIB_pam_service", NO_PASSWORDS);
    why.put("PCMK_blackbox", NO_BLACKBOX);
    why.put("PCMK_trace_blackbox", NO_BLACKBOX);
    why.put("PCMK_dh_max_bits", "the daemons choose the group of fresh keys");
    why.put("PCMK_dh_min_bits", "the daemons choose the group of fresh keys");
    why.put("PCMK_ipc_type", "daemons and commands talk by Unix sockets");
    why.put("PCMK_ipc_buffer", "messages have the length they need, up to 64 MiB");
    why.put("PCMK_remote_schema_directory", "schemas are part of the program");
    why.put("PCMK_valgrind_enabled", NO_VALGRIND);
    why.put("PCMK_callgrind_enabled", NO_VALGRIND);
    why.put("VALGRIND_OPTS", NO_VALGRIND);
    return why;
  }

  /// What to tell of options that have no effect, one line each. Empty ones, and those that ask for
  /// what is done anyway, are not worth a line.
  static List<String> warnings(Map<String, String> environment) {
    var warnings = new ArrayList<String>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (!value.isBlank()) {
                warn(name, value.strip(), warnings);
              }
            });
    return warnings;
  }

  private static void warn(String name, String value, List<String> warnings) {
    var why = NOT_READ.get(name);
    if (name.equals(PanicAction.OPTION) && PanicAction.parse(value) == null) {
      warnings.add(
          name + "=" + value + " is not known; a node that panics reboots."
              + " It can be reboot, off, crash, sync-reboot, sync-off, sync-crash");
    } else if (name.equals("PCMK_cluster_type")) {
      if (!value.equals("corosync")) {
        warnings.add(name + "=" + value + " has no effect: nodes are named in corosync.conf");
      }
    } else if (why != null) {
      if (Bool.parse(value, true)) { // who writes `no` has what is wanted
        warnings.add(name + " has no effect: " + why);
      }
    } else if (name.startsWith(PREFIX) && !READ.contains(name)) {
      warnings.add(name + " is no option of this version; it has no effect");
    }
  }
}
