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
      assertTrue(page.contains("\\fB" + name + "\\fR" + value + ", \\fB\\-"), page);
    }
    assertFalse(page.contains("logfile"), page);
  }
}
