package org.systole.common.cib;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Product;
import org.systole.common.schema.CibSchemas;
import org.systole.common.xml.Element;

/// The sections of a CIB by name.
public final class CibSections {
  /// The schema new CIBs are written for.
  public static final String SCHEMA = CibSchemas.LATEST;

  /// The names of the configuration's sections, in the order the schema wants.
  public static final List<String> CONFIGURATION =
      List.of(
          "crm_config",
          "nodes",
          "resources",
          "constraints",
          "fencing-topology",
          "rsc_defaults",
          "op_defaults",
          "acls",
          "tags",
          "alerts");

  private CibSections() {}

  /// The steps from the root to a section, root first; null if there is no section of that name.
  ///
  /// @param section empty, `cib` and `all` mean the whole
  static @Nullable List<String> steps(String section) {
    return switch (section) {
      case "", "cib", "all" -> List.of("cib");
      case "status", "configuration" -> List.of("cib", section);
      case "crm_config",
          "nodes",
          "resources",
          "constraints",
          "fencing-topology",
          "rsc_defaults",
          "op_defaults",
          "acls",
          "tags",
          "alerts" ->
          List.of("cib", "configuration", section);
      default -> null;
    };
  }

  /// The absolute XPath of a section, null if there is no section of that name.
  public static @Nullable String xpath(String section) {
    var steps = steps(section);
    return steps == null ? null : "/" + String.join("/", steps);
  }

  /// A section of a CIB, null if the CIB lacks it or there is none of that name.
  public static @Nullable Element find(Element cib, String section) {
    var steps = steps(section);
    Element at = steps != null && cib.is("cib") ? cib : null;
    for (var step = 1; at != null && steps != null && step < steps.size(); step++) {
      at = at.first(steps.get(step));
    }
    return at;
  }

  /// The CIB a cluster begins with.
  public static Element emptyCib(int epoch, String schema) {
    return Element.builder("cib")
        .attr("crm_feature_set", Product.FEATURE_SET)
        .attr("validate-with", schema)
        .attr("admin_epoch", 0)
        .attr("epoch", epoch)
        .attr("num_updates", 0)
        .add(
            Element.builder("configuration")
                .add(Element.of("crm_config"))
                .add(Element.of("nodes"))
                .add(Element.of("resources"))
                .add(Element.of("constraints"))
                .build())
        .add(Element.of("status"))
        .build();
  }
}
