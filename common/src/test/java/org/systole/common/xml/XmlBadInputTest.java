package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class XmlBadInputTest {
  @TempDir private Path dir;

  @Test
  void whatIsNotWellFormedIsRefused() {
    for (var text :
        List.of(
            "", "<", "<a>", "<a></b>", "<a b></a>", "<a/><b/>", "text", "<a b=\"\1\"/>", "\0")) {
      assertThrows(XmlException.class, () -> XmlReader.parse(text), text);
    }
  }

  @Test
  void aBombOfEntitiesIsRefusedBeforeItGoesOff() {
    var bomb = new StringBuilder("<!DOCTYPE a [<!ENTITY e0 \"boom\">");
    for (var i = 1; i < 30; i++) {
      var before = "&e" + (i - 1) + ";";
      bomb.append("<!ENTITY e%d \"%s\">".formatted(i, before.repeat(10)));
    }
    bomb.append("]><a>&e29;</a>");
    assertThrows(XmlException.class, () -> XmlReader.parse(bomb.toString()));
  }

  @Test
  void nothingIsFetchedFromOutside() throws Exception {
    var secret = Files.writeString(dir.resolve("secret"), "secret");
    for (var text :
        List.of(
            "<!DOCTYPE a [<!ENTITY x SYSTEM \"%s\">]><a>&x;</a>".formatted(secret.toUri()),
            "<!DOCTYPE a SYSTEM \"%s\"><a>&x;</a>".formatted(secret.toUri()),
            "<!DOCTYPE a [<!ENTITY %% x SYSTEM \"%s\"> %%x;]><a>&y;</a>".formatted(secret.toUri()),
            "<a>&x;</a>")) {
      var refusal = assertThrows(XmlException.class, () -> XmlReader.parse(text), text);
      assertFalse(String.valueOf(refusal.getMessage()).contains("secret\n"), text);
    }
  }

  @Test
  void anAgentMayNameADocumentTypeButNotDeclareAnything() throws Exception {
    var head = "<?xml version=\"1.0\"?>\n<!-- of > old -->\n";
    var plain = XmlReader.parse("<a b='1'/>");
    for (var type :
        List.of(
            "<!DOCTYPE a SYSTEM \"ra-api-1.dtd\">",
            "<!DOCTYPE a PUBLIC '-//x[>]//' \"ra.dtd\" >",
            "<!DOCTYPE a>",
            "")) {
      assertEquals(plain, XmlReader.parseMetadata(head + type + "\n<a b='1'/>"), type);
    }
    for (var type :
        List.of(
            "<!DOCTYPE a [<!ENTITY x 'y'>]>",
            "<!DOCTYPE a SYSTEM \"x\" [<!ENTITY x 'y'>]>",
            "<!DOCTYPE a><!DOCTYPE a>",
            "<!DOCTYPE a")) {
      assertThrows(
          XmlException.class, () -> XmlReader.parseMetadata(head + type + "<a b='1'/>"), type);
    }
    assertThrows(XmlException.class, () -> XmlReader.parseMetadata("<!DOCTYPE a><a>&x;</a>"));
  }

  @Test
  void namespacesWithoutEndAreRefusedBeforeTheParserSeesThem() throws Exception {
    var many = new StringBuilder("<a");
    for (var number = 0; number < 300_000; number++) { // minutes, for the parser
      many.append(" xmlns:a").append(number).append("='u'");
    }
    many.append("/>");
    var texts = new ArrayList<byte[]>();
    texts.add(many.toString().getBytes(StandardCharsets.UTF_8));
    for (var encoding : List.of("ISO-8859-1", "windows-1252", "UTF-16", "UTF-16BE", "Cp037")) {
      var declared = "<?xml version='1.0' encoding='" + encoding + "'?>";
      texts.add((declared + many).getBytes(Charset.forName(encoding)));
    }
    var mixed = new ByteArrayOutputStream();
    mixed.write("<?xml version='1.0' encoding='Cp037'?>".getBytes(StandardCharsets.US_ASCII));
    mixed.write(many.toString().getBytes(Charset.forName("Cp037")));
    texts.add(mixed.toByteArray());
    mixed.reset();
    mixed.write("<?xml version='1.0' ".getBytes(StandardCharsets.UTF_16));
    mixed.write((" ".repeat(1000) + "encoding='Cp037'?>").getBytes(StandardCharsets.UTF_16BE));
    mixed.write(many.toString().getBytes(Charset.forName("Cp037")));
    texts.add(mixed.toByteArray());
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          for (var text : texts) {
            assertThrows(XmlException.class, () -> XmlReader.parse(text));
            assertThrows(XmlException.class, () -> XmlReader.parseLocated(text));
          }
          assertThrows(XmlException.class, () -> XmlReader.parse(many.toString()));
        });
  }

  @Test
  void referencesWithoutEndAreRefusedBeforeTheParserSeesThem() {
    var text = "<a xmlns:p='u' b='" + "&#10;".repeat(NamespaceLimit.REFERENCES_MAX + 1) + "'/>";
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    for (var refusal : List.of(assertThrows(XmlException.class, () -> XmlReader.parse(text)), assertThrows(XmlException.class, () -> XmlReader.parse(bytes)))) {
      assertEquals("more than 500000 references", refusal.getMessage());
    }
  }

  @Test
  void someNamespacesAndTheUsualEncodingsAreRead() throws Exception {
    var some = new StringBuilder("<a encoding='x'");
    for (var number = 0; number < NamespaceLimit.MAX; number++) {
      some.append(" xmlns:a").append(number).append("='u'");
    }
    some.append(" b='\u00e9'/>");
    assertEquals("\u00e9", XmlReader.parse(some.toString()).get("b"));
    for (var encoding : List.of("UTF-8", "ISO-8859-1", "windows-1252", "UTF-16")) {
      var text = "<?xml version='1.0' encoding='" + encoding + "'?>" + some;
      assertEquals("\u00e9", XmlReader.parse(text.getBytes(Charset.forName(encoding))).get("b"));
    }
  }

  @Test
  void aTreeThatIsTooDeepIsRefused() {
    var deep = "<a>".repeat(100_000) + "</a>".repeat(100_000);
    assertThrows(XmlException.class, () -> XmlReader.parse(deep));
  }

  @Test
  void whateverAProgramWroteTheDocumentStaysOne() throws Exception {
    var every = new StringBuilder();
    for (var c = 0; c <= Character.MAX_VALUE; c++) {
      every.append((char) c);
    }
    every.append("\uD83D\uDE00 \uDE00\uD83D end");
    var written = Element.of("a", "b", every.toString()).withText("x\0y<\u001b");
    var read = XmlReader.parse(XmlWriter.compact(written));
    var value = read.get("b", "");
    assertEquals(every.length(), value.length());
    assertEquals("\uD83D\uDE00 \uFFFD\uFFFD end", value.substring(value.length() - 9));
    assertEquals("x\uFFFDy<\uFFFD", read.text());
    assertEquals(read, XmlReader.parse(XmlWriter.pretty(read)));
  }

  @Test
  void bytesThatAreNoTextAreRefusedAndNothingIsSaidPastTheLog() {
    var before = System.err;
    var said = new java.io.ByteArrayOutputStream();
    System.setErr(new java.io.PrintStream(said, true));
    try {
      for (var bytes : new byte[][] {{'<', 'a', -1, '/', '>'}, {-17, -1}, {'<', 'a', '>', -16, 1}}) {
        assertThrows(XmlException.class, () -> XmlReader.parse(bytes));
        assertThrows(XmlException.class, () -> XmlReader.parseLocated(bytes));
      }
    } finally {
      System.setErr(before);
    }
    assertEquals("", said.toString());
  }
}
