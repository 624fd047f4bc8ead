package org.systole.cts.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/// Values that are hard to take: for a text, a number, or whatever is to be there.
final class NonsenseValues {
  private static final String DEEP = "@deep@";
  private static final String WILD = "@wild@";

  private static final List<String> WORDS =
      List.of(
          "",
          " ",
          "node1",
          "node2",
          "node3",
          "none",
          "t1",
          "dummy",
          "dummy:0",
          "fence",
          "fence_dummy",
          "ocf",
          "pacemaker",
          "Dummy",
          "monitor",
          "start",
          "off",
          "reboot",
          "resources",
          "status",
          "configuration",
          "nobody",
          "root",
          "hacluster",
          "-1",
          "99999999999999999999",
          "10s",
          "P9999999999Y",
          "INFINITY",
          "++",
          "value+=9223372036854775807",
          "../../../etc/passwd",
          "/dev/zero",
          "a\u0000b",
          "\uD800",
          "\uFFFE\uFFFF",
          "%s%n%d{}",
          "\r\nJan 01 00:00:00 fake notice: forged",
          "\u202Eesrever",
          "a\u0301\u0301\u0301",
          "${jndi:ldap://x}",
          "'; rm -rf /; '");

  private static final List<String> XPATHS =
      List.of(
          "//*",
          "//nvpair[@name='password']",
          "/cib/configuration/resources",
          "//*[count(//*[count(//*)>0])>0]",
          "(((((1)))))",
          "//@*",
          "//nvpair[@name='password' and starts-with(@value,'s')]",
          "//*[",
          "//*[substring(@id,1,99999999999)]",
          "//*[position()=last()]/ancestor::*/descendant::*",
          "$x",
          "id('dummy')",
          "document('/etc/passwd')");

  private static final List<String> PATTERNS =
      List.of(
          "^((.|.|.|.|.|.|.|.|.|.)+)+=$",
          "(a|b)*",
          "(((((((((((x{1,255}){1,255}){1,255}",
          "[[:alpha:]]*",
          "\\1(",
          "[z-a]",
          "*",
          "^terminate$");

  private static final List<String> XML =
      List.of(
          "<primitive id='dummy' class='ocf' provider='pacemaker' type='Dummy'/>",
          "<primitive id='x",
          "<cib/>",
          "<cib epoch='-1' num_updates='99999999999999999999' admin_epoch='x'/>",
          "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><cib a='&x;'/>",
          "<nvpair id='x' name='n' value='&#0;'/>",
          "<node_state id='1' uname='node1'/>",
          "<node_state uname='node9' crmd='online' join='member' in_ccm='true'/>",
          "<lrm_rsc_op id='x' operation='start' call-id='x' rc-code='y' op-status='z'/>",
          "<diff format='2'><version/><change operation='move' path='//'/></diff>",
          "<diff format='2'><version><source/><target/></version><change/></diff>",
          "<configuration><resources/></configuration>",
          "<cib" + namespaces(20_000) + "/>",
          "<transition_graph/>");

  private static final long[] NUMBERS = {
    0,
    1,
    -1,
    2,
    3,
    127,
    5_000,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L + Integer.MAX_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    Long.MAX_VALUE / 1_000,
    1L << 53
  };

  private final RandomGenerator random;
  private final int longest;

  NonsenseValues(RandomGenerator random, int longest) {
    this.random = random;
    this.longest = longest;
  }

  /// Declarations of so many namespaces, for an element.
  static String namespaces(int count) {
    var text = new StringBuilder();
    for (var number = 0; number < count; number++) {
      text.append(" xmlns:n").append(number).append("='u'");
    }
    return text.toString();
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /// A value that may stand where `value` does, in a field of that name.
  JsonNode like(String name, JsonNode value) {
    if (random.nextInt(8) == 0) {
      return any();
    }
    if (value.isNumber()) {
      return random.nextInt(10) == 0 ? TextNode.valueOf(WILD) : number(name);
    }
    if (value.isBoolean()) {
      return BooleanNode.valueOf(random.nextBoolean());
    }
    return value.isTextual() ? TextNode.valueOf(text(name)) : any();
  }

  private JsonNode number(String name) {
    // a wait that is asked for is a right request, and nothing to look at for long
    var wait = name.endsWith("Millis") && random.nextInt(4) > 0;
    return LongNode.valueOf(
        wait ? random.nextInt(2_000) : NUMBERS[random.nextInt(NUMBERS.length)]);
  }

  JsonNode any() {
    return switch (random.nextInt(8)) {
      case 0 -> NullNode.getInstance();
      case 1 -> BooleanNode.TRUE;
      case 2 -> number("");
      case 3 -> JsonNodeFactory.instance.objectNode();
      case 4 -> JsonNodeFactory.instance.arrayNode();
      case 5 -> TextNode.valueOf(DEEP);
      case 6 -> TextNode.valueOf(WILD);
      default -> TextNode.valueOf(text(""));
    };
  }

  /// A text for a field of that name.
  String text(String name) {
    var lower = name.toLowerCase(Locale.ROOT);
    var at = random.nextInt(12);
    if (at < 4) {
      if (lower.contains("xml") || lower.contains("cib") || lower.contains("status")) {
        return one(XML);
      }
      if (lower.contains("xpath") || lower.contains("section") || lower.contains("query")) {
        return one(XPATHS);
      }
      if (lower.contains("pattern") || lower.contains("name")) {
        return one(PATTERNS);
      }
    }
    return switch (at) {
      case 4 -> one(XML);
      case 5 -> one(XPATHS);
      case 6 -> one(PATTERNS);
      case 7 -> longText();
      case 8 -> unicode();
      default -> one(WORDS);
    };
  }

  private String longText() {
    var length = Math.min(longest, 1 << random.nextInt(7, 25));
    var unit = one(List.of("x", "(", "<a>", "\u00e4", "../", "//*[", "\\", "\"", "\n"));
    return unit.repeat(Math.max(1, length / (unit.length() + 1)));
  }

  private String unicode() {
    var text = new StringBuilder();
    for (var left = random.nextInt(40); left > 0; left--) {
      text.appendCodePoint(random.nextInt(Character.MAX_CODE_POINT));
    }
    return text.toString();
  }

  /// Puts what no tree can hold into the text of one.
  String fill(String text) {
    var filled = text;
    if (filled.contains(WILD)) {
      var wild =
          List.of("1e400", "-0.0", "9".repeat(random.nextInt(1, 5_000)), "NaN", "0x7", "1e-999", "00");
      filled = filled.replace("\"" + WILD + "\"", one(wild));
    }
    if (filled.contains(DEEP)) {
      var depth = 1 << random.nextInt(3, 15);
      var deep =
          random.nextBoolean()
              ? "[".repeat(depth) + "]".repeat(depth)
              : "{\"a\":".repeat(depth) + "0" + "}".repeat(depth);
      filled = filled.replace("\"" + DEEP + "\"", deep);
    }
    return filled;
  }
}
