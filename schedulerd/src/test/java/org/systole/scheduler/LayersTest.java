package org.systole.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// A package of the scheduler uses only those below it, so that a pass cannot ask a later one.
class LayersTest {
  /// Lowest first. The empty name is the library's way in.
  private static final List<String> LAYERS =
      List.of(
          "model",
          "operations",
          "unpack",
          "constraints",
          "assignment",
          "orderings",
          "actions",
          "graph",
          "",
          "explain",
          "status",
          "sim");

  private static final Path SOURCES = Path.of("src/main/java/org/systole/scheduler");
  private static final Pattern USE = Pattern.compile("\\borg\\.systole\\.scheduler\\.([a-z]*)");

  @Test
  void aPackageUsesOnlyThoseBelowIt() throws IOException {
    var found = new TreeSet<String>();
    for (var file : sources()) {
      for (var line : Files.readAllLines(file)) {
        found.addAll(upward(layerOf(file), line));
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void everyPackageHasItsPlace() throws IOException {
    var packages = new TreeSet<String>();
    for (var file : sources()) {
      packages.add(layerOf(file));
    }
    assertEquals(new TreeSet<>(LAYERS), packages);
  }

  @Test
  void anArrowUpIsFound() {
    assertFalse(upward("model", "import org.systole.scheduler.graph.GraphXml;").isEmpty());
    assertFalse(upward("actions", "import org.systole.scheduler.Planner;").isEmpty());
    assertTrue(upward("graph", "import org.systole.scheduler.model.Node;").isEmpty());
    assertTrue(upward("model", "/// See [org.systole.scheduler.Planner].").isEmpty());
  }

  private static List<String> upward(String layer, String line) {
    var found = new ArrayList<String>();
    var comment = line.indexOf("//");
    var use = USE.matcher(comment < 0 ? line : line.substring(0, comment));
    while (use.find()) {
      if (LAYERS.indexOf(use.group(1)) > LAYERS.indexOf(layer)) {
        found.add(layer + " uses " + line.trim());
      }
    }
    return found;
  }

  private static String layerOf(Path file) {
    var parent = SOURCES.relativize(file).getParent();
    return parent == null ? "" : parent.toString();
  }

  private static List<Path> sources() throws IOException {
    try (var files = Files.walk(SOURCES)) {
      return files.filter(it -> it.toString().endsWith(".java")).sorted().toList();
    }
  }
}
