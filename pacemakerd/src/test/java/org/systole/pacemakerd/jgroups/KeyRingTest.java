package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which keys a process goes by while the cluster's key is changed.
final class KeyRingTest {
  private static ClusterKey key(int which) {
    var secret = new byte[128];
    secret[0] = (byte) which;
    return ClusterKey.of(secret, "test");
  }

  private final ClusterKey first = key(1);
  private final ClusterKey second = key(2);
  private final KeyRing ring = new KeyRing(first);

  private void accept(ClusterKey key) {
    assertNull(ring.offer(key));
    assertTrue(ring.accept(key.alias()));
  }

  @Test
  void aKeyIsAcceptedThenSpokenWithAndTheFormerOneForgotten() {
    accept(second);
    assertSame(first, ring.present());
    assertEquals(List.of(first, second), ring.accepted());
    assertSame(first, ring.use(second.alias()));
    assertSame(second, ring.present());
    assertEquals(List.of(second, first), ring.accepted());
    ring.forget(first);
    assertEquals(List.of(second), ring.accepted());
    ring.forget(second);
    assertEquals(List.of(second), ring.accepted(), "the present one stays");
  }

  @Test
  void onlyWhatWasReadLastIsAccepted() {
    assertFalse(ring.accept(second.alias()));
    assertNull(ring.offer(second));
    assertNull(ring.offer(key(3)));
    assertFalse(ring.accept(second.alias()));
    assertNull(ring.use(second.alias()), "it is not accepted");
    assertEquals(List.of(first), ring.accepted());
  }

  @Test
  void aNextKeyThatWasNotTakenUpGivesWayToAnother() {
    accept(second);
    var third = key(3);
    accept(third);
    assertEquals(List.of(first, third), ring.accepted());
    assertNull(ring.use(second.alias()));
    assertSame(first, ring.use(third.alias()));
  }

  @Test
  void aKeyThatWasReplacedIsNeverTakenAgain() {
    accept(second);
    ring.use(second.alias());
    assertNotNull(ring.offer(key(1)));
    ring.forget(first);
    assertNotNull(ring.offer(key(1)));
    assertFalse(ring.accept(first.alias()));
    assertTrue(ring.accept(second.alias()), "the present one is nothing new");
    assertEquals(List.of(second), ring.accepted());
  }

  @Test
  void onlyTheNextKeyIsTakenUpWhenAPeerSpeaksWithIt() {
    var heard = new ArrayList<String>();
    ring.onSpoken(heard::add);
    ring.heard(first);
    accept(second);
    ring.heard(first);
    assertEquals(List.of(), heard);
    ring.heard(second);
    assertEquals(List.of(second.alias()), heard);
    ring.use(second.alias());
    ring.heard(first);
    ring.heard(second);
    assertEquals(1, heard.size(), "a former key is not gone back to");
  }
}
