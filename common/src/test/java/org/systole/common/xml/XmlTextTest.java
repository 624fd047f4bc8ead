package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

final class XmlTextTest {
  private static Element holding(Element inner) {
    return Element.builder("a").add(Element.of("b", "c", "<\u00e9\n\t\r\">")).add(inner).build();
  }

  @Test
  void whatIsReadAsItWasWrittenIsHandedOnAsItIs() throws XmlException {
    var plain = holding(Element.of("d"));
    assertSame(plain, XmlText.of(plain).element());
    assertEquals(plain, XmlText.of(XmlText.of(plain).text()).element(), "no other than by its text");
  }

  /// Who holds both ends of a connection finds what who is at the other end would.
  @Test
  void whatIsReadAsSomethingElseIsRead() throws XmlException {
    var strange = holding(Element.of("d", "e", "\u0001"));
    assertEquals("\uFFFD", XmlText.of(strange).element().child(1).get("e"));
    var half = holding(Element.of("d", "e", "\uD800"));
    assertEquals("\uFFFD", XmlText.of(half).element().child(1).get("e"));
    var blank = Element.of("d").withText(" ");
    assertEquals(XmlReader.parse(XmlWriter.compact(holding(blank))), XmlText.of(holding(blank)).element());
    var comment = holding(Element.comment("f"));
    assertNotSame(comment, XmlText.of(comment).element());
    assertEquals(XmlReader.parse(XmlWriter.compact(comment)), XmlText.of(comment).element());
  }

  @Test
  void whatIsTooDeepToBeReadIsNotHandedOn() throws XmlException {
    var deep = Element.of("d");
    for (var depth = 1; depth < PlainXml.DEPTH_MAX; depth++) {
      deep = Element.builder("d").add(deep).build();
    }
    assertEquals(PlainXml.DEPTH_MAX, deep.depth());
    assertSame(deep, XmlText.of(deep).element());
    assertEquals(deep, XmlReader.parse(XmlWriter.compact(deep)));
    var tooDeep = XmlText.of(Element.builder("d").add(Element.builder("d").add(deep).build()).build());
    assertThrows(XmlException.class, tooDeep::element);
  }

  @Test
  void aTextIsWhatItWasAndIsReadOnce() throws XmlException {
    var text = XmlText.of("<a  b='c'/>");
    assertEquals("<a  b='c'/>", text.text());
    assertSame(text.element(), text.element());
    assertEquals(Element.of("a", "b", "c"), text.element());
    assertThrows(XmlException.class, () -> XmlText.of("<a").element());
    assertThrows(XmlException.class, () -> XmlText.of("").element());
  }

  @Test
  void thoseWithTheSameTextAreEqual() {
    assertEquals(XmlText.of("<a b=\"c\"/>"), XmlText.of(Element.of("a", "b", "c")));
    assertEquals(XmlText.of("<a/>").hashCode(), XmlText.of(Element.of("a")).hashCode());
    assertNotEquals(XmlText.of("<a />"), XmlText.of(Element.of("a")));
    assertEquals("<a/>", XmlText.of(Element.of("a")).toString());
  }
}
