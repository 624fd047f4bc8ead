package org.systole.common.schema;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.systole.common.xml.Element;

/// Checks a CIB against the schema of a version. What a version's schema is, is worked out when it
/// is first asked for, as far as it is needed.
public final class CibSchema {
  private static final Map<String, CibGrammar> GRAMMARS = new ConcurrentHashMap<>();

  private CibSchema() {}

  /// What keeps a CIB from conforming to a schema; nothing if it does, at most some twenty
  /// otherwise. Text between elements is not looked at, and what is in the status section neither.
  ///
  /// @param schema its name; `none` accepts everything
  /// @throws IllegalArgumentException if there is no schema of that name
  public static List<SchemaFault> check(Element cib, String schema) {
    return check(cib, schema, Map.of());
  }

  /// @param lines the line each element starts on, by identity; those it has none for get 0
  public static List<SchemaFault> check(Element cib, String schema, Map<Element, Integer> lines) {
    if (schema.equals("none")) {
      return List.of();
    }
    return new Validation(grammar(schema), lines).check(cib);
  }

  static CibGrammar grammar(String schema) {
    var grammar = GRAMMARS.get(schema);
    if (grammar == null) {
      grammar = new CibGrammar(number(schema));
      GRAMMARS.put(schema, grammar);
    }
    return grammar;
  }

  /// A schema's version, 100 times the major number plus the minor one.
  private static int number(String schema) {
    if (schema.equals("none") || !CibSchemas.isKnown(schema)) {
      throw new IllegalArgumentException("there is no schema " + schema);
    }
    var dash = schema.indexOf('-');
    var dot = schema.indexOf('.', dash);
    return 100 * Integer.parseInt(schema, dash + 1, dot, 10)
        + Integer.parseInt(schema, dot + 1, schema.length(), 10);
  }
}
