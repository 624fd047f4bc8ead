package org.systole.common.cib;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jaxen.BaseXPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.common.cib.CibXPath.XPathException;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;

/// XPaths of people who mean no good, or of nobody in particular.
@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class CibXPathTest {
  private static final int RESOURCES = 5_000;
  private static final int STACK = 512 << 10; // as a daemon's

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain", "it's", "a \"b\"", "'\"'", "x' or '1'='1", "\"' or \"1\"='1", "']|//*['", "''\"\"''"
      })
  void aLiteralIsTheTextAndNothingElse(String text) throws XPathException {
    var right = Element.of("primitive", "id", text);
    var cib = Element.builder("cib").add(Element.of("primitive", "id", "other")).add(right).build();
    assertEquals(
        List.of(right), CibXPath.select(cib, "//primitive[@id=" + CibXPath.literal(text) + "]"));
  }

  private static Element large() {
    var resources = Element.builder("resources");
    for (var i = 0; i < RESOURCES; i++) {
      var id = "r" + i;
      resources.add(Element.of("primitive", "id", id, "class", "ocf", "type", "Dummy"));
    }
    return Element.builder("cib").add(resources.build()).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//*[count(//*)>0]",
        "//*[count(//*[count(//*)>0])>0]",
        "//*/@id=//*/@name-nobody-has or //*/@id=//*/@type",
        "//*[@id=//*/@id]",
        "//*[preceding::*]",
        "//*[following::*[following::*]]",
      })
  void oneThatWouldTakeForEverIsGivenUp(String xpath) {
    var refused = assertThrows(XPathException.class, () -> CibXPath.select(large(), xpath));

    assertTrue(refused.isLimit(), refused.getMessage());
  }

  @Test
  void aQueryThatWouldTakeForEverIsToldFromOneThatFindsNothing() {
    var refused = CibUpdate.query(large(), CibQuery.xpath("//*[count(//*)>0]"));
    assertEquals(Rc.E2BIG, refused.rc());
    assertTrue(refused.problems().getFirst().endsWith("asks for too much work"));

    var nothing = CibUpdate.query(large(), CibQuery.xpath("//primitive[@id='nobody']"));
    assertEquals(Rc.ENXIO, nothing.rc());
    assertEquals(List.of(), nothing.problems());
  }

  @Test
  void allOfOneRequestTogetherHaveNoMoreWorkThanOne() {
    var one = CibOp.deleteXPath("//primitive[@id='nobody' or @class='lsb']");
    var before = large();

    assertEquals(Rc.OK, CibUpdate.apply(before, Collections.nCopies(10, one), null).rc());
    var many = CibUpdate.apply(before, Collections.nCopies(1_000, one), null);

    assertEquals(Rc.E2BIG, many.rc());
    assertTrue(many.problems().getFirst().endsWith("asks for too much work"), many::toString);
    assertSame(before, many.cib());
  }

  @Test
  void aUserWhoseRightsAreLimitedHasSoManyOperationsInARequest() {
    var user = new CibUser("u", List.of());
    var one = CibOp.delete("resources", Element.of("primitive", "id", "nobody"));

    assertEquals(
        Rc.OK, CibUpdate.apply(large(), Collections.nCopies(200, one), null, user).rc());
    var more = CibUpdate.apply(large(), Collections.nCopies(201, one), null, user);
    assertEquals(Rc.E2BIG, more.rc());
    assertEquals(List.of("a request has at most 200 operations; divide it"), more.problems());
  }

  @Test
  void oneThatIsUsualFindsWhatIsThereInALargeCib() throws XPathException {
    var cib = large();

    assertEquals(1, CibXPath.select(cib, "//primitive[@id='r4999']").size());
    assertEquals(RESOURCES, CibXPath.select(cib, "//primitive[@class='ocf' or @type='x']").size());
    assertEquals(1, CibXPath.select(cib, "/cib/resources/primitive[@id='r7'][1]").size());
    assertEquals(
        RESOURCES - 1, CibXPath.select(cib, "//primitive[@id='r0']/following-sibling::*").size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//*",
        "/",
        "/*",
        "//a|//b|/cib",
        "//b/ancestor::*",
        "//b/ancestor-or-self::*[1]",
        "//a/preceding::*",
        "//a/preceding-sibling::*[1]",
        "//a/following-sibling::b[last()]/@*",
        "//*[@id='3']/..//*",
        "(//a/b)[2]",
        "//a[b][position()>1]|//comment()",
        "//a[count(preceding-sibling::*)=count(following-sibling::*)]",
        "id('3')",
        "//a=//b",
        "string(//a/@id)",
        "//*[self::a or self::b]/@id/..",
      })
  void whatIsFoundIsWhatJaxenFindsByItself(String xpath) throws Exception {
    var random = new Random(7);
    for (var round = 0; round < 20; round++) {
      var document = Draft.document(randomly(random, 4));
      var expected = new BaseXPath(xpath, new XPathTree(xpath)).evaluate(document);

      assertEquals(
          expected instanceof List<?> list ? list : List.of(),
          CibXPath.evaluate(document, xpath),
          xpath);
    }
  }

  @Test
  void anElementIsFoundBeforeItsAttributesAndTheseBeforeItsChildren() throws XPathException {
    var inner = Element.of("a", "id", "2");
    var cib = Element.builder("cib").attr("id", "1").add(inner).add(Element.of("a")).build();

    var found = CibXPath.evaluate(Draft.document(cib), "//@id|//a|/cib");

    var kinds = found.stream().map(it -> it instanceof CibXPath.Attribute a ? a.value() : "e");
    assertEquals(List.of("e", "1", "e", "2", "e"), kinds.toList());
  }

  private static Element randomly(Random random, int depth) {
    var made = Element.builder(depth == 4 ? "cib" : random.nextBoolean() ? "a" : "b");
    made.attr("id", Integer.toString(random.nextInt(9)));
    made.attr("x", "y");
    for (var left = depth == 0 ? 0 : random.nextInt(4); left > 0; left--) {
      made.add(randomly(random, depth - 1));
    }
    return made.build();
  }

  /// Each is at or beyond a limit, whichever comes first; none may use up the stack.
  static List<String> deep() {
    return List.of(
        "(".repeat(400) + "1" + ")".repeat(400),
        "a[".repeat(400) + "1" + "]".repeat(400),
        "count(".repeat(300) + "/" + ")".repeat(300),
        "-".repeat(2_000) + "1",
        "1" + " or 1".repeat(700),
        "1" + "|1".repeat(2_000),
        "1" + "=1".repeat(2_000),
        "a" + "/a".repeat(2_000),
        "a" + "//a".repeat(1_300),
        "a" + "[1]".repeat(1_300),
        "-".repeat(400) + "(".repeat(60) + "1" + ")".repeat(60));
  }

  @Test
  void noneUsesUpTheStackOfADaemon() throws InterruptedException {
    var thrown = new ArrayList<Throwable>();
    for (var xpath : deep()) {
      var thread =
          new Thread(
              null,
              () -> {
                try {
                  CibXPath.select(Element.of("cib"), xpath);
                } catch (XPathException e) {
                  assertFalse(e.getMessage().length() > 1_000);
                }
              },
              "xpath",
              STACK);
      thread.setUncaughtExceptionHandler((_, e) -> thrown.add(e));
      thread.start();
      thread.join();
    }
    assertEquals(List.of(), thrown);
  }

  @Test
  void anOperatorInATextDoesNotCount() throws XPathException {
    var dashes = "-".repeat(1_000);
    var cib = Element.builder("cib").add(Element.of("a", "id", dashes)).build();

    assertEquals(1, CibXPath.select(cib, "//a[@id='" + dashes + "']").size());
  }

  @Test
  void aUserWithoutAnyRightToWriteHasNothingSearchedFor() {
    var deny =
        Element.builder("acl_role")
            .attr("id", "r")
            .add(Element.of("acl_permission", "id", "p", "kind", "read", "xpath", "/cib"))
            .build();
    var cib = guarded(deny);

    for (var xpath : List.of("//nvpair[@id='o-acl']", "//nvpair[@id='none']", "(((1")) {
      var asked = CibOp.modifyXPath(xpath, Element.of("nvpair", "value", "false"));
      var result = CibUpdate.apply(cib, List.of(asked), null, new CibUser("u", List.of()));
      assertEquals(Rc.EACCES, result.rc(), xpath);
    }
  }

  @Test
  void aDenialThatGoesBeyondALimitHidesEverything() {
    var role =
        Element.builder("acl_role")
            .attr("id", "r")
            .add(Element.of("acl_permission", "id", "p", "kind", "read", "xpath", "/cib"))
            .add(
                Element.of(
                    "acl_permission", "id", "d", "kind", "deny", "xpath", "(".repeat(99) + "//x"))
            .build();

    var seen = CibUpdate.query(guarded(role), CibQuery.ALL, new CibUser("u", List.of()));

    assertEquals(Rc.EACCES, seen.rc());
  }

  private static Element guarded(Element role) {
    var target =
        Element.builder("acl_target").attr("id", "u").add(Element.of("role", "id", "r")).build();
    var acls = Element.builder("acls").add(target).add(role).build();
    var options =
        Element.builder("cluster_property_set")
            .attr("id", "o")
            .add(Element.of("nvpair", "id", "o-acl", "name", "enable-acl", "value", "true"))
            .build();
    var configuration =
        Element.builder("configuration")
            .add(Element.builder("crm_config").add(options).build())
            .add(acls)
            .build();
    return Element.builder("cib").add(configuration).build();
  }
}
