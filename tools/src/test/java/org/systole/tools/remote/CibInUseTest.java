package org.systole.tools.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cli.CommandException;

final class CibInUseTest {
  private static CommandException refused(Map<String, String> environment) {
    return assertThrows(
        CommandException.class,
        () ->
            CibInUse.open(Layout.of(Map.of()), environment, "crm_mon", Duration.ofSeconds(5))
                .close());
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          '',    false, CIB_port is not
          x,     false, CIB_port is no port: x
          70000, false, CIB_port is no port: 70000
          5561,  false, CIB_encrypted says no
          5561,  true,  CIB_key_file names no file
          """)
  void whatIsMissingIsSaidBeforeAnybodyIsAsked(String port, String encrypted, String why) {
    var it =
        refused(Map.of("CIB_server", "192.0.2.1", "CIB_port", port, "CIB_encrypted", encrypted));
    assertTrue(it.getMessage().contains(why), it.getMessage());
  }

  @Test
  void filesAndShadowCopiesComeFirst() {
    var there = Map.of("CIB_server", "n", "CIB_port", "5561");
    assertTrue(CibInUse.isElsewhere(there));
    for (var name : new String[] {"CIB_file", "CIB_shadow"}) {
      assertFalse(CibInUse.isElsewhere(Map.of("CIB_port", "5561", name, "x")));
    }
    assertFalse(CibInUse.isElsewhere(Map.of("CIB_user", "kim")));
  }

  @Test
  void whatOnlyMembersCanDoIsRefused() throws CommandException {
    CibInUse.refuseElsewhere(Map.of(), "This");
    var it =
        assertThrows(
            CommandException.class,
            () -> CibInUse.refuseElsewhere(Map.of("CIB_port", "5561"), "This"));
    assertEquals(ExitStatus.UNSAFE, it.status());
  }
}
