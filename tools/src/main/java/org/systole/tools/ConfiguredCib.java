package org.systole.tools;

import java.util.List;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.cib.CibValidation;
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

  /// A CIB read from a file, ready for the scheduler.
  ///
  /// @throws CommandException if it does not conform to its schema and cannot be brought to the
  ///     current one either
  static Element prepare(Terminal terminal, Element cib) throws CommandException {
    var current = upgrade(terminal, withStatus(cib));
    check(terminal, CibValidation.problems(current));
    return current;
  }

  static Element withStatus(Element cib) {
    return cib.first("status") == null ? cib.plus(Element.of("status")) : cib;
  }

  /// The CIB in the current schema. What had to be given up for that is said.
  ///
  /// @throws CommandException if it cannot be brought there; the reason has been said
  static Element upgrade(Terminal terminal, Element cib) throws CommandException {
    var result = SchemaUpgrade.toCurrent(cib);
    result.warnings().forEach(it -> terminal.err().println("WARNING: " + it));
    if (!result.isOk()) {
      check(terminal, result.problems());
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

  private static void check(Terminal terminal, List<String> problems) throws CommandException {
    if (!problems.isEmpty()) {
      problems.forEach(terminal.err()::println);
      throw new CommandException(ExitStatus.CONFIG, "");
    }
  }
}
