package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibSections;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// A disk that fails in the middle of a write, and what the next process finds on it.
final class FailingDiskTest {
  private final TestWorld world = new TestWorld();
  private final List<Long> saved = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final CibDisk disk = new CibDisk(world, saved::add, () -> refused.add("refused"));

  private static CibDisk.Image image(int epoch, Element... nodes) {
    var cib = CibSections.emptyCib(epoch, CibSections.SCHEMA).plus(Element.of("status"));
    for (var node : nodes) {
      cib = cib.plus(node);
    }
    return new CibDisk.Image(cib, Line.NONE, List.of(), 0, epoch);
  }

  private void save(CibDisk.Image image) {
    disk.save(image);
    world.settle();
  }

  private String found() {
    return new CibDisk(world, _ -> {}, () -> {}).load().cib().get("epoch", "");
  }

  @Test
  void aLogDoesNotGoOnFromAFileThatIsNoLongerThere() {
    disk.load();
    save(image(1, Element.of("x", "a", "1"), Element.of("x", "a", "2")));
    save(image(2, Element.of("x", "a", "1"), Element.of("x", "a", "2")));
    assertEquals(List.of(1L, 2L), saved);
    var reordered = image(3, Element.of("x", "a", "2"), Element.of("x", "a", "1"));
    world.disk().failsAfter(5, "no space left on device"); // after cib.xml, before its digest

    save(reordered);
    assertEquals(List.of("refused"), refused);
    world.disk().works();
    save(image(4, Element.of("x", "a", "1"), Element.of("x", "a", "2")));

    assertEquals(List.of(1L, 2L, 3L, 4L), saved, "what failed halfway is there before the next");
    assertEquals("4", found());
  }

  @Test
  void confirmedChangesAreFoundWhereverTheDiskFails() {
    for (var changes = 0; changes < 12; changes++) {
      var test = new FailingDiskTest();
      test.disk.load();
      test.save(image(1));
      test.save(image(2));
      test.world.disk().failsAfter(changes, "no space left on device");
      test.save(image(3));
      test.world.pass(Duration.ofSeconds(3)); // renewing the files fails
      test.save(image(4));
      var confirmed = test.saved.stream().mapToLong(it -> it).max().orElse(0);

      assertTrue(
          Integer.parseInt(test.found()) >= confirmed,
          changes + ": found " + test.found() + " of " + test.saved);
    }
  }

  /// What was being written came from a primary that went, and the next one does not have it.
  @Test
  void aChangeOfAWriteThatFailedHalfwayIsNotFoundAfterAnotherTookItsPlace() {
    var first = image(2, Element.of("x", "a", "1"), Element.of("x", "a", "2"));
    var reordered = image(3, Element.of("x", "a", "2"), Element.of("x", "a", "1")); // no record says that
    for (var changes = 0; changes < 10; changes++) {
      var test = new FailingDiskTest();
      test.disk.load();
      test.save(written(image(1)));
      test.save(written(first));
      test.world.pass(Duration.ofSeconds(3));
      test.world.disk().failsAfter(changes, "no space left on device");
      test.save(written(reordered));
      var told = test.saved.contains(3L);
      test.world.disk().works();
      test.save(written(first));
      test.world.pass(Duration.ofSeconds(3));

      assertEquals("2", test.found(), changes + ": " + told);
    }
  }

  private static CibDisk.Image written(CibDisk.Image it) {
    var cib = it.cib().with("cib-last-written", "Fri Nov 27 12:00:00 2026");
    return new CibDisk.Image(cib, it.line(), it.history(), it.promised(), it.number());
  }

  private static CibDisk.Image withRoles(int number, @Nullable Element roles) {
    var cib = CibSections.emptyCib(1, CibSections.SCHEMA).plus(Element.of("status"));
    return new CibDisk.Image(cib, roles, Line.NONE, List.of(), 0, number);
  }

  /// Roles that were on disk when the rest could not be written, and that lost to others.
  @Test
  void rolesOfAWriteThatFailedHalfwayAreNotFoundAfterOthersTookTheirPlace() {
    rolesThatWonAreFound(Element.of("roles", "a", "1"));
    rolesThatWonAreFound(null);
  }

  private static void rolesThatWonAreFound(@Nullable Element won) {
    for (var changes = 0; changes < 8; changes++) {
      var test = new FailingDiskTest();
      test.disk.load();
      test.save(withRoles(1, won));
      test.save(withRoles(2, won));
      test.world.disk().failsAfter(changes, "no space left on device");
      test.save(withRoles(3, Element.of("roles", "a", "2")));
      test.world.disk().works();
      test.save(withRoles(4, won));
      assertEquals(4, test.saved.getLast());
      assertEquals(won, new CibDisk(test.world, _ -> {}, () -> {}).load().roles(), "" + changes);
    }
  }
}
