package org.systole.common.xml;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// How long an element's text is, known without writing it.
final class TextLengthTest {
  private static final String[] VALUES = {
    "", "a", "<&>\"'", "\n\t\r", "zwölf", "漢字", "😀x", "\uD800", "\u0001", "a'b"
  };

  private static Element any(Random random, int depth) {
    var element = Element.builder("e" + random.nextInt(3));
    for (var left = random.nextInt(3); left > 0; left--) {
      element.attr("a" + left, VALUES[random.nextInt(VALUES.length)]);
    }
    if (random.nextInt(4) == 0) {
      element.text(VALUES[random.nextInt(VALUES.length)]);
    }
    for (var left = depth == 0 ? 0 : random.nextInt(4); left > 0; left--) {
      element.add(
          random.nextInt(6) == 0 ? Element.comment("ein Wörtchen") : any(random, depth - 1));
    }
    return element.build();
  }

  @Test
  void itIsThatOfWhatTheWriterWrites() {
    var random = new Random(5);
    for (var round = 0; round < 2_000; round++) {
      var element = any(random, 4);
      var text = XmlWriter.compact(element);
      assertEquals(text.getBytes(StandardCharsets.UTF_8).length, element.textLength(), text);
    }
  }
}
