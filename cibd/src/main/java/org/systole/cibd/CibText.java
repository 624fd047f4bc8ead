package org.systole.cibd;

import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibDigest;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The whole CIB as text, and its digest, made once for each version.
final class CibText {
  private final CibCopy copy;
  private @Nullable Element textOf;
  private String text = "";
  private @Nullable Element digestOf;
  private String digest = "";

  CibText(CibCopy copy) {
    this.copy = copy;
  }

  /// As it is now.
  String whole() {
    var cib = copy.cib();
    if (textOf != cib) {
      text = XmlWriter.compact(cib);
      textOf = cib;
    }
    return text;
  }

  /// Its digest, as `cibadmin --md5-sum-versioned` prints it.
  String digest() {
    var cib = copy.cib();
    if (digestOf != cib) {
      digest = CibDigest.versioned(cib);
      digestOf = cib;
    }
    return digest;
  }
}
