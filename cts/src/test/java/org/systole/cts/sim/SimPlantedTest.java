package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The mistakes that are built in on purpose still fit the sources, and some are found in little time.
final class SimPlantedTest {
  private static final int SEEDS_MAX = 12;
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  /// If this fails a source has changed: change the mistake with it, so that it is still the same one.
  @Test
  void eachMistakeFitsTheSources() throws IOException {
    var all = SimPlanted.all(TOP.resolve(SimPlanted.DIRECTORY));
    assertFalse(all.isEmpty());
    for (var each : all) {
      assertFalse(each.why().isEmpty(), each.name());
      assertFalse(each.edits().isEmpty(), each.name());
      each.edits().forEach(it -> assertNotEquals(it.from(), it.to(), each.name()));
      SimPlanted.sources(TOP, each)
          .forEach((file, text) -> assertFalse(text.isEmpty(), each.name()));
    }
  }

  /// One that does not compile would be found by nothing, and nobody would see it.
  @Test
  void eachMistakeCompiles() throws IOException {
    var problems = new ArrayList<String>();
    try (var compiler = new SimPlanted.Compiler()) {
      for (var each : SimPlanted.all(TOP.resolve(SimPlanted.DIRECTORY))) {
        compiler.problems(TOP, each).forEach(it -> problems.add(each.name() + ": " + it));
      }
    }
    assertEquals(List.of(), problems);
  }

  @Test
  void whatDoesNotCompileIsToldWithItsLine(@TempDir Path top) throws IOException {
    Files.writeString(top.resolve("A.java"), "class A {\n  int a = 1;\n}\n");
    var text = "# why\nfile: A.java\n--- from\n  int a = 1;\n--- to\n  int a = %s;\n---\n";
    try (var compiler = new SimPlanted.Compiler()) {
      Files.writeString(top.resolve("m"), text.formatted("b"));
      var wrong = compiler.problems(top, SimPlanted.read(top.resolve("m")));
      assertEquals(1, wrong.size(), wrong::toString);
      assertTrue(wrong.getFirst().startsWith("A.java:2: "), wrong::toString);
      Files.writeString(top.resolve("m"), text.formatted("2"));
      assertEquals(List.of(), compiler.problems(top, SimPlanted.read(top.resolve("m"))));
    }
  }

  /// The quickest to be found. With all: `./systole sim --planted`.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "s1-as-it-was two-active",
        "s3-no-wait-without-fencing two-active",
        "n2-messages-that-lack-something crash"
      })
  void aMistakeIsFound(String what) throws IOException {
    var words = what.split(" ");
    var planted = SimPlanted.read(TOP.resolve(SimPlanted.DIRECTORY).resolve(words[0]));
    var found = SimPlanted.find(TOP, planted, 0, SEEDS_MAX);
    assertTrue(found.contains(": " + words[1] + ": "), found);
  }

  @Test
  void whatDoesNotFitIsToldWithItsFile(@TempDir Path top) throws IOException {
    Files.writeString(top.resolve("A.java"), "one\ntwo\none\n");
    var text = "# why\nfile: A.java\n--- from\n%s\n--- to\nthree\n---\n";
    Files.writeString(top.resolve("m"), text.formatted("two"));
    var fits = SimPlanted.read(top.resolve("m"));
    assertEquals("why", fits.why());
    assertEquals("one\nthree\none\n", SimPlanted.sources(top, fits).get(Path.of("A.java")));
    for (var wrong : new String[] {"one", "four"}) {
      Files.writeString(top.resolve("m"), text.formatted(wrong));
      var planted = SimPlanted.read(top.resolve("m"));
      var problem = assertThrows(IOException.class, () -> SimPlanted.sources(top, planted));
      assertTrue(String.valueOf(problem.getMessage()).contains("A.java"), problem::getMessage);
    }
  }
}
