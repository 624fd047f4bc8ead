package org.systole.common.logging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.systole.common.layout.Layout;

/// Whatever `/etc/sysconfig/pacemaker` says of the log, a daemon starts, and what it cannot use it
/// says in a line. `-Dfuzz.files=N` tries a hundred times as many, `-Dfuzz.seed` others.
final class LogOptionsFuzzTest {
  private static final List<String> OPTIONS =
      List.of(
          "PCMK_logfile",
          "PCMK_logfile_mode",
          "PCMK_logfacility",
          "PCMK_logpriority",
          "PCMK_debug",
          "PCMK_stderr",
          "PCMK_trace_functions",
          "PCMK_trace_files",
          "PCMK_trace_formats",
          "PCMK_trace_tags",
          "TZ",
          Layout.NODE);
  private static final List<String> WORDS =
      List.of(
          "", " ", "\t\n", "yes", "none", "/dev/null", "//", "../../..", "local0", "debug", "0640",
          "-1", "99999999999999999999", "0000000000000000000000640", "%s%n", "cibd,,controld",
          "\u00e4\ud83d\ude00", "\ud800", "=", "\"", "'", "$(x)", ":UTC", "UTC0", "Nowhere/Never");

  private static String value(SplittableRandom random) {
    var text = new StringBuilder();
    for (var parts = random.nextInt(1, 4); parts > 0; parts--) {
      text.append(WORDS.get(random.nextInt(WORDS.size())));
    }
    return random.nextInt(20) == 0 ? text.toString().repeat(10_000) : text.toString();
  }

  @Test
  void everyValueOfEveryOptionIsTakenOrRefusedInALine() {
    var layout = new Layout(Path.of("/"), Path.of("/usr/share"));
    var seed = Long.getLong("fuzz.seed", 1);
    var refused = 0;
    for (var number = 0; number < 100 * Integer.getInteger("fuzz.files", 30); number++) {
      var random = new SplittableRandom(seed * 1_000_003 + number);
      Map<String, String> environment = new LinkedHashMap<>();
      for (var times = random.nextInt(1, 6); times > 0; times--) {
        environment.put(OPTIONS.get(random.nextInt(OPTIONS.size())), value(random));
      }
      var settings = LogSettings.of(layout, environment, "cibd");
      refused += settings.problems().size();
      for (var problem : settings.problems()) {
        assertEquals(1, problem.strip().lines().count(), problem);
        assertTrue(problem.length() < 1_000, () -> problem.length() + " characters");
      }
      assertNotNull(new LocalZone(environment).get());
    }
    assertTrue(refused > 100, "some of it is no good");
  }
}
