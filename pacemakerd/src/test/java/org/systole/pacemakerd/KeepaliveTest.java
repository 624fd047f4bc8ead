package org.systole.pacemakerd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeepaliveTest {
  private static final long US = 4711;

  private final FakeHost host = new FakeHost(Map.of());

  private List<String> toldIn30Seconds(Map<String, String> environment) {
    Keepalive.begin(host, environment, US);
    host.pass(Duration.ofSeconds(30));
    return host.told;
  }

  @Test
  void threeSignsOfLifeAreGivenInTheTimeTheServiceManagerWaits() {
    var told = toldIn30Seconds(Map.of("WATCHDOG_USEC", "15000000", "WATCHDOG_PID", "4711"));
    assertEquals(Collections.nCopies(7, "WATCHDOG=1"), told);
  }

  @Test
  void anIntervalThatNamesNoProcessIsForThisOne() {
    assertEquals(4, toldIn30Seconds(Map.of("WATCHDOG_USEC", "30000000")).size());
  }

  @Test
  void aServiceManagerThatDoesNotAskIsNotTold() {
    assertEquals(List.of(), toldIn30Seconds(Map.of()));
    assertEquals(List.of(), toldIn30Seconds(Map.of("WATCHDOG_USEC", "0")));
    assertEquals(List.of(), toldIn30Seconds(Map.of("WATCHDOG_USEC", "soon")));
  }

  @Test
  void anIntervalForAnotherProcessIsIgnored() {
    var environment = Map.of("WATCHDOG_USEC", "15000000", "WATCHDOG_PID", "1");
    assertEquals(List.of(), toldIn30Seconds(environment));
  }
}
