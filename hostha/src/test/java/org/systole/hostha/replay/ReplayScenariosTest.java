package org.systole.hostha.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The life of a few hosts each: what must come of it is in the script, and all that happens beside
/// it. With `-Dhostha.bless=true` what happens now is written down as expected; read the difference.
final class ReplayScenariosTest {
  private static final Path DIRECTORY =
      Path.of("src", "test", "resources", "org", "systole", "hostha", "scenarios");
  private static final boolean BLESS = Boolean.getBoolean("hostha.bless");
  private static final int REASONS_MIN = 80;

  @TestFactory
  Stream<DynamicTest> whatHappensIsWhatMust() throws IOException {
    return scripts().stream().map(it -> dynamicTest(it.getFileName().toString(), () -> check(it)));
  }

  @Test
  void everyScenarioSaysWhatMustHappenAndWhy() throws IOException {
    var scripts = scripts();
    assertTrue(scripts.size() >= 100, () -> "only " + scripts.size() + " scenarios");
    for (var script : scripts) {
      var lines = Files.readAllLines(script);
      var head = lines.stream().takeWhile(it -> it.startsWith("#")).collect(Collectors.joining());
      assertTrue(head.length() > REASONS_MIN, script + " gives no reasons");
      assertTrue(lines.stream().anyMatch(it -> it.startsWith("expect ")), script + " expects nothing");
    }
  }

  @Test
  void theSameScriptDoesTheSame() throws IOException, ReplayException {
    for (var script : scripts()) {
      var lines = Files.readAllLines(script);
      assertEquals(Replay.run(lines), Replay.run(lines), script.toString());
    }
  }

  private static void check(Path script) throws IOException, ReplayException {
    var happened = new ArrayList<String>();
    for (var entry : Replay.run(Files.readAllLines(script))) {
      assertTrue(!(entry instanceof Entry.Unexpected), entry::describe);
      if (!(entry instanceof Entry.Action it && it.minor())) {
        happened.add("%10s  %s".formatted(Entry.seconds(entry.at()), entry.describe()));
      }
    }
    var expected = Path.of(script.toString().replace(".replay", ".expected"));
    if (BLESS) {
      Files.write(expected, happened);
    }
    assertEquals(
        Files.readString(expected), String.join("\n", happened) + "\n", script.toString());
  }

  private static List<Path> scripts() throws IOException {
    // tests run in the directory of the module or in that of the project
    var at = Files.isDirectory(DIRECTORY) ? DIRECTORY : Path.of("hostha").resolve(DIRECTORY);
    try (var files = Files.list(at)) {
      return files.filter(it -> it.toString().endsWith(".replay")).sorted().toList();
    }
  }
}
