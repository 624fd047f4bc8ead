package org.systole.common.cib;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.CibSchema;
import org.systole.common.schema.CibSchemas;
import org.systole.common.schema.RepeatedCheck;
import org.systole.common.schema.SchemaFault;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Whether a CIB conforms to the schema it names. Only the configuration is looked at: in the
/// status section anything goes.
public final class CibValidation {
  private final RepeatedCheck check = new RepeatedCheck();

  /// For one CIB after the other: what each shares with the last is not checked again. Not safe for
  /// use by several threads.
  public CibValidation() {}

  /// As [#problems(Element)].
  public List<String> problemsNow(Element cib) {
    var unknown = unknownSchema(cib);
    return unknown != null ? unknown : lines(check.check(cib, cib.get("validate-with", "")));
  }

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
    var unknown = unknownSchema(cib);
    return unknown != null
        ? unknown
        : lines(CibSchema.check(cib, cib.get("validate-with", ""), lines));
  }

  private static @Nullable List<String> unknownSchema(Element cib) {
    var schema = cib.get("validate-with");
    return schema != null && CibSchemas.isKnown(schema)
        ? null
        : List.of(
            "Cannot validate CIB with "
                + (schema == null ? "missing" : "unknown")
                + " validate-with (manually edit to use a known schema)");
  }

  private static List<String> lines(List<SchemaFault> faults) {
    return faults.stream().map(SchemaFault::message).toList();
  }
}
