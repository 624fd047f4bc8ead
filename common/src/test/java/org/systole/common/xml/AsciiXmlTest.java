package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AsciiXmlTest {
  private static String slow(Element element) {
    var out = new StringBuilder();
    XmlWriter.compact(element, out);
    return out.toString();
  }

  @Test
  void whatIsAsciiIsWrittenAsTheOtherWrites() {
    var long1 = "a".repeat(3_000);
    for (var value : List.of("", "plain", "a<b>&\"c\"", "line\n\ttab\r", "it's", long1)) {
      var inner = Element.of("nvpair", "id", "i", "value", value);
      var texts =
          List.of(
              inner,
              Element.of("a").plus(inner).plus(Element.of("b")),
              Element.of("a", "x", value).withText(value),
              Element.of("a").plus(Element.comment(" c <x> ")).plus(inner));
      for (var each : texts) {
        var quick = new AsciiXml();
        quick.write(each);
        assertEquals(slow(each), quick.text());
        assertEquals(slow(each), XmlWriter.compact(each));
      }
    }
  }

  @Test
  void whatIsNotIsLeftToTheOther() {
    for (var value : List.of("caf\u00e9", "\u20ac", "control \u0001", "\ud800", "\ud83d\ude00")) {
      var each = Element.of("a").plus(Element.of("b", "value", value)).plus(Element.of("c"));
      var quick = new AsciiXml();
      quick.write(each);
      assertNull(quick.text());
      assertEquals(slow(each), XmlWriter.compact(each));
    }
  }
}
