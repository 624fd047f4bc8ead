package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.systole.common.values.Md5;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The text of the roles is what it would be if it were made of nothing but them.
final class RolesTextTest {
  private final RolesText text = new RolesText();

  private void isWhole(Element roles) throws XmlException {
    var file = text.withDigest(roles, "digest");
    var digest = Md5.of(XmlWriter.compact(roles));
    assertEquals(
        XmlWriter.compact(roles.with("digest", digest)), new String(file, StandardCharsets.UTF_8));
    var read = XmlReader.parse(file);
    assertEquals(roles, read.without("digest"));
    assertEquals(digest, read.get("digest"));
  }

  private static Element random(Random random, int depth) {
    var at =
        Element.builder("e" + random.nextInt(3))
            .attr("a", "<\"é&\n" + random.nextInt(100))
            .attr("b", random.nextBoolean() ? "x" : null);
    var children = depth == 0 ? 0 : depth == 4 ? 12 : random.nextInt(8);
    for (var child = 0; child < children; child++) {
      at.add(random(random, depth - 1));
    }
    var element = at.build();
    return children == 0 && random.nextBoolean() ? element.withText("{\"a<\": \"ü\"}") : element;
  }

  /// Another piece of it, somewhere; all else is the very same.
  private static Element changed(Random random, Element at, int depth) {
    if (at.childCount() == 0 || random.nextInt(4) == 0) {
      return random(random, depth);
    }
    var children = new ArrayList<>(at.children());
    var which = random.nextInt(children.size());
    switch (random.nextInt(5)) {
      case 0 -> children.remove(which);
      case 1 -> children.add(which, random(random, depth - 1));
      default -> children.set(which, changed(random, children.get(which), depth - 1));
    }
    return at.withChildren(children);
  }

  @Test
  void whateverChangesTheTextIsThatOfTheWhole() throws XmlException {
    var random = new Random(7);
    for (var life = 0; life < 20; life++) {
      var roles = random(random, 4);
      for (var step = 0; step < 25; step++) {
        isWhole(roles);
        roles = changed(random, roles, 4);
      }
    }
  }

  @Test
  void rootsOfAllKinds() throws XmlException {
    isWhole(Element.of("roles"));
    isWhole(Element.of("roles", "a", "1"));
    isWhole(Element.of("roles").withText("text"));
    isWhole(Element.of("roles", "a", "1").plus(Element.of("one")));
    var many = Element.builder("roles");
    for (var id = 0; id < 500; id++) {
      many.add(Element.of("n", "id", "n" + id));
    }
    isWhole(many.build());
    isWhole(Element.of("roles").plus(many.build()));
  }
}
