package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The mistakes that are built in on purpose still fit the sources.
final class SimPlantedTest {
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  /// If this fails a source has changed: change the mistake with it, so that it is still the same one.
  @Test
  void eachMistakeFitsTheSources() throws IOException {
    var all = SimPlanted.all(TOP.resolve(SimPlanted.DIRECTORY));
    assertFalse(all.isEmpty());
    for (var each : all) {
      assertFalse(each.why().isEmpty(), each.name());
      assertFalse(each.edits().isEmpty(), each.name());
      SimPlanted.sources(TOP, each)
          .forEach((file, text) -> assertFalse(text.isEmpty(), each.name()));
    }
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
