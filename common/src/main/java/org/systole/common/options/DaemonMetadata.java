package org.systole.common.options;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.options.OptionSpec.Trait;
import org.systole.common.output.Product;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The options that one daemon reads, described as agents describe their parameters.
public final class DaemonMetadata {
  private DaemonMetadata() {}

  /// What `cibd metadata` prints.
  public static String cibManager() {
    return text("pacemaker-based", "CIB manager options", read(Trait.CIB_MANAGER));
  }

  /// What `controld metadata` prints.
  public static String controller() {
    return text("pacemaker-controld", "Controller options", read(Trait.CONTROLLER));
  }

  /// What `schedulerd metadata` prints.
  public static String scheduler() {
    return text("pacemaker-schedulerd", "Scheduler options", read(Trait.SCHEDULER));
  }

  /// What `fenced metadata` prints.
  public static String fencer() {
    return text(
        "pacemaker-fenced", "Parameters of all fence devices", ResourceOptionTables.FENCING);
  }

  private static List<OptionSpec> read(Trait reader) {
    var options = new ArrayList<OptionSpec>();
    for (var option : ClusterOptionTable.ALL) {
      if (option.is(reader)) {
        options.add(option);
      }
    }
    return options;
  }

  private static String text(String name, String title, List<OptionSpec> options) {
    var parameters = Element.builder("parameters");
    for (var option : options) {
      parameters.add(parameter(option, ""));
      if (option.oldName() != null) {
        parameters.add(
            parameter(option.asOld(), "*** Replaced with %s *** ".formatted(option.name())));
      }
    }
    var root =
        Element.builder("resource-agent")
            .attr("name", name)
            .attr("version", Product.COMPATIBLE_VERSION)
            .add(Element.of("version").withText("1.1"))
            .add(Element.of("longdesc", "lang", "en").withText(title))
            .add(Element.of("shortdesc", "lang", "en").withText(title))
            .add(parameters)
            .build();
    return "<?xml version=\"1.0\"?>\n" + XmlWriter.pretty(root);
  }

  private static Element parameter(OptionSpec option, String note) {
    var marks =
        (option.is(Trait.DEPRECATED) ? "*** Deprecated *** " : "")
            + note
            + (option.is(Trait.ADVANCED) ? "*** Advanced Use Only *** " : "");
    var more = option.detail().isEmpty() ? option.brief() : option.detail();
    var allowed =
        option.values().isEmpty() ? "" : "  Allowed values: " + String.join(", ", option.values());
    var content =
        Element.builder("content")
            .attr("type", agentType(option.type()))
            .attr("default", option.defaultValue());
    option.values().forEach(it -> content.add(Element.of("option", "value", it)));
    return Element.of("parameter", "name", option.name())
        .plus(Element.of("longdesc", "lang", "en").withText(more + allowed))
        .plus(Element.of("shortdesc", "lang", "en").withText(marks + option.brief()))
        .plus(content.build());
  }

  /// The type in the words that agents have for types.
  private static String agentType(String type) {
    return switch (type) {
      case "duration", "timeout" -> "time";
      case "version" -> "string";
      case "score", "port", "nonnegative_integer" -> "integer";
      default -> type;
    };
  }
}
