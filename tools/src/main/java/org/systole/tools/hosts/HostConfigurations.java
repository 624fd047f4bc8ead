package org.systole.tools.hosts;

import java.util.ArrayList;
import java.util.Map;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.cib.SetupReader;
import org.systole.hostha.config.Setting;
import org.systole.hostha.config.Values;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.Typing;
import org.systole.tools.remote.CibInUse;

/// Shows what is in force of host HA's settings: in the cluster, in a zone or partition, for a host.
final class HostConfigurations {
  private static final String CLUSTER = "the cluster";
  private static final String PARAMETER = "ha.param.";

  private final Terminal terminal;
  private final Output out;

  HostConfigurations(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
  }

  /// @param place empty for the cluster, all zones and partitions, and the hosts with settings of their own
  void list(String place) throws CommandException {
    var environment = terminal.environment();
    try (var cib = CibInUse.open(Layout.of(environment), environment, "crm_hostha", CibTarget.TIMEOUT)) {
      show(SetupReader.read(cib.cib()), place);
    } catch (CibException e) {
      throw LiveHosts.unreachable("the CIB manager", e.rc().text(), e.rc().exit());
    }
  }

  private void show(HostSetup setup, String place) throws CommandException {
    var all = setup.configuration();
    if (!place.isEmpty() && !isThere(setup, place)) {
      var known = new ArrayList<>(all.partitions().keySet());
      all.hosts().keySet().forEach(it -> known.add(it.text()));
      var meant = Typing.near(place, known);
      throw new CommandException(
          ExitStatus.NOSUCH,
          "there is no host, zone or partition %s%s".formatted(place, meant == null ? "" : " (is %s meant?)".formatted(meant)));
    }
    if (out instanceof XmlOutput xml) {
      xml.open("host-ha-configurations");
    }
    var warnings = new ArrayList<>(setup.faults());
    warnings.addAll(setup.doubts());
    for (var fault : warnings) {
      switch (out) {
        case XmlOutput xml -> xml.add("warning", "text", fault);
        case TextOutput text -> text.print("warning: " + fault + "\n");
      }
    }
    if (place.isEmpty()) {
      show(CLUSTER, all.values(), setup.parametersIn(""));
    }
    for (var name : all.partitions().keySet()) {
      if (place.isEmpty() || place.equals(name)) {
        show(name, all.valuesIn(name), setup.parametersIn(name));
      }
    }
    for (var host : all.hosts().values()) {
      var name = host.name().text();
      var isOwn = !host.settings().isEmpty() || setup.placed().containsKey(name);
      if (place.isEmpty() ? isOwn : place.equals(name)) {
        show(name, all.valuesOf(host), setup.parameters().getOrDefault(host.name(), Map.of()));
      }
    }
    if (out instanceof XmlOutput xml) {
      xml.close();
    }
  }

  private static boolean isThere(HostSetup setup, String place) {
    var all = setup.configuration();
    return all.partitions().containsKey(place)
        || all.hosts().keySet().stream().anyMatch(it -> it.text().equals(place));
  }

  /// What is not as it is by itself, and always whether host HA is on, and its provider.
  private void show(String place, Values values, Map<String, String> parameters) {
    switch (out) {
      case XmlOutput xml -> xml.open("configuration", "place", place);
      case TextOutput text -> text.print(place + ":\n");
    }
    for (var it : Setting.values()) {
      var value = values.text(it);
      if (it != Setting.ENABLED && it != Setting.PROVIDER && value.equals(it.defaultValue())) {
        continue;
      }
      inForce(it.text(), value);
    }
    parameters.forEach((name, value) -> inForce(PARAMETER + name, value));
    if (out instanceof XmlOutput xml) {
      xml.close();
    }
  }

  private void inForce(String name, String value) {
    switch (out) {
      case XmlOutput xml -> xml.add("in-force", "name", name, "value", value);
      case TextOutput text -> text.print("  %s=%s\n".formatted(name, value));
    }
  }
}
