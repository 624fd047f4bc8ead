package org.systole.pacemakerd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostOptionsTest {
  @Test
  void whatIsReadOrAsksForWhatIsDoneAnywayIsNotSpokenOf() {
    assertEquals(
        List.of(),
        HostOptions.warnings(
            Map.of(
                "PCMK_debug", "yes",
                "PCMK_blackbox", "no",
                "PCMK_cluster_type", "corosync",
                "PCMK_ca_file", "",
                "PCMK_panic_action", "sync-off",
                "PATH", "/bin")));
  }

  @Test
  void whatHasNoEffectIsSaidWithTheReason() {
    var said =
        HostOptions.warnings(
            Map.of("PCMK_blackbox", "yes", "PCMK_tls_priorities", "NORMAL", "PCMK_faill_fast", "1"));
    assertEquals(
        List.of(
            "PCMK_blackbox has no effect: there is no blackbox; PCMK_debug logs more",
            "PCMK_faill_fast is no option of this version; it has no effect"),
        said);
  }

  @Test
  void anUnknownPanicActionIsToldAndReboots() {
    var options = Map.of("PCMK_panic_action", "explode");
    assertTrue(HostOptions.warnings(options).getFirst().contains("a node that panics reboots"));
    assertEquals(PanicAction.DEFAULT, PanicAction.of(options));
  }
}
