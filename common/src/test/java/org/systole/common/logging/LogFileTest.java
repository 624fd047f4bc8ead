package org.systole.common.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.world.Log.Level;

final class LogFileTest {
  private static List<LogLine> line(String text) {
    return List.of(LogLine.of(0, Level.ERROR, "Test", text));
  }

  @Test
  void whereItsPathLeadsElsewhereTheLogGoesOnInTheOldFileAndSaysSoOnce(@TempDir Path dir)
      throws Exception {
    var path = dir.resolve("pacemaker.log");
    var before = dir.resolve("pacemaker.log.1");
    var log = new LogFile(path, "n d[1]", _ -> {});
    log.write(line("first"));
    Files.move(path, before);
    Files.createSymbolicLink(path, dir.resolve("elsewhere.log"));
    for (var at = 0; at < 5; at++) {
      log.write(line("second"));
    }
    var lines = Files.readAllLines(before);
    assertEquals(5, lines.stream().filter(it -> it.contains("second")).count());
    assertEquals(1, lines.stream().filter(it -> it.contains("Cannot open the log file")).count());
    Files.delete(path);
    log.write(line("third"));
    assertTrue(Files.readString(path).contains("third"), "and in the new one once it can");
  }
}
