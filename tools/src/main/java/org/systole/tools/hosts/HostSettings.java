package org.systole.tools.hosts;

import java.util.Arrays;
import java.util.List;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibOp;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.hostha.config.Setting;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.Typing;
import org.systole.tools.remote.CibInUse;

/// Changes host HA's settings in the CIB: property sets with a rule for what they are for. A change by
/// which the configuration makes no sense is refused; of one that can hardly be meant it is told.
final class HostSettings {
  private static final String PARAMETER = "ha.param.";

  private final Terminal terminal;
  private final Output out;
  private final Providers providers;

  HostSettings(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
    this.providers = new Providers(Layout.of(terminal.environment()));
  }

  /// Sets something, or makes it unset.
  ///
  /// @param assignment `NAME=VALUE`; `NAME=` for unset
  /// @param place empty for the cluster, a host's name, or a zone or partition such as `zone=east`
  /// @param force whether sick hosts may be left to the cluster by that
  /// @return that all is well, or that nothing which is set is followed
  ExitStatus change(String assignment, String place, boolean force) throws CommandException {
    var at = assignment.indexOf('=');
    if (at <= 0) {
      throw CommandException.usage("a setting is given as NAME=VALUE, or NAME= to unset it");
    }
    var name = assignment.substring(0, at);
    var value = assignment.substring(at + 1);
    if (!isThere(name) && !(value.isEmpty() && HostHaUse.isSetting(name))) { // one that is there by mistake can be unset
      var meant = Typing.near(name, names());
      throw CommandException.usage(
          "%s is no setting of host HA%s: crm_hostha --list-settings shows all"
              .formatted(name, meant == null ? "" : " (is %s meant?)".formatted(meant)));
    }
    var environment = terminal.environment();
    try (var cib = CibInUse.open(Layout.of(environment), environment, "crm_hostha", CibTarget.TIMEOUT)) {
      var now = cib.cib();
      var changes = changes(now, name, value, place);
      if (name.equals(Setting.PROVIDER.text())) {
        var unknown = providers.unknown(value);
        if (unknown != null) {
          throw new CommandException(ExitStatus.CONFIG, unknown);
        }
      }
      var checked = new SettingsCheck(now, changes);
      checked.refuse(force);
      if (!changes.isEmpty()) {
        var answer = cib.update(changes, false, "");
        if (answer.rc() != Rc.OK) {
          throw new CommandException(
              answer.rc().exit(),
              "Could not set %s: %s"
                  .formatted(name, answer.why().isEmpty() ? answer.rc().text() : answer.why()));
        }
      }
      for (var doubt : checked.doubts(name, value, place)) {
        var meant = doubt.contains("there is no host " + place) ? Typing.near(place, checked.hosts()) : null;
        out.error(
            (checked.isOld(doubt) ? "As before: " : "It is set, but: ")
                + doubt
                + (meant == null ? "" : " (is %s meant?)".formatted(meant)));
      }
      var absent = name.equals(Setting.PROVIDER.text()) && !value.isEmpty() ? providers.doubt(value) : null;
      if (absent != null) {
        out.error("It is set, but: " + absent);
      }
      var standing = checked.standing();
      if (standing.isEmpty()) {
        return ExitStatus.OK;
      }
      out.error(
          "It is set, but the cluster goes by nothing that is set for host HA before this is mended: "
              + String.join("; ", standing));
      return ExitStatus.CONFIG;
    } catch (CibException e) {
      throw LiveHosts.unreachable("the CIB manager", e.rc().text(), e.rc().exit());
    }
  }

  private static boolean isThere(String name) {
    return Setting.of(name) != null || name.startsWith(PARAMETER) && name.length() > PARAMETER.length();
  }

  private static List<String> names() {
    return Arrays.stream(Setting.values()).map(Setting::text).toList();
  }

  private static List<CibOp> changes(Element cib, String name, String value, String place)
      throws CommandException {
    var sets = new SettingSets(cib, place);
    return value.isEmpty() ? sets.without(name) : sets.with(name, value);
  }
}
