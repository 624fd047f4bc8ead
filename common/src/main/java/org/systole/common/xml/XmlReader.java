package org.systole.common.xml;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/// Reads XML text into [Element]s. DTDs and external entities are refused, not skipped.
public final class XmlReader {
  private static final int DEPTH_MAX = 256;
  private static final String ATTRIBUTES_MAX = "1000"; // of an element; a resource may have more than the JDK's 200 parameters
  private static final String[] DECLARATIONS = {
    "<?xml version=\"1.0\"?>",
    "<?xml version=\"1.0\" ?>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
  };

  private static final class Factory {
    static final XMLInputFactory IT = make();

    private static XMLInputFactory make() {
      var factory = XMLInputFactory.newDefaultFactory();
      factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
      factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
      factory.setProperty(XMLInputFactory.IS_COALESCING, true);
      factory.setProperty("jdk.xml.elementAttributeLimit", ATTRIBUTES_MAX);
      return factory;
    }
  }

  private static final char REPLACEMENT = '\uFFFD'; // XmlWriter, too, writes it for what XML cannot say

  private static final int HEAD = 200; // bytes in which an encoding is named

  /// A document with the line each element started on, for messages about its content.
  public record Located(Element root, Map<Element, Integer> lines) {}

  private final Map<String, String> names = new HashMap<>(); // one string per name in a document
  private final @Nullable Map<Element, Integer> lines;

  private XmlReader(boolean locate) {
    lines = locate ? new IdentityHashMap<>() : null;
  }

  /// @throws XmlException if the text is not one well-formed element, or holds a DTD
  public static Element parse(String text) throws XmlException {
    var known = ParsedTexts.ofThisThread();
    if (known == null) {
      return parseAnew(text);
    }
    var before = known.element(text);
    if (before != null) {
      return before;
    }
    var parsed = parseAnew(text);
    known.parsed(text, parsed);
    return parsed;
  }

  /// As [#parse(String)], for a text that [XmlWriter#compact(Element)] made, where it does not matter
  /// whether the result is the very element that was written or one that equals it.
  public static Element parseWritten(String text) throws XmlException {
    var known = ParsedTexts.ofThisThread();
    var written = known == null ? null : known.written(text);
    return written == null ? parse(text) : written;
  }

  private static Element parseAnew(String text) throws XmlException {
    var plain = PlainXml.read(text);
    return plain != null ? plain : parseThoroughly(text);
  }

  /// What [#parse] does with all that [PlainXml] does not read.
  static Element parseThoroughly(String text) throws XmlException {
    NamespaceLimit.check(text);
    return new XmlReader(false).read(new StringReader(text));
  }

  /// As [#parse(String)], for what an agent tells of itself: many name a document type. One that
  /// declares nothing is left out, as are the usual XML declarations; nothing is looked up.
  public static Element parseMetadata(String text) throws XmlException {
    return parse(BareType.without(undeclared(text)));
  }

  /// @throws XmlException if the bytes are not one well-formed element, or hold a DTD
  public static Element parse(byte[] bytes) throws XmlException {
    var text = plainText(bytes);
    var plain = text == null ? null : PlainXml.read(text);
    return plain != null ? plain : parseThoroughly(bytes);
  }

  /// The document without its declaration, null if it is none of the usual, or not in UTF-8.
  private static @Nullable String plainText(byte[] bytes) {
    var text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0 && !Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
      return null; // it stands for what is not UTF-8
    }
    return undeclared(text);
  }

  private static String undeclared(String text) {
    for (var declaration : DECLARATIONS) {
      if (text.startsWith(declaration)) {
        return text.substring(declaration.length());
      }
    }
    return text;
  }

  /// What [#parse(byte[])] does with all that [PlainXml] does not read.
  static Element parseThoroughly(byte[] bytes) throws XmlException {
    return new XmlReader(false).read(bytes);
  }

  /// As [#parse(byte[])], with the line of each element; the map goes by identity.
  public static Located parseLocated(byte[] bytes) throws XmlException {
    var reader = new XmlReader(true);
    var root = reader.read(bytes);
    return new Located(root, reader.lines == null ? Map.of() : reader.lines);
  }

  private Element read(byte[] bytes) throws XmlException {
    refuseNoText(bytes);
    NamespaceLimit.check(bytes);
    try {
      return read(Factory.IT.createXMLStreamReader(new ByteArrayInputStream(bytes)));
    } catch (XMLStreamException e) {
      throw fault(e);
    }
  }

  private Element read(StringReader in) throws XmlException {
    try {
      return read(Factory.IT.createXMLStreamReader(in));
    } catch (XMLStreamException e) {
      throw fault(e);
    }
  }

  /// The parser would refuse them as well, and say so on standard error, past every log.
  private static void refuseNoText(byte[] bytes) throws XmlException {
    var head =
        new String(bytes, 0, Math.min(bytes.length, HEAD), StandardCharsets.ISO_8859_1)
            .toLowerCase(Locale.ROOT);
    var another = head.contains("encoding") && !head.contains("utf-8");
    var wide = head.startsWith("\u00fe\u00ff") || head.startsWith("\u00ff\u00fe");
    if (another || wide || head.indexOf('\0') >= 0) {
      return; // in another encoding, or no text for a reason that it tells well
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
    } catch (CharacterCodingException e) {
      throw new XmlException("not text in UTF-8", 0);
    }
  }

  private static XmlException fault(XMLStreamException e) {
    var message = e.getMessage() == null ? "not well-formed" : e.getMessage();
    var start = message.indexOf("Message: ");
    var plain = start < 0 ? message : message.substring(start + "Message: ".length());
    return new XmlException(
        plain.strip(), e.getLocation() == null ? 0 : e.getLocation().getLineNumber());
  }

  private Element read(XMLStreamReader in) throws XMLStreamException, XmlException {
    var open = new ArrayDeque<Element.Builder>();
    var starts = new ArrayDeque<Integer>();
    Element root = null;
    while (in.hasNext()) {
      switch (in.next()) {
        case XMLStreamConstants.START_ELEMENT -> {
          if (open.size() >= DEPTH_MAX) {
            throw new XmlException(
                "elements nested more than " + DEPTH_MAX + " deep",
                in.getLocation().getLineNumber());
          }
          open.push(start(in));
          starts.push(in.getLocation().getLineNumber());
        }
        case XMLStreamConstants.END_ELEMENT -> {
          var done = open.pop().build();
          int line = starts.pop();
          if (lines != null) {
            lines.put(done, line);
          }
          if (open.isEmpty()) {
            root = done;
          } else {
            open.peek().add(done);
          }
        }
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
          if (!open.isEmpty() && !in.isWhiteSpace()) {
            open.peek().text(in.getText());
          }
        }
        case XMLStreamConstants.COMMENT -> {
          if (!open.isEmpty()) {
            open.peek().add(Element.comment(in.getText()));
          }
        }
        case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
            throw new XmlException(
                "document type declarations and entities are refused",
                in.getLocation().getLineNumber());
        default -> {}
      }
    }
    if (root == null) {
      throw new XmlException("no element", 0);
    }
    return root;
  }

  private Element.Builder start(XMLStreamReader in) {
    var element = Element.builder(one(qualified(in.getPrefix(), in.getLocalName())));
    for (var at = 0; at < in.getNamespaceCount(); at++) {
      var prefix = in.getNamespacePrefix(at);
      element.attr(prefix == null ? "xmlns" : "xmlns:" + prefix, in.getNamespaceURI(at));
    }
    for (var at = 0; at < in.getAttributeCount(); at++) {
      element.attr(
          one(qualified(in.getAttributePrefix(at), in.getAttributeLocalName(at))),
          in.getAttributeValue(at));
    }
    return element;
  }

  private static String qualified(@Nullable String prefix, String localName) {
    return prefix == null || prefix.isEmpty() ? localName : prefix + ":" + localName;
  }

  private String one(String name) {
    return names.computeIfAbsent(name, String::intern);
  }
}
