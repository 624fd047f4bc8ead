package org.systole.hostha;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;
import org.systole.hostha.fsm.Transitions;

/// The tables of `docs/host-ha.md` are those of the code; `-Dhostha.bless=true` writes them anew.
final class HostHaPageTest {
  private static final boolean BLESS = Boolean.getBoolean("hostha.bless");

  @Test
  void theTableOfSettingsIsThatOfTheCode() throws IOException {
    var lines = new ArrayList<String>();
    lines.add("| setting | takes | default | narrowest | what it does |");
    lines.add("|---|---|---|---|---|");
    for (var it : Setting.values()) {
      var names = "`" + it.text() + "`";
      for (var alias : it.aliases()) {
        names += ", also `" + alias + "`";
      }
      var value = it.defaultValue().isEmpty() ? "" : "`" + it.defaultValue() + "`";
      lines.add(
          "| %s | %s | %s | %s | %s |"
              .formatted(names, it.takes(), value, it.narrowest().text(), it.effect()));
    }
    check("settings", lines);
  }

  @Test
  void theTableOfTransitionsIsThatOfTheCode() throws IOException {
    var lines = new ArrayList<String>();
    lines.add("| from | event | to | what is done |");
    lines.add("|---|---|---|---|");
    for (var state : HostState.values()) {
      for (var event : Transitions.heeded(state)) {
        var step = Transitions.TABLE.step(state, event);
        var deeds = String.join(", ", step.deeds().stream().map(it -> it.text()).toList());
        lines.add(
            "| %s | %s | %s | %s |"
                .formatted(
                    state, event.text(), step.next() == state ? "" : step.next(), deeds));
      }
    }
    check("transitions", lines);
  }

  @Test
  void theTableOfEventsIsThatOfTheCode() throws IOException {
    var lines = new ArrayList<String>();
    lines.add("| event | what has happened |");
    lines.add("|---|---|");
    for (var it : HostEvent.values()) {
      lines.add("| %s | %s |".formatted(it.text(), it.meaning()));
    }
    check("events", lines);
  }

  @Test
  void eachContradictionThatIsDecidedHasItsScript() throws IOException {
    var text = Files.readString(page());
    var begin = text.indexOf("| script that shows it |");
    assertTrue(begin >= 0, "no table of contradictions");
    var rows = text.substring(begin, text.indexOf("\n## ", begin)).lines().skip(2).filter(it -> it.startsWith("|")).toList();
    assertTrue(rows.size() >= 16, () -> rows.size() + " rows");
    for (var row : rows) {
      var cells = row.split(" \\| ");
      var scripts = cells[cells.length - 1].replaceAll("[`| ]", "").split(",");
      for (var script : scripts) {
        assertNotNull(HostHaPageTest.class.getResource("scenarios/" + script + ".replay"), row);
      }
    }
  }

  private static Path page() {
    var here = Path.of("docs", "host-ha.md");
    return Files.exists(here) ? here : Path.of("..").resolve(here);
  }

  private static void check(String name, List<String> lines) throws IOException {
    var page = page();
    var text = Files.readString(page);
    var from = "<!-- " + name + " -->\n";
    var begin = text.indexOf(from);
    assertTrue(begin >= 0, "no place for the table of " + name);
    var end = text.indexOf("<!-- end -->", begin);
    var table = String.join("\n", lines) + "\n";
    if (BLESS) {
      text = text.substring(0, begin + from.length()) + table + text.substring(end);
      Files.writeString(page, text);
      end = text.indexOf("<!-- end -->", begin);
    }
    assertEquals(table, text.substring(begin + from.length(), end));
  }
}
