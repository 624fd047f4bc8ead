package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibXPath.XPathException;
import org.systole.common.xml.Element;

/// The reader of plain XPaths finds what Jaxen finds, or leaves them to it.
final class PlainXPathTest {
  private static final List<String> NAMES = List.of("a", "b", "lrm_rsc-op.1", "comment", "cib", "é");
  private static final List<String> ASKED =
      List.of("a", "b", "lrm_rsc-op.1", "comment", "cib", "*", "*", "text", "é");
  private static final List<String> ATTRIBUTES = List.of("id", "x", "xmlns", "on-fail", "node");
  private static final List<String> VALUES =
      List.of("", "1", "it's", "a \"b\"", " and ", "x]/a", "\n", "é\ud83d\ude00", "'\"'", "//a");
  private static final int DOCUMENTS = 300;
  private static final int PATHS = 30;

  private final Random random = new Random(11);

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private Element element(int depth) {
    var made = Element.builder(depth == 0 ? "cib" : one(NAMES));
    for (var name : ATTRIBUTES) {
      if (random.nextInt(3) > 0) {
        made.attr(name, one(VALUES));
      }
    }
    for (var left = depth == 5 ? 0 : random.nextInt(5); left > 0; left--) {
      made.add(random.nextInt(9) == 0 ? Element.comment(one(VALUES)) : element(depth + 1));
    }
    return made.build();
  }

  private String condition() {
    return "@" + one(ATTRIBUTES) + "=" + CibXPath.literal(one(VALUES));
  }

  private String path() {
    var path = new StringBuilder(random.nextInt(3) == 0 ? "/cib" : "");
    for (var left = 1 + random.nextInt(3); left > 0; left--) {
      path.append(random.nextInt(3) == 0 ? "/" : "//").append(one(ASKED));
      for (var more = random.nextInt(6); more > 3; more--) {
        path.append('[').append(condition());
        path.append(random.nextInt(3) == 0 ? " and " + condition() : "").append(']');
      }
    }
    return path.toString();
  }

  private static void compare(Draft document, String xpath, @Nullable SeenCib seen) {
    var plain = PlainXPath.of(xpath);
    assertNotNull(plain, xpath);
    assertEquals(
        XPathOrder.evaluate(document, xpath, new XPathWork(), seen),
        plain.find(document, new XPathWork(), seen),
        xpath);
  }

  /// Some elements are readable, and by chance what is below them.
  private SeenCib seen(Draft document) {
    return new SeenCib(
        document, (_, inherited) -> random.nextInt(4) == 0 || inherited && random.nextBoolean());
  }

  @Test
  void whatIsFoundIsWhatJaxenFinds() {
    var plain = 0;
    var found = 0;
    for (var left = DOCUMENTS; left > 0; left--) {
      var document = Draft.document(element(0));
      var seen = random.nextBoolean() ? seen(document) : null;
      for (var asked = 0; asked < PATHS; asked++) {
        var xpath = path();
        if (PlainXPath.of(xpath) != null) {
          compare(document, xpath, seen);
          plain++;
          found += XPathOrder.evaluate(document, xpath, new XPathWork(), seen).isEmpty() ? 0 : 1;
        }
      }
    }
    assertTrue(plain > DOCUMENTS * PATHS / 2 && found > plain / 5, plain + " plain, found " + found);
  }

  @Test
  void inADocumentThatWasChangedItIsTheSame() {
    for (var left = DOCUMENTS; left > 0; left--) {
      var document = Draft.document(element(0));
      for (var changes = 3; changes > 0 && !document.root().children().isEmpty(); changes--) {
        one(document.root().children()).remove();
        document.root().insert(random.nextInt(3), element(3));
      }
      compare(document, "//*", null);
      compare(document, "/cib//a[@id='1']", null);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//node_state[@id='1']/lrm",
        "//node_state[@uname=\"it's\"]/transient_attributes",
        "/cib/status/node_state[@id='1']/transient_attributes[@id='1']/instance_attributes",
        "//node_state[@id='1']/lrm/lrm_resources/lrm_resource[@id='r']/lrm_rsc_op[@id='r_last_0']",
        "//node_state[@id='1']//lrm_resource[@class='ocf' and @provider='p' and @type='t']/*",
        "/cib/status/node_state[@id='r'][@connection='one']",
        "/cib",
        "//*[@id='']",
      })
  void whatDaemonsWriteIsPlain(String xpath) {
    assertNotNull(PlainXPath.of(xpath));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/", "//", "cib", "//a/", "///a", "//a[1]", "//a[@id]", "//a[@id='1' or @id='2']", "//é",
        "//a[@id=1]", "//a[@id!='1']", "//a[ @id='1']", "//a[@id = '1']", "//a[@id='1'", "//a[@id='1",
        "//a[@id='it''s']", "//a[@id=concat('1','2')]", "//x:a", "//a[@x:y='1']", "//a/@id", "//a/..",
        "//a/.", "//a|//b", "//child::a", "//text()", "//comment()", "//a[b='1']", "//-a", "//1a",
        "//and", "//a[@or='1']", "//div", "//a[@mod='1']", "//a ", " //a", "//a[]", "//a[@*='1']",
        "//a[@id='1'and @x='2']", "//a[@id='1']]", "//a*", "//**",
      })
  void theRestIsLeftToJaxen(String xpath) {
    assertNull(PlainXPath.of(xpath));
  }

  @Test
  void ofTooManyStepsItIsLeftToJaxen() {
    assertNull(PlainXPath.of("/a".repeat(61)));
    var deep = Element.of("a");
    for (var left = 59; left > 0; left--) {
      deep = Element.builder("a").add(deep).build();
    }
    compare(Draft.document(deep), "/a".repeat(60), null);
    compare(Draft.document(deep), "//a//a/a//a", null);
  }

  @Test
  void itsWorkIsCounted() throws XPathException {
    var cib = Element.builder("cib");
    for (var left = 0; left < 1_000; left++) {
      cib.add(Element.of("a", "id", "1"));
    }
    var document = Draft.document(cib.build());
    var work = new XPathWork();
    var xpath = "//a[@id='1'][@id='1']";
    assertEquals(1_000, CibXPath.evaluate(document, xpath, work, null).size());

    var refused =
        assertThrows(
            XPathException.class,
            () -> {
              for (var left = 0; left < 2_000; left++) {
                CibXPath.evaluate(document, xpath, work, null);
              }
            });
    assertTrue(refused.isLimit());
  }
}
