package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import org.systole.common.real.DaemonOption;

/// Manual pages of daemons.
class ManPageTest {
  @Test
  void aDaemonsPageHasTheOptionsItTakes() {
    var page =
        new ManPage("1", LocalDate.EPOCH)
            .ofDaemon("pacemaker-based", "keeps the configuration", DaemonOption.CIB_MANAGER, "");
    for (var option : DaemonOption.CIB_MANAGER) {
      var name = option.longName().replace("-", "\\-");
      var value = option.value() == null ? "" : "=\\fI" + option.value() + "\\fR";
      var letter = option.shortName() == null ? "\n" : ", \\fB\\-";
      assertTrue(page.contains("\\fB" + name + "\\fR" + value + letter), page);
    }
    assertFalse(page.contains("logfile"), page);
    assertTrue(new ManPage("1", LocalDate.EPOCH).ofRemoted().contains("\\fB\\-\\-port\\fR=\\fIPORT\\fR, \\fB\\-p\\fR"));
  }
}
