package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

class CibPatchTest {
  private static Element xml(String text) throws Exception {
    return XmlReader.parse(text.replace('\'', '"'));
  }

  @Test
  void equalTreesHaveNoPatch() throws Exception {
    assertNull(CibPatch.between(xml("<cib><a id='1'/></cib>"), xml("<cib><a id='1'/></cib>")));
  }

  @Test
  void aPatchOfTheReferenceIsMadeTheSame() throws Exception {
    var directory = reference();
    assumeTrue(directory != null, "shared/reference is not there");
    var before = XmlReader.parse(Files.readAllBytes(directory.resolve("crm_diff_old.xml")));
    var after = XmlReader.parse(Files.readAllBytes(directory.resolve("crm_diff_new.xml")));
    var expected = XmlReader.parse(Files.readAllBytes(directory.resolve("crm_diff_patchset.xml")));
    after = CibVersion.of(before).on(after);
    var made = CibPatch.between(before, after);
    assertNotNull(made);
    assertEquals(expected.children("change").toString(), made.children("change").toString());
    var applied = CibPatch.apply(before, made, false);
    assertEquals(Rc.OK, applied.rc());
    assertEquals(after.toString(), applied.cib().toString());
  }

  private static Path reference() {
    for (var at = Path.of(System.getProperty("user.dir")); at != null; at = at.getParent()) {
      for (var name : new String[] {"shared/reference/cli", "../shared/reference/cli"}) {
        if (Files.isDirectory(at.resolve(name))) {
          return at.resolve(name);
        }
      }
    }
    return null;
  }

  @Test
  void whatIsMadeOfTwoRandomTreesLeadsFromOneToTheOther() {
    var random = new Random(7);
    for (var round = 0; round < 2000; round++) {
      var before = tree(random, 3);
      var after = mutate(before, random);
      var patch = CibPatch.between(before, after);
      if (patch == null) {
        assertEquals(before, after);
        continue;
      }
      var applied = CibPatch.apply(before, patch, false);
      assertEquals(Rc.OK, applied.rc(), patch.toString());
      assertEquals(after.toString(), applied.cib().toString(), () -> before + "" + patch);
      assertEquals(after.contentHash(), applied.cib().contentHash());
    }
  }

  private static Element tree(Random random, int depth) {
    var element = Element.builder("e").attr("id", "root").attr("x", random.nextInt(3));
    if (depth > 0) {
      var ids = new ArrayList<Integer>();
      for (var count = random.nextInt(6); count > 0; count--) {
        var id = random.nextInt(8);
        if (!ids.contains(id)) {
          ids.add(id);
          element.add(tree(random, depth - 1).with("id", "i" + id));
        }
      }
    }
    return element.build();
  }

  private static Element mutate(Element from, Random random) {
    var element = from;
    if (random.nextInt(4) == 0) {
      element = element.with("y" + random.nextInt(2), "" + random.nextInt(9));
    }
    if (random.nextInt(6) == 0) {
      element = element.without("x");
    }
    var children = new ArrayList<Element>();
    for (var child : element.children()) {
      if (random.nextInt(5) > 0) {
        children.add(mutate(child, random));
      }
    }
    if (random.nextInt(3) == 0) {
      java.util.Collections.shuffle(children, random);
    }
    if (random.nextInt(3) == 0) {
      children.add(
          random.nextInt(children.size() + 1), Element.of("e", "id", "n" + random.nextInt(99)));
    }
    return element.withChildren(children);
  }

  @Test
  void aPatchForAnotherVersionIsRefused() throws Exception {
    var before = xml("<cib admin_epoch='0' epoch='1' num_updates='0'/>");
    var patch = CibPatch.between(before, before.with("epoch", "2"));
    assertNotNull(patch);
    assertEquals(Rc.OK, CibPatch.apply(before, patch, true).rc());
    assertEquals(Rc.OLD_DATA, CibPatch.apply(before.with("epoch", "5"), patch, true).rc());
    assertEquals(Rc.DIFF_FAILED, CibPatch.apply(before.with("epoch", "0"), patch, true).rc());
  }

  @Test
  void aPatchSaysWhichSectionsItTouches() throws Exception {
    var before = xml("<cib><configuration><nodes/></configuration><status/></cib>");
    var after =
        xml("<cib><configuration><nodes/><tags/></configuration><status><a/></status></cib>");
    var patch = CibPatch.between(before, after);
    assertNotNull(patch);
    assertTrue(CibPatch.touches(patch, "tags"));
    assertTrue(CibPatch.touches(patch, "status"));
    assertTrue(!CibPatch.touches(patch, "nodes"));
  }
}
