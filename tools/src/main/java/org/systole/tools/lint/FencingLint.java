package org.systole.tools.lint;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.systole.common.operation.AgentName;
import org.systole.common.xml.Element;
import org.systole.tools.lint.Finding.Severity;

/// Whether every node can be fenced, and two nodes do not shoot each other.
final class FencingLint {
  private static final String HOSTS = "pcmk_host_list";
  private static final String MAP = "pcmk_host_map";
  private static final List<String> SECRET_NAMES = List.of("password", "passwd");

  private final Lint lint;
  private final List<Element> devices;

  FencingLint(Lint lint) {
    this.lint = lint;
    this.devices = lint.primitives(true);
  }

  void check() {
    if (!lint.options().fencing()) {
      lint.add(
          "fencing-off",
          Severity.ERROR,
          "",
          "fencing is switched off: a node that is lost may go on running what is started elsewhere",
          "Configure a fence device, then crm_attribute -n fencing-enabled -D");
      return;
    }
    var watchdog = lint.options().get("fencing-watchdog-timeout");
    if (devices.isEmpty() && (watchdog.isEmpty() || watchdog.equals("0"))) {
      lint.add(
          "no-fence-device",
          Severity.ERROR,
          "",
          "there is no fence device: nothing is started, and nothing is recovered when a node is lost",
          "Configure one for every node, and try it with stonith_admin --reboot");
      return;
    }
    unfencedNodes();
    duel();
    devices.forEach(this::unknownNodes);
    devices.forEach(this::secrets);
  }

  /// A device for a node that was removed is monitored on.
  private void unknownNodes(Element device) {
    for (var host : hosts(parameters(device))) {
      if (!host.isEmpty() && !lint.isNode(host)) {
        lint.add(
            "unknown-node",
            Severity.WARNING,
            device.get("id", ""),
            "it is to fence %s, and there is no node of that name".formatted(host),
            "Correct the name in pcmk_host_list or pcmk_host_map, or remove it");
      }
    }
  }

  private Map<String, String> parameters(Element device) {
    return lint.values(device, "instance_attributes");
  }

  /// Only where all devices name their nodes: what others can do is known when they are asked.
  private void unfencedNodes() {
    if (devices.isEmpty()
        || !devices.stream()
            .map(this::parameters)
            .allMatch(it -> it.containsKey(HOSTS) || it.containsKey(MAP))) {
      return;
    }
    lint.section("nodes").stream().filter(it -> it.get("type", "member").equals("member")).forEach(it -> unfenced(it.get("uname", "")));
    lint.primitives(false).stream().filter(this::isConnection).forEach(it -> unfenced(it.get("id", "")));
  }

  /// To a remote node. Of a guest its host has the resource stopped that it is.
  private boolean isConnection(Element primitive) {
    return new AgentName(lint.of(primitive, "class"), lint.of(primitive, "provider"), lint.of(primitive, "type")).isRemoteConnection();
  }

  private void unfenced(String name) {
    if (devices.stream().noneMatch(it -> names(parameters(it), name))) {
      lint.add(
          "node-without-device",
          Severity.ERROR,
          name,
          "no fence device names this node: it cannot be fenced, and what it ran is not recovered",
          "Add it to pcmk_host_list or pcmk_host_map of a device");
    }
  }

  private static boolean names(Map<String, String> parameters, String wanted) {
    return hosts(parameters).stream().anyMatch(wanted::equalsIgnoreCase);
  }

  private static Set<String> hosts(Map<String, String> parameters) {
    var hosts = parameters.getOrDefault(HOSTS, "") + " " + parameters.getOrDefault(MAP, "").replaceAll("[:=][^;, ]*", " ");
    return new LinkedHashSet<>(List.of(hosts.split("[;,\\s]+")));
  }

  private void duel() {
    var members = lint.section("nodes").stream().filter(it -> it.get("type", "member").equals("member"));
    var delayed =
        devices.stream()
            .map(this::parameters)
            .anyMatch(it -> it.containsKey("pcmk_delay_base") || it.containsKey("pcmk_delay_max"));
    var priority = lint.options().get("priority-fencing-delay");
    if (members.count() == 2 && !devices.isEmpty() && !delayed && (priority.isEmpty() || priority.equals("0"))) {
      lint.add(
          "fencing-duel",
          Severity.WARNING,
          "",
          "two nodes that lose sight of each other fence each other at the same moment",
          "Set pcmk_delay_base for the device of one of them, or priority-fencing-delay");
    }
  }

  private void secrets(Element device) {
    for (var name : SECRET_NAMES) {
      var value = parameters(device).get(name);
      if (value != null && !value.startsWith("lrm://")) {
        lint.add(
            "password-in-cib",
            Severity.NOTICE,
            device.get("id", ""),
            "%s stands in the configuration, which members of haclient read".formatted(name.toLowerCase(Locale.ROOT)),
            "cibsecret stash %s %s keeps it on the nodes".formatted(device.get("id", ""), name));
      }
    }
  }
}
