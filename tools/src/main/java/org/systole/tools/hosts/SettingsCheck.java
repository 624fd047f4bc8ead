package org.systole.tools.hosts;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.hosts.HostStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.cib.SetupReader;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Setting;
import org.systole.tools.cli.CommandException;

/// What a change of host HA's settings would make of them.
final class SettingsCheck {
  private static final String PARAMETER = "ha.param.";

  private final Element cib;
  private final HostSetup before;

  /// Null where the CIB takes no such change; whoever has it says why.
  private final @Nullable HostSetup then;

  SettingsCheck(Element cib, List<CibOp> changes) {
    this.cib = cib;
    before = SetupReader.read(cib);
    var result = CibUpdate.apply(cib, changes, null);
    then = result.rc() == Rc.OK ? SetupReader.read(result.cib()) : null;
  }

  /// Refuses what makes no sense, and what hands sick hosts to the cluster.
  void refuse(boolean force) throws CommandException {
    if (then == null) {
      return;
    }
    var faults = new ArrayList<>(then.faults());
    faults.removeAll(before.faults());
    if (!faults.isEmpty()) {
      throw new CommandException(
          ExitStatus.CONFIG, "That would make no sense: " + String.join("; ", faults));
    }
    var left = left(then);
    if (!left.isEmpty() && !force) {
      throw new CommandException(
          ExitStatus.UNSAFE,
          "%s: without host HA the cluster fences at once what does not answer, also a host that works. Nothing was changed; --force does it all the same"
              .formatted(String.join(", ", left)));
    }
  }

  /// The hosts that host HA looks into now, and then would leave alone.
  private List<String> left(HostSetup then) {
    var found = new ArrayList<String>();
    for (var host : before.configuration().hosts().values()) {
      var said = HostStatus.of(cib, host.name());
      var after = then.configuration().hosts().get(host.name());
      if (said != null
          && said.hold() == HostStatus.Hold.FROZEN
          && after != null
          && isLookedAfter(before, host)
          && !isLookedAfter(then, after)) {
        found.add("%s is %s".formatted(host.name(), said.state()));
      }
    }
    return found;
  }

  private static boolean isLookedAfter(HostSetup setup, HostEntry host) {
    var values = setup.configuration().valuesOf(host);
    return values.is(Setting.ENABLED) && !values.is(Setting.MAINTENANCE);
  }

  /// What can hardly be meant by a setting.
  List<String> doubts(String name, String value, String place) {
    if (then == null) {
      return List.of();
    }
    var doubts = new ArrayList<>(then.doubts());
    var enables = name.equals(Setting.ENABLED.text()) && Bool.isTrue(value);
    var aboutLooks =
        enables
            || name.equals(Setting.PROVIDER.text())
            || name.equals(Setting.VOLUMES.text())
            || name.startsWith(PARAMETER);
    if (!aboutLooks) {
      doubts.removeAll(before.doubts());
    }
    if (enables) {
      var off = off(then, place);
      if (!off.isEmpty()) {
        doubts.add(
            "host HA stays off for %s: ha.enabled is false for the host, or for what it is in"
                .formatted(String.join(", ", off)));
      }
    }
    return doubts;
  }

  /// Whether something could hardly be meant before.
  boolean isOld(String doubt) {
    return before.doubts().contains(doubt);
  }

  private static List<String> off(HostSetup then, String place) {
    var found = new ArrayList<String>();
    for (var host : then.configuration().hosts().values()) {
      var isThere =
          place.isEmpty()
              || place.equals(host.name().text())
              || then.configuration().around(host).stream().anyMatch(it -> it.name().equals(place));
      if (isThere && !then.configuration().valuesOf(host).is(Setting.ENABLED)) {
        found.add(host.name().text());
      }
    }
    return found;
  }

  /// The names of all hosts.
  List<String> hosts() {
    return before.configuration().hosts().keySet().stream().map(NodeName::text).toList();
  }

  /// What makes no sense, then as before.
  List<String> standing() {
    return then == null ? List.of() : then.faults();
  }
}
