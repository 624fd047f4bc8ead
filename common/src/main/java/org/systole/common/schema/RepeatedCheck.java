package org.systole.common.schema;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// Checks one configuration after the other, each most likely made from the one before: what they
/// share is not checked again. Finds the same as [CibSchema#check]. Not safe for use by several
/// threads.
public final class RepeatedCheck {
  private String schema = "";
  private @Nullable CheckedParts last;

  /// @throws IllegalArgumentException if there is no schema of that name
  public List<SchemaFault> check(Element cib, String ofSchema) {
    if (ofSchema.equals("none")) {
      return List.of();
    }
    var parts = new CheckedParts(ofSchema.equals(schema) ? last : null);
    var faults = new Validation(CibSchema.grammar(ofSchema), Map.of(), parts).check(cib);
    if (!faults.isEmpty() || !parts.fit()) {
      return CibSchema.check(cib, ofSchema); // it knows what to say
    }
    schema = ofSchema;
    last = parts;
    return List.of();
  }
}
