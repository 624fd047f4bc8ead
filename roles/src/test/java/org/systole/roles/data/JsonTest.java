package org.systole.roles.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class JsonTest {
  private static Json.Obj json(String text) throws JsonFault {
    return JsonText.readObject(text.replace('\'', '"'));
  }

  private static String refused(String text) {
    return assertThrows(JsonFault.class, () -> JsonText.readObject(text)).getMessage();
  }

  @Test
  void whatIsWrittenIsOneTextForEqualValues() throws JsonFault {
    var one = json("{'b': [1, 2.50, true, null, 'x\\n'], 'a': {'z': 1e2, 'y': {}}}");
    var other = json("{'a':{'y':{},'z':100},'b':[1.0,2.5,true,null,'x\\n']}");

    assertEquals(one, other);
    assertEquals("{'a':{'y':{},'z':100},'b':[1,2.5,true,null,'x\\n']}".replace('\'', '"'), "" + one);
    assertEquals(one, JsonText.readObject(one.toString()));
  }

  @Test
  void aNumberOfAnySizeStaysShort() throws JsonFault {
    assertEquals("{\"a\":1E+999999}", json("{'a':1e999999}").toString());
  }

  /// What is taken is written into the document, and has to be taken again by all who read that.
  @Test
  void aNumberThatCannotBeCountedWithIsRefused() throws JsonFault {
    for (var number :
        List.of(
            "1e99999999999",
            "1e2147483648",
            "100e2147483647",
            "10e2147483647",
            "1e-2147483647",
            "1e1000001",
            "10e1000000",
            "1".repeat(801),
            "1".repeat(990) + "e30",
            "1".repeat(996) + "e-31",
            "1".repeat(2_000))) {
      assertTrue(refused("{\"a\":" + number + "}").startsWith("no JSON: "), number);
    }
    for (var number : List.of("1e1000000", "1".repeat(800) + "e30", "1".repeat(800) + "e-900", "0e5")) {
      var taken = json("{'a':" + number + "}");
      assertEquals(taken, JsonText.readObject(taken.toString()));
    }
  }

  @Test
  void whatIsNoObjectIsRefusedInOneLine() {
    assertEquals("no JSON object", refused("[1]"));
    assertEquals("no JSON object", refused("\"x\""));
    assertEquals("no JSON object", refused(""));
    assertEquals("something follows the JSON object", refused("{} {}"));
    assertTrue(refused("{\"a\":}").startsWith("no JSON: "), refused("{\"a\":}"));
    assertTrue(refused("{\"a\":1,\"a\":2}").contains("uplicate"), refused("{\"a\":1,\"a\":2}"));
    assertTrue(refused("Segmentation fault\nat 3").startsWith("no JSON: "));
    assertEquals(1, refused("{\"a\"\n:\n}").lines().count());
  }

  @Test
  void tooMuchIsRefused() {
    assertTrue(refused("{\"a\":".repeat(60) + "1" + "}".repeat(60)).startsWith("no JSON: "));
    assertTrue(refused("{\"a\":\"" + "x".repeat(JsonText.LENGTH_MAX) + "\"}").contains("at most"));
  }

  @Test
  void objectsAreMergedAndAllElseIsReplaced() throws JsonFault {
    var merged =
        DeepMerge.merge(
            json("{'a':{'x':1,'y':[1,2]},'b':1,'c':{'d':1}}"),
            json("{'a':{'y':[3],'z':null},'b':{'n':1},'c':'gone'}"));

    assertEquals(json("{'a':{'x':1,'y':[3],'z':null},'b':{'n':1},'c':'gone'}"), merged);
  }

  @Test
  void eachValueKnowsItsOrigin() throws JsonFault {
    var merge =
        new DeepMerge<String>()
            .add("far", json("{'a':{'x':1,'y':1},'b':{'deep':{'er':1}},'e':{'k':1}}"))
            .add("near", json("{'a':{'y':2,'n/m':3},'b':'flat','e':{}}"))
            .add("own", json("{'b':{'again':1},'z':{}}"));

    assertEquals(
        "{/a/n~1m=near, /a/x=far, /a/y=near, /b/again=own, /e/k=far, /z=own}",
        merge.origins().toString());
    assertEquals(
        json("{'a':{'x':1,'y':2,'n/m':3},'b':{'again':1},'e':{'k':1},'z':{}}"), merge.result());
  }

  @Test
  void theDifferenceIsWhatIsNewOrOther() throws JsonFault {
    var before = json("{'a':{'x':1,'y':2},'b':[1],'gone':1,'same':{'n':null}}");
    var after = json("{'a':{'x':1,'y':3,'z':4},'b':[1,2],'same':{'n':null},'new':null}");

    assertEquals(
        json("{'a':{'y':3,'z':4},'b':[1,2],'new':null}"), DeepDiff.difference(before, after));
    assertEquals(Json.Obj.EMPTY, DeepDiff.difference(before, before));
  }

  /// For any two objects: the difference laid over the first gives all of the second, each value
  /// with an origin; merging twice is merging once.
  @Test
  void differenceAndMergeFitTogether() {
    var random = new Random(16);
    for (var round = 0; round < 2_000; round++) {
      var before = object(random, 3);
      var after = object(random, 3);
      var wall = DeepDiff.difference(before, after);
      var merged = DeepMerge.merge(before, wall);

      assertEquals(Json.Obj.EMPTY, DeepDiff.difference(merged, after), before + " / " + after);
      assertEquals(merged, DeepMerge.merge(merged, wall));
      var traced = new DeepMerge<String>().add("before", before).add("wall", wall);
      assertEquals(merged, traced.result());
      assertEquals(leaves("", merged), new ArrayList<>(traced.origins().keySet()), "" + merged);
    }
  }

  private static List<String> leaves(String path, Json value) {
    var all = new TreeMap<String, Boolean>();
    if (value instanceof Json.Obj(var entries) && (!entries.isEmpty() || path.isEmpty())) {
      entries.forEach((name, it) -> leaves(path + "/" + name, it).forEach(l -> all.put(l, true)));
    } else {
      all.put(path, true);
    }
    return new ArrayList<>(all.keySet());
  }

  private static Json.Obj object(Random random, int depth) {
    var entries = new TreeMap<String, Json>();
    for (var count = random.nextInt(4); count > 0; count--) {
      entries.put("" + (char) ('a' + random.nextInt(4)), value(random, depth - 1));
    }
    return new Json.Obj(entries);
  }

  private static Json value(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 7 : 4)) {
      case 0 -> new Json.Num(BigDecimal.valueOf(random.nextInt(3)));
      case 1 -> new Json.Text("t" + random.nextInt(2));
      case 2 -> Json.Null.IT;
      case 3 -> new Json.Arr(List.of(new Json.Bool(random.nextBoolean())));
      default -> object(random, depth);
    };
  }
}
