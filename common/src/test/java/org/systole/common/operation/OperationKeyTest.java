package org.systole.common.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;

final class OperationKeyTest {
  private static OperationKey key(String resource, String operation, long intervalMillis) {
    return new OperationKey(
        new ResourceId(resource), new OperationName(operation), intervalMillis);
  }

  @Test
  void aKeyIsTakenApartFromItsEnd() {
    assertEquals(
        key("my_ip", "monitor", 10_000), OperationKey.parse("my_ip_monitor_10000"));
    assertEquals(key("vm", "migrate_to", 0), OperationKey.parse("vm_migrate_to_0"));
    assertEquals(
        key("a_b", "migrate_from", 0), OperationKey.parse("a_b_migrate_from_0"));
    assertEquals(key("migrate", "to", 0), OperationKey.parse("migrate_to_0"));
  }

  @Test
  void aNotificationsKeyHoldsItsKind() {
    var key = OperationKey.notification("x:0", "confirmed-post", "start");

    assertEquals("x:0_confirmed-post_notify_start_0", key);
    assertEquals(
        key("x:0", "confirmed-post_notify_start", 0), OperationKey.parse(key));
    assertEquals(
        key("a", "pre_notify_stop", 0), OperationKey.parse("a_pre_notify_stop_0"));
  }

  @Test
  void whatIsNoNumberIsAnIntervalOfZero() {
    assertEquals(key("web", "start", 0), OperationKey.parse("web_start_soon"));
    assertEquals(key("web", "start", 10), OperationKey.parse("web_start_10s"));
  }

  @Test
  void anIntervalHas32Bits() {
    assertEquals(
        key("web", "monitor", 1), OperationKey.parse("web_monitor_4294967297"));
    assertNull(OperationKey.parse("web_monitor_99999999999999999999"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "nonsense", "a_0", "a__0", "_monitor_0", "aa_0", "long-name_10"})
  void whatIsNoKeyIsNotTakenForOne(String text) {
    assertNull(OperationKey.parse(text));
  }

  @Test
  void aKeyReadIsWrittenAsItWas() {
    for (var key : new String[] {"a_b_monitor_10", "vm_migrate_to_0", "db_post_notify_start_0"}) {
      assertEquals(key, String.valueOf(OperationKey.parse(key)));
    }
  }

  @Test
  void theIntervalIsReadFromAKeyAlone() {
    assertEquals(10_000, OperationKey.intervalOf("my_ip_monitor_10000"));
    assertEquals(0, OperationKey.intervalOf("my_ip_start_0"));
    assertEquals(0, OperationKey.intervalOf("nonsense"));
  }
}
