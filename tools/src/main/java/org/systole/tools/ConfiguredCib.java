package org.systole.tools;

import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.schedulerd.upgrade.SchemaUpgrade;

/// Gets the CIB the environment asks for, and makes one ready for the scheduler.
final class ConfiguredCib {
  private ConfiguredCib() {}

  /// The CIB of the running cluster, or of the shadow copy or file the environment names.
  ///
  /// @throws CommandException if it cannot be had; the reason has been said
  static Element query(Command command) throws CommandException {
    var environment = command.terminal().environment();
    try (var cib =
        Cibs.open(Layout.of(environment), environment, command.name(), CibTarget.TIMEOUT)) {
      return cib.cib();
    } catch (CibException e) {
      command.out().error("Could not connect to the CIB: " + e.rc().text());
      throw new CommandException(e.rc().exit(), "");
    }
  }

  /// The CIB in the current schema, with a status section.
  ///
  /// @throws CommandException if it does not say which schema it was written for
  static Element prepare(Terminal terminal, Element cib) throws CommandException {
    var withStatus = cib.first("status") == null ? cib.plus(Element.of("status")) : cib;
    var result = SchemaUpgrade.toCurrent(withStatus);
    if (result == null) {
      throw new CommandException(
          ExitStatus.CONFIG,
          "The configuration does not name a known schema in validate-with; set it to "
              + SchemaUpgrade.CURRENT);
    }
    if ("none".equals(cib.get("validate-with"))) {
      terminal
          .err()
          .println(
              "Schema validation of configuration is disabled (support for validate-with set to"
                  + " \"none\" is deprecated and will be removed in a future release)");
    }
    return result.cib();
  }
}
