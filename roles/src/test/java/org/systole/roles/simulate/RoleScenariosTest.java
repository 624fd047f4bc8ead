package org.systole.roles.simulate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolesReader;
import org.systole.roles.document.RolesWriter;

/// Small stories, one for each rule. `NAME.xml` is the story, and its head says what must happen and
/// why; `NAME.expected` is what happens. After a change of behaviour `-Droles.bless=true` writes
/// what happens anew: compare each with the reasons in the head before you commit it.
final class RoleScenariosTest {
  private static final Path ROOT = Path.of("src/test/resources/org/systole/roles/scenarios");
  private static final int REASON_MIN = 60;

  @TestFactory
  Stream<DynamicTest> stories() throws IOException {
    try (var files = Files.list(ROOT)) {
      return files.filter(it -> it.toString().endsWith(".xml")).sorted().toList().stream()
          .map(it -> dynamicTest(it.getFileName().toString(), () -> check(it)));
    }
  }

  @Test
  void thereAreManyAndNoneIsWithoutItsStory() throws IOException {
    try (var files = Files.list(ROOT)) {
      var names = files.map(it -> it.getFileName().toString()).sorted().toList();
      var stories = names.stream().filter(it -> it.endsWith(".xml")).toList();
      assertTrue(stories.size() >= 100, stories.size() + " stories");
      var expected = stories.stream().map(it -> it.replace(".xml", ".expected")).toList();
      assertEquals(expected, names.stream().filter(it -> !it.endsWith(".xml")).toList());
    }
  }

  private static void check(Path file) throws IOException, XmlException, DocumentFault {
    var text = Files.readString(file);
    var end = text.indexOf("-->");
    assertTrue(text.startsWith("<!--") && end > REASON_MIN, "its head says why: " + file);
    var withEvents = file.getFileName().toString().startsWith("events-");
    var told = tell(text, withEvents);
    assertEquals(told, tell(text, withEvents), "the same story is told the same way");
    var expected = Path.of(file.toString().replace(".xml", ".expected"));
    if (Boolean.getBoolean("roles.bless")) {
      Files.writeString(expected, told);
    }
    assertEquals(Files.readString(expected), told);
  }

  private static String tell(String text, boolean withEvents) throws XmlException, DocumentFault {
    var story = Simulation.tell(XmlReader.parse(text), Map.of(), withEvents);
    var written = RolesWriter.write(story.document());
    assertEquals(story.document(), RolesReader.read(written, Map.of()));
    return String.join("\n", StoryText.lines(story.steps())) + "\n";
  }
}
