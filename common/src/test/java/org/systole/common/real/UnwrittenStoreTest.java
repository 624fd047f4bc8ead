package org.systole.common.real;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.world.Store;
import org.systole.common.world.Store.Change;
import org.systole.common.world.TestDisk;
import org.systole.common.world.TestWorld;

/// Files that a daemon reads and, as it seems to it, changes.
class UnwrittenStoreTest {
  private final TestWorld world = new TestWorld();
  private final TestDisk disk = world.disk();
  private final Store store = new UnwrittenStore(disk, world::post);
  private final List<String> outcomes = new ArrayList<>();

  @BeforeEach
  void files() {
    disk.files().putAll(Map.of("a", bytes("A"), "b", bytes("B")));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private String change(Change... batch) {
    outcomes.clear();
    store.change(List.of(batch), it -> outcomes.add(it == null ? "done" : it));
    assertEquals(List.of(), outcomes, "told later");
    world.settle();
    return String.join(", ", outcomes);
  }

  private String text(String name) throws Store.StoreException {
    var content = store.read(name);
    return content == null ? null : new String(content, StandardCharsets.UTF_8);
  }

  @Test
  void whatIsWrittenIsReadAndTheDiskStaysAsItWas() throws Store.StoreException {
    assertEquals("A", text("a"));
    assertEquals(
        "done",
        change(
            new Change.Write("a", bytes("new")),
            new Change.Make("f", () -> bytes("made")),
            new Change.Append("b", bytes("more")),
            new Change.Append("c", bytes("first")),
            new Change.Append("c", bytes("second")),
            new Change.Rename("a", "d"),
            new Change.Rename("missing", "e")));
    assertEquals(List.of("b", "c", "d", "f"), store.list());
    assertEquals("made", text("f"));
    assertNull(text("a"));
    assertEquals("Bmore", text("b"));
    assertEquals("firstsecond", text("c"));
    assertEquals("new", text("d"));
    assertEquals("done", change(new Change.Delete("b"), new Change.Delete("c")));
    assertEquals(List.of("d", "f"), store.list());
    assertEquals(List.of("a", "b"), disk.list());
    assertArrayEquals(bytes("A"), disk.read("a"));
    assertArrayEquals(bytes("B"), disk.read("b"));
  }

  @Test
  void whatOthersHaveChangedOnDiskLeavesTheRestUndone() throws Store.StoreException {
    assertEquals(Store.CHANGED, change(new Change.Expect("a", bytes("other")), new Change.Delete("b")));
    assertEquals("B", text("b"));
    assertEquals(Store.GONE, change(new Change.Expect("c", bytes("C"))));
    assertEquals(Store.CHANGED, change(new Change.Expect("a", null)));
    assertEquals("done", change(new Change.Expect("a", bytes("A")), new Change.Write("a", bytes("mine"))));
    disk.files().put("a", bytes("theirs"));
    assertEquals("done", change(new Change.Expect("a", bytes("A"))), "its own, which counts from now on");
    assertEquals("mine", text("a"));
  }
}
