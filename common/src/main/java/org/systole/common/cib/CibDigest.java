package org.systole.common.cib;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Md5;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The MD5 digests that files and programs of a cluster compare CIBs by. They find accidents, not
/// forgeries.
public final class CibDigest {
  /// Attributes that say who changed a CIB and when, not what it says.
  private static final Set<String> ORIGIN =
      Set.of(
          "crm-debug-origin", "cib-last-written", "update-origin", "update-client", "update-user");

  private CibDigest() {}

  /// The digest kept beside a CIB on disk, as `cibadmin --md5-sum` prints it.
  public static String onDisk(Element cib) {
    var known = AppliedPatches.ofThisThread();
    return known == null ? ofFile(cib) : known.digest(cib, CibDigest::ofFile);
  }

  private static String ofFile(Element cib) {
    var text = new StringBuilder(" ");
    XmlWriter.compact(withoutText(cib), text);
    return Md5.of(text.append('\n').toString());
  }

  /// The digest on the wire, as `cibadmin --md5-sum-versioned` prints it.
  public static String versioned(Element cib) {
    return Md5.of(XmlWriter.compact(withoutOrigin(withoutText(cib))));
  }

  private static Element withoutText(Element element) {
    return element.find(it -> it.text() != null && !it.isComment()) == null
        ? element
        : element.isComment()
            ? element
            : element
                .withText(null)
                .withChildren(element.children().stream().map(CibDigest::withoutText).toList());
  }

  private static Element withoutOrigin(Element element) {
    if (element.find(CibDigest::hasOrigin) == null) {
      return element;
    }
    var without = element;
    for (var at = 0; at < element.attributeCount(); at++) {
      if (ORIGIN.contains(element.attributeName(at))) {
        without = without.without(element.attributeName(at));
      }
    }
    return without.withChildren(element.children().stream().map(CibDigest::withoutOrigin).toList());
  }

  private static boolean hasOrigin(Element element) {
    for (var at = 0; at < element.attributeCount(); at++) {
      if (ORIGIN.contains(element.attributeName(at))) {
        return true;
      }
    }
    return false;
  }

  /// Whether `expected` is the digest on disk of `cib`; spaces around it do not matter.
  public static boolean matches(Element cib, @Nullable String expected) {
    return expected != null && onDisk(cib).equalsIgnoreCase(expected.strip());
  }
}
