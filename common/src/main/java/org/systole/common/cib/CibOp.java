package org.systole.common.cib;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Coded;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// One change asked of a CIB.
///
/// @param section a section's name, an XPath if `byXPath`, or empty for the whole CIB
/// @param xml the input as text; null where the kind of change takes none
/// @param allowCreate what a MODIFY does not find is created
/// @param score a MODIFY expands `value++` and `value+=N` in attribute values
/// @param multiple an XPath stands for all it matches, not only the first
/// @param schema the schema an UPGRADE stops at, empty for the latest
public record CibOp(
    Kind kind,
    String section,
    boolean byXPath,
    @Nullable String xml,
    boolean allowCreate,
    boolean score,
    boolean multiple,
    String schema) {
  public enum Kind implements Coded {
    CREATE(0),
    MODIFY(1),
    REPLACE(2),
    DELETE(3),
    ERASE(4),
    BUMP(5),
    /// Applies a patchset, as [CibPatch] makes it.
    PATCH(6),
    UPGRADE(7),
    /// Changes the cluster's roles, which are not in the CIB: the only operation of its request.
    ROLES(8);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    @Override
    public int code() {
      return code;
    }

    /// The word the CIB's own messages use.
    public String word() {
      return switch (this) {
        case CREATE -> "cib_create";
        case MODIFY -> "cib_modify";
        case REPLACE -> "cib_replace";
        case DELETE -> "cib_delete";
        case ERASE -> "cib_erase";
        case BUMP -> "cib_bump";
        case PATCH -> "cib_apply_diff";
        case UPGRADE -> "cib_upgrade";
        case ROLES -> "roles_change";
      };
    }
  }

  private static CibOp of(Kind kind, String section, @Nullable Element input) {
    var xml = input == null ? null : XmlWriter.compact(input);
    return new CibOp(kind, section, false, xml, false, false, false, "");
  }

  /// Whether it can only be about the status section, or who is DC and whether there is quorum.
  public boolean isOfStatus() {
    return byXPath
        ? section.startsWith("//node_state") || section.startsWith("/cib/status")
        : section.equals("status")
            || section.isEmpty() && kind == Kind.MODIFY && xml != null && xml.endsWith("/>");
  }

  /// Whether all are, see [#isOfStatus].
  public static boolean areOfStatus(List<CibOp> operations) {
    return operations.stream().allMatch(CibOp::isOfStatus);
  }

  /// Adds `object` to a section; refused if one of that name and id is there.
  public static CibOp create(String section, Element object) {
    return of(Kind.CREATE, section, object);
  }

  /// Merges `object` into the matching element of a section (`status`, `nodes`, ...; empty for the
  /// root): given attributes are set, children are merged or added. Refused if nothing matches.
  public static CibOp modify(String section, Element object) {
    return of(Kind.MODIFY, section, object);
  }

  /// As [#modify], and adds `object` where nothing matches.
  public static CibOp put(String section, Element object) {
    return modify(section, object).allowingCreate();
  }

  /// Sets attributes of the root, such as `have-quorum` and `dc-uuid`.
  public static CibOp modifyRoot(String... attributes) {
    return of(Kind.MODIFY, "", Element.of("cib", attributes));
  }

  public static CibOp modifyXPath(String xpath, Element object) {
    return of(Kind.MODIFY, xpath, object).atXPath();
  }

  /// Replaces the matching element of a section, or the whole section or CIB if `object` is that.
  public static CibOp replace(String section, Element object) {
    return of(Kind.REPLACE, section, object);
  }

  public static CibOp replaceXPath(String xpath, Element object) {
    return of(Kind.REPLACE, xpath, object).atXPath();
  }

  /// Deletes what matches `object` by name and all its attributes. No error if there is none.
  public static CibOp delete(String section, Element object) {
    return of(Kind.DELETE, section, object);
  }

  /// Deletes the first match of an XPath. No error if there is none.
  public static CibOp deleteXPath(String xpath) {
    return of(Kind.DELETE, xpath, null).atXPath();
  }

  /// Deletes every match of an XPath. No error if there is none.
  public static CibOp deleteAllXPath(String xpath) {
    return deleteXPath(xpath).forAll();
  }

  public static CibOp erase() {
    return of(Kind.ERASE, "", null);
  }

  public static CibOp bump() {
    return of(Kind.BUMP, "", null);
  }

  public static CibOp patch(Element patchset) {
    return of(Kind.PATCH, "", patchset);
  }

  public static CibOp upgrade(String schema) {
    return new CibOp(Kind.UPGRADE, "", false, null, false, false, false, schema);
  }

  /// @param request `steps` or `role-work`
  public static CibOp roles(Element request) {
    return of(Kind.ROLES, "", request);
  }

  public CibOp allowingCreate() {
    return new CibOp(kind, section, byXPath, xml, true, score, multiple, schema);
  }

  public CibOp withScore() {
    return new CibOp(kind, section, byXPath, xml, allowCreate, true, multiple, schema);
  }

  public CibOp forAll() {
    return new CibOp(kind, section, byXPath, xml, allowCreate, score, true, schema);
  }

  public CibOp atXPath() {
    return new CibOp(kind, section, true, xml, allowCreate, score, multiple, schema);
  }
}
