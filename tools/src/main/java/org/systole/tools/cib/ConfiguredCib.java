package org.systole.tools.cib;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibValidation;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.XmlInput;
import org.systole.tools.remote.CibInUse;

/// Gets the CIB the environment asks for, and makes one ready for the scheduler.
public final class ConfiguredCib {
  private ConfiguredCib() {}

  /// The CIB of the running cluster, or of the shadow copy or file the environment names.
  ///
  /// @param command the name of the command that asks
  /// @throws CommandException if it cannot be had; the reason has been said
  static Element query(Terminal terminal, Output out, String command) throws CommandException {
    var environment = terminal.environment();
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, command, CibTarget.TIMEOUT)) {
      return cib.cib();
    } catch (CibException e) {
      out.error("Could not connect to the CIB: " + e.rc().text());
      throw new CommandException(e.rc().exit(), "");
    }
  }

  /// The CIB in a file, ready for the scheduler.
  ///
  /// @param path `-` is standard input
  /// @throws XmlException if it cannot be read, or is not well-formed
  /// @throws CommandException as [#prepare] does; faults are said with their lines
  static Element read(Terminal terminal, String path) throws XmlException, CommandException {
    var document = XmlInput.bytes(terminal, path);
    return prepare(terminal, XmlReader.parse(document), document);
  }

  /// A CIB ready for the scheduler.
  ///
  /// @throws CommandException if it does not conform to its schema and cannot be brought to the
  ///     current one either; the reason has been said
  static Element prepare(Terminal terminal, Element cib) throws CommandException {
    return prepare(terminal, cib, null);
  }

  private static Element prepare(Terminal terminal, Element cib, byte @Nullable [] document)
      throws CommandException {
    var whole = withStatus(cib);
    var current = upgrade(terminal, whole, document);
    if (current == whole && !CibValidation.problems(current).isEmpty()) {
      refuse(terminal, problems(current, document));
    }
    return current;
  }

  static Element withStatus(Element cib) {
    return cib.first("status") == null ? cib.plus(Element.of("status")) : cib;
  }

  /// What keeps a CIB from conforming to its schema, with lines if the document it is from is
  /// known.
  static List<String> problems(Element cib, byte @Nullable [] document) {
    if (document != null) {
      try {
        var located = CibValidation.problems(document);
        if (!located.isEmpty()) {
          return located;
        }
      } catch (XmlException e) {
        // it was well-formed when it was read; what is known without lines is said below
      }
    }
    return CibValidation.problems(cib);
  }

  /// The CIB in the current schema. What had to be given up for that is said.
  ///
  /// @throws CommandException if it cannot be brought there; the reason has been said
  public static Element upgrade(Terminal terminal, Element cib) throws CommandException {
    return upgrade(terminal, cib, null);
  }

  private static Element upgrade(Terminal terminal, Element cib, byte @Nullable [] document)
      throws CommandException {
    var result = SchemaUpgrade.toCurrent(cib);
    result.warnings().forEach(it -> terminal.err().println("WARNING: " + it));
    if (!result.isOk()) {
      var located = document == null ? List.<String>of() : problems(cib, document);
      refuse(terminal, located.isEmpty() ? result.faults() : located, result.reason());
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

  private static void refuse(Terminal terminal, List<String> problems, String... reason)
      throws CommandException {
    problems.forEach(terminal.err()::println);
    List.of(reason).forEach(terminal.err()::println);
    throw new CommandException(ExitStatus.CONFIG, "");
  }
}
