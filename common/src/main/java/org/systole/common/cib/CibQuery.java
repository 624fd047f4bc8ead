package org.systole.common.cib;

/// A question to a CIB.
///
/// @param section a section's name, an XPath if `byXPath`, or empty for the whole CIB
/// @param noChildren only the matching elements themselves
/// @param paths the XPath of each match instead of the match
public record CibQuery(String section, boolean byXPath, boolean noChildren, boolean paths) {
  public static final CibQuery ALL = section("");

  public static CibQuery section(String name) {
    return new CibQuery(name, false, false, false);
  }

  /// One match is answered as it is, several inside an `<xpath-query>`.
  public static CibQuery xpath(String xpath) {
    return new CibQuery(xpath, true, false, false);
  }
}
