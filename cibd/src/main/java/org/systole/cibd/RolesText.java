package org.systole.cibd;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.values.Md5;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Makes text of the roles for the disk. They may be long, are written at each change, and most of
/// them are the very same objects as the time before: the text of those is kept.
final class RolesText {
  private static final int PIECE = 2_048; // bytes, up to which an element is kept as one
  private static final String EMPTY_END = "/>";

  private Map<Element, byte[]> kept = new IdentityHashMap<>(); // for look-ups only

  /// The same as [XmlWriter#compact(Element)], with one more attribute after the root's others: the
  /// digest of the text without it.
  byte[] withDigest(Element roles, String attribute) {
    var pieces = new IdentityHashMap<Element, byte[]>();
    var body = new ByteArrayOutputStream();
    put(roles, body, pieces);
    kept = pieces;
    var plain = body.toByteArray();
    var root = roles.withChildren(List.of()).withText(null);
    var head = begin(root).length;
    var named = begin(root.with(attribute, Md5.of(plain)));
    if (roles.childCount() == 0 && roles.text() == null) { // it ends otherwise
      return bytes(XmlWriter.compact(root.with(attribute, Md5.of(plain))));
    }
    var file = Arrays.copyOf(named, named.length + plain.length - head);
    System.arraycopy(plain, head, file, named.length, plain.length - head);
    return file;
  }

  private void put(Element at, ByteArrayOutputStream out, Map<Element, byte[]> pieces) {
    if (at.isComment() || at.text() != null || at.textLength() <= PIECE) {
      var piece = kept.get(at);
      if (piece == null) {
        var text = new StringBuilder();
        XmlWriter.compact(at, text);
        piece = bytes(text.toString());
      }
      pieces.put(at, piece);
      out.writeBytes(piece);
      return;
    }
    out.writeBytes(begin(at.withChildren(List.of())));
    for (var number = 0; number < at.childCount(); number++) {
      put(at.child(number), out, pieces);
    }
    out.writeBytes(bytes("</" + at.name() + ">"));
  }

  /// @param empty without children and text
  private static byte[] begin(Element empty) {
    var text = XmlWriter.compact(empty);
    return bytes(text.substring(0, text.length() - EMPTY_END.length()) + ">");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
