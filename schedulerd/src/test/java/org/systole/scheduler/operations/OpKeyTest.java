package org.systole.scheduler.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class OpKeyTest {
  @Test
  void aKeyIsTakenApartFromItsEnd() {
    assertEquals(new OpKey("my_ip", "monitor", 10_000), OpKey.parse("my_ip_monitor_10000"));
    assertEquals(new OpKey("vm", "migrate_to", 0), OpKey.parse("vm_migrate_to_0"));
  }

  @Test
  void aNotificationsKeyHoldsItsKind() {
    var key = OpKey.notify("x:0", "confirmed-post", "start");
    assertEquals("x:0_confirmed-post_notify_start_0", key);
    assertEquals(new OpKey("x:0", "confirmed-post_notify_start", 0), OpKey.parse(key));
  }

  @Test
  void whatIsNoKeyIsNotTakenForOne() {
    assertNull(OpKey.parse("x"));
    assertNull(OpKey.parse("nothing"));
    assertNull(OpKey.parse("a_0"));
  }

  @Test
  void secondsAreRoundedButNeverToNothing() {
    assertEquals(0, Seconds.of(0));
    assertEquals(1, Seconds.of(1));
    assertEquals(1, Seconds.of(1_499));
    assertEquals(2, Seconds.of(1_500));
  }
}
