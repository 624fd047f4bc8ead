package org.systole.common.world;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A file that says what is true now.
final class KeptTextTest {
  private static final String FILE = "now.xml";
  private final TestWorld world = new TestWorld();
  private String now = "";
  private final KeptText kept = new KeptText(world, FILE, "what is now", () -> now);

  private void becomes(String text) {
    now = text;
    kept.write();
    world.settle();
  }

  private String file() {
    var bytes = world.disk().files().get(FILE);
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void theFileFollowsTheText() {
    becomes("a");
    assertEquals("a", file());
    becomes("");
    assertFalse(world.disk().files().containsKey(FILE));
  }

  /// The text may not change for long, and the process after this one would believe what stands there.
  @Test
  void whatAFullDiskDidNotTakeIsTriedAgainUntilItDoes() {
    becomes("a");
    world.disk().fails("full");
    becomes("b");
    assertTrue(world.logged("Cannot save what is now: full; trying again"));
    world.pass(Duration.ofSeconds(20));
    assertEquals("a", file());
    world.disk().works();
    world.pass(Duration.ofSeconds(1));
    assertEquals("b", file());
    assertTrue(world.logged("Saved what is now again"));
  }

  @Test
  void whoWaitsIsTold() {
    var told = new ArrayList<String>();
    world.disk().fails("full");
    now = "a";
    kept.write(() -> told.add("cannot be written"));
    world.settle();
    assertEquals(List.of("cannot be written"), told);
    world.disk().works();
    world.pass(Duration.ofSeconds(1));
    assertEquals("a", file());
    assertEquals(List.of("cannot be written"), told);
  }
}
