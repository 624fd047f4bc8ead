package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.systole.common.schema.CibSchema;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Whether a CIB conforms to the schema it names. Only the configuration is looked at: in the
/// status section anything goes.
public final class CibValidation {
  private CibValidation() {}

  /// What is wrong with a CIB, one line each; empty if nothing is. `validate-with="none"` turns
  /// validation off.
  public static List<String> problems(Element cib) {
    return problems(cib, Map.of());
  }

  /// What is wrong with the CIB in a document, with the lines where it is.
  ///
  /// @throws XmlException if the document is not well-formed
  public static List<String> problems(byte[] document) throws XmlException {
    var located = XmlReader.parseLocated(document);
    return problems(located.root(), located.lines());
  }

  private static List<String> problems(Element cib, Map<Element, Integer> lines) {
    var schema = cib.get("validate-with");
    if (schema == null || !CibSchemas.isKnown(schema)) {
      return List.of(
          "Cannot validate CIB with "
              + (schema == null ? "missing" : "unknown")
              + " validate-with (manually edit to use a known schema)");
    }
    var problems = new ArrayList<String>();
    for (var fault : CibSchema.check(cib, schema, lines)) {
      problems.add(fault.message());
    }
    return problems;
  }
}
