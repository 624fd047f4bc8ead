package org.systole.hostha.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.systole.common.values.NodeName;

final class ConfigurationTest {
  private static final NodeName N1 = new NodeName("n1");
  private static final NodeName N2 = new NodeName("n2");

  private final Configuration.Builder builder = new Configuration.Builder();

  ConfigurationTest() {
    assertNull(builder.partition("z1", Scope.ZONE, null));
    assertNull(builder.partition("r1", Scope.PARTITION, "z1"));
    assertNull(builder.host(N1, "r1", List.of("a")));
    assertNull(builder.host(N2, "r1", List.of("a")));
  }

  @ParameterizedTest
  @EnumSource(Setting.class)
  void everyDefaultIsAValue(Setting setting) {
    assertNotNull(setting.read(setting.defaultValue()));
    assertSame(setting, Setting.of(setting.text()));
  }

  @Test
  void theNarrowestCounts() {
    set("kvm.ha.fence.timeout", "10", null);
    set("kvm.ha.fence.timeout", "20", "z1");
    assertEquals(20_000, value(N1));
    set("kvm.ha.fence.timeout", "30", "r1");
    assertEquals(30_000, value(N1));
    set("kvm.ha.fence.timeout", "40", "n1");
    assertEquals(40_000, value(N1));
    assertEquals(30_000, value(N2));
  }

  @Test
  void offForAWholeIsOffForItsParts() {
    set("ha.enabled", "true", null);
    assertTrue(isOn(N1));
    set("ha.enabled", "false", "z1");
    set("ha.enabled", "true", "n1");
    assertFalse(isOn(N1));
  }

  @Test
  void offIfNobodySaysOtherwise() {
    assertFalse(isOn(N1));
    set("ha.enabled", "true", "n1");
    assertTrue(isOn(N1));
    assertFalse(isOn(N2));
  }

  @Test
  void oneProviderLooksAfterAHost() {
    set("ha.provider", "kvm", null); // the cluster's is what others may override
    set("ha.provider", "generic", "z1");

    var why = builder.set("ha.provider", "activity-file", "r1");

    assertEquals("r1 has a provider, and so has z1, which it is in: one of them is too many", why);
    var built = builder.build();
    assertEquals("generic", built.valuesIn("r1").text(Setting.PROVIDER));
  }

  @Test
  void aProviderAroundOneThatIsThereIsRefusedToo() {
    set("ha.provider", "generic", "r1");

    assertNotNull(builder.set("ha.provider", "kvm", "z1"));
  }

  @ParameterizedTest
  @CsvSource({
    "kvm.ha.activity.check.failure.ratio, 1.5",
    "kvm.ha.activity.check.failure.ratio, half",
    "kvm.ha.activity.check.failure.ratio, -0.1",
    "kvm.ha.activity.check.max.attempts, 0",
    "kvm.ha.activity.check.max.attempts, 2000000",
    "kvm.ha.health.check.timeout, 0",
    "kvm.ha.health.check.timeout, -5",
    "kvm.ha.recovery.restart_operation, OFF",
    "kvm.ha.fence.stop_operation, SOFT",
    "ha.enabled, perhaps",
    "ha.max.concurrent.fence.operations, all"
  })
  void whatCannotBeIsRefused(String setting, String value) {
    var why = builder.set(setting, value, null);

    assertNotNull(why);
    assertTrue(why.endsWith("not '" + value + "'"), why);
  }

  @ParameterizedTest
  @CsvSource({
    "ha.max.concurrent.fence.operations, z1, zone, only for the whole cluster",
    "kvm.ha.accepted.problematic.hosts.ratio, n1, host, at most for a partition",
    "ha.maintenance, n1, host, at most for a partition"
  })
  void whatIsForAWholeCannotBeSetForAPart(
      String setting, String where, String scope, String widest) {
    var why = builder.set(setting, "1", where);

    assertEquals(
        "%s cannot be set for a %s: %s".formatted(setting, scope, widest), why);
  }

  @Test
  void waitsDoubleUpToTheirLimit() {
    var values = builder.build().values();

    assertEquals(10_000, values.delay(1, 250_000));
    assertEquals(160_000, values.delay(5, 250_000));
    assertEquals(250_000, values.delay(6, 250_000));
    assertEquals(250_000, values.delay(1_000_000, 250_000));
  }

  @Test
  void hostsThatSetNothingShareTheirValues() {
    var built = builder.build();

    assertSame(built.valuesOf(built.hosts().get(N1)), built.valuesOf(built.hosts().get(N2)));
  }

  private void set(String setting, String value, @Nullable String where) {
    assertNull(builder.set(setting, value, where));
  }

  private long value(NodeName host) {
    var built = builder.build();
    return built.valuesOf(built.hosts().get(host)).ms(Setting.FENCE_TIMEOUT);
  }

  private boolean isOn(NodeName host) {
    var built = builder.build();
    return built.valuesOf(built.hosts().get(host)).is(Setting.ENABLED);
  }
}
