package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlainXmlTest {
  private static final List<String> PIECES =
      List.of(
          "<a>",
          "</a>",
          "<b",
          "<a",
          ">",
          "/>",
          "/",
          "</b>",
          "</b >",
          "</",
          "<",
          " ",
          "  ",
          "\n",
          "\t",
          "\r",
          " x=\"1\"",
          " x='1'",
          " y = \"2\"",
          "y=\"3\"",
          " x",
          "=",
          "\"",
          "'",
          "&lt;",
          "&gt;",
          "&amp;",
          "&quot;",
          "&apos;",
          "&#x0A;",
          "&#x09;",
          "&#x0D;",
          "&#10;",
          "&#xD800;",
          "&#13;",
          "&#x1F600;",
          "&#x10FFFF;",
          "&#x110000;",
          "&#65535;",
          "&#0;",
          "&#x;",
          "&#;",
          "&x41;",
          "&#X41;",
          "&#-1;",
          "\ud83d",
          "\ude00",
          "\ue000",
          "\uffff",
          "&nope;",
          "&",
          ";",
          "]]>",
          "]",
          "<!-- c -->",
          "<![CDATA[d]]>",
          "<?pi d?>",
          "<!DOCTYPE a>",
          "<?xml version=\"1.0\"?>",
          " xmlns=\"u\"",
          " xmlns:p=\"u\"",
          "p:",
          " xml:id=\"i\"",
          "text",
          "t",
          "-",
          ".",
          "1",
          "_",
          "\u00e9",
          "\u0085",
          "\u2028",
          "\u00a0",
          "\ufffe",
          "\ufffd",
          "\ud83d\ude00",
          "\ud83d",
          "\0",
          "\1",
          "\u007f",
          "<c/>",
          "<a/>",
          "<b x=\"\"></b>");

  @Test
  void whatItReadsTheThoroughParserReadsTheSameWay() {
    var random = new Random(7);
    var read = 0;
    for (var round = 0; round < 60_000; round++) {
      var text = round % 2 == 0 ? pieces(random) : changed(document(random), random);
      var plain = PlainXml.read(text);
      if (plain == null) {
        continue;
      }
      read++;
      try {
        assertEquals(XmlReader.parseThoroughly(text), plain, text);
      } catch (XmlException e) {
        throw new AssertionError(text + ": " + e.getMessage(), e);
      }
    }
    assertTrue(read > 5_000, "only " + read + " were plain");
  }

  @Test
  void itReadsWhatTheWriterWrites() throws XmlException {
    var random = new Random(8);
    for (var round = 0; round < 5_000; round++) {
      var element = element(random, 4);
      var text = random.nextBoolean() ? XmlWriter.compact(element) : XmlWriter.pretty(element);
      assertEquals(XmlReader.parseThoroughly(text), assertNotNull(PlainXml.read(text), text), text);
    }
  }

  @Test
  void whatAgentsTellOfThemselvesIsPlain() throws XmlException {
    var text =
        """
        <?xml version="1.0" ?>
        <resource-agent name="fence_x">
        <longdesc>The first line,
        \tand &quot;another&quot;.
        </longdesc>
        <vendor-url></vendor-url>
        </resource-agent>""";
    var plain = PlainXml.read(text.substring(text.indexOf('\n')));

    assertEquals(XmlReader.parseThoroughly(text), assertNotNull(plain, text));
    assertEquals(plain, XmlReader.parseMetadata(text));
  }

  @Test
  void bytesAreReadAsTheThoroughParserReadsThem() throws XmlException {
    for (var declaration :
        List.of("", "<?xml version=\"1.0\"?>\n", "<?xml version=\"1.0\" encoding=\"utf-8\"?>")) {
      for (var charset : List.of(StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1)) {
        var bytes = (declaration + "<a x=\"\u00e9\"><b/></a>").getBytes(charset);
        assertEquals(outcome(bytes, true), outcome(bytes, false));
      }
    }
    var latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a x=\"\u00e9\"/>";
    assertEquals("\u00e9", XmlReader.parse(latin.getBytes(StandardCharsets.ISO_8859_1)).get("x"));
  }

  private static String outcome(byte[] bytes, boolean thorough) {
    try {
      return "" + (thorough ? XmlReader.parseThoroughly(bytes) : XmlReader.parse(bytes));
    } catch (XmlException e) {
      return "" + e.getMessage();
    }
  }

  @Test
  void whatAProgramSaysIsPlainWhateverItIs() throws XmlException {
    var said = "<a xmlns='u' \u0001 \ud83d\ude00 &\n".repeat(3_000); // the other one takes 200 namespaces
    var text = XmlWriter.compact(Element.of("a", "x", said));
    assertEquals(XmlWriter.sayable(said), assertNotNull(PlainXml.read(text), text).get("x"));
    assertEquals(XmlWriter.sayable(said), XmlReader.parse(text.getBytes(StandardCharsets.UTF_8)).get("x"));
    var byOthers = text.replace("&#x0A;", "&#10;"); // as libxml2 writes it
    assertEquals(XmlWriter.sayable(said), XmlReader.parse(byOthers).get("x"));
  }

  @Test
  void aValueOfReferencesIsReadInTimeThatGrowsWithItsLength() throws XmlException {
    var text = "<a x=\"" + "&#10;".repeat(4_000_000) + "\"/>"; // as long as a message may be; the other one takes minutes
    var read = assertTimeoutPreemptively(Duration.ofSeconds(60), () -> XmlReader.parse(text));
    assertEquals("\n".repeat(4_000_000), read.get("x"));
  }

  @Test
  void anElementMayHaveManyAttributesButNoneTwice() throws XmlException {
    for (var many : List.of(63, 64, 65, 201, 1_000, 10_000)) {
      var element = Element.builder("attributes");
      for (var at = 0; at < many; at++) {
        element.attr("x" + at, at);
      }
      var text = XmlWriter.compact(element.build());
      assertEquals(element.build(), XmlReader.parse(text), "" + many);
      var twice = text.replace("/>", " x%d=\"\"/>".formatted(many / 2));
      assertNull(PlainXml.read(twice), "" + many);
      assertThrows(XmlException.class, () -> XmlReader.parse(twice), "" + many);
    }
    var named = Element.of("a", "x".repeat(900), "1");
    assertEquals(named, PlainXml.read(XmlWriter.compact(named)));
  }

  @Test
  void itLeavesWhatItDoesNotKnowToTheOther() {
    for (var text :
        List.of("<!DOCTYPE a><a/>", "<a xmlns='u'/>", "<a>x<b/></a>", "<a", "<a/>x", "")) {
      assertNull(PlainXml.read(text), text);
    }
    assertNull(PlainXml.read("<a>".repeat(100_000)));
  }

  private static Element assertNotNull(Element read, String text) {
    org.junit.jupiter.api.Assertions.assertNotNull(read, text);
    return read;
  }

  private static String pieces(Random random) {
    var text = new StringBuilder();
    for (var left = 1 + random.nextInt(8); left > 0; left--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }

  private static String document(Random random) {
    var element = element(random, 3);
    return random.nextBoolean() ? XmlWriter.compact(element) : XmlWriter.pretty(element);
  }

  private static String changed(String document, Random random) {
    var text = new StringBuilder(document);
    for (var left = random.nextInt(3); left > 0; left--) {
      var at = random.nextInt(text.length() + 1);
      if (random.nextInt(3) == 0) {
        text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(4)));
      } else {
        text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
      }
    }
    return text.toString();
  }

  private static Element element(Random random, int depth) {
    var element = Element.builder(List.of("a", "b", "op-x", "n_1.c").get(random.nextInt(4)));
    for (var left = random.nextInt(4); left > 0; left--) {
      element.attr("x" + random.nextInt(5), value(random));
    }
    if (depth > 0 && random.nextInt(3) > 0) {
      for (var left = random.nextInt(4); left > 0; left--) {
        element.add(element(random, depth - 1));
      }
    } else if (random.nextInt(3) == 0) {
      element.text("t" + value(random).replace("]", ""));
    }
    return element.build();
  }

  private static String value(Random random) {
    var value = new StringBuilder();
    for (var left = random.nextInt(6); left > 0; left--) {
      value.append(
          List.of("v", "<", ">", "&", "\"", "'", "]", " ", "\n", "\t", "\r", "\u00e9", "12", "\1", "\ud83d\ude00", "\ud83d")
              .get(random.nextInt(16)));
    }
    return value.toString();
  }
}
