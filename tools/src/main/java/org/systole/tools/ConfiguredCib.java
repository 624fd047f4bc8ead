package org.systole.tools;

import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.schedulerd.upgrade.SchemaUpgrade;

/// Makes a CIB ready for the scheduler.
final class ConfiguredCib {
  private ConfiguredCib() {}

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
