package org.systole.schedulerd.upgrade;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibSchemas;
import org.systole.common.xml.Element;

/// Brings a CIB from the schema it was written for to the current one. What is not supported any
/// more is dropped, renamed or expressed in today's terms; a CIB that happens to fit the newer
/// schema
/// is only marked as such.
public final class SchemaUpgrade implements CibSchemas.Upgrade {
  /// The current schema.
  public static final String CURRENT = "pacemaker-4.0";

  /// A CIB of the current schema and what had to be given up for it.
  ///
  /// @param warnings one line each
  public record Result(Element cib, List<String> warnings) {
    public Result {
      warnings = List.copyOf(warnings);
    }
  }

  /// A service.
  public SchemaUpgrade() {}

  @Override
  public @Nullable Element upgrade(Element cib) {
    var result = toCurrent(cib);
    return result == null ? null : result.cib();
  }

  /// The CIB for the current schema; unchanged if it has that or is exempt from schemas.
  ///
  /// @return null if it does not say which schema it was written for, or names an unknown one
  public static @Nullable Result toCurrent(Element cib) {
    var schema = cib.get("validate-with");
    if (schema == null || !CibSchemas.isKnown(schema)) {
      return null;
    }
    if (CibSchemas.compare(schema, CURRENT) >= 0) {
      return new Result(cib, List.of());
    }
    var warnings = new ArrayList<String>();
    var result = cib;
    if (CibSchemas.compare(schema, "pacemaker-2.0") < 0) {
      result = AclUpgrade.upgrade(result);
    }
    if (CibSchemas.compare(schema, "pacemaker-3.0") < 0 && OldNames.concern(result)) {
      result = OldNames.upgrade(result);
    }
    if (Unsupported.concern(result)) {
      result = Unsupported.upgrade(result, warnings);
    }
    return new Result(result.with("validate-with", CURRENT), warnings);
  }
}
