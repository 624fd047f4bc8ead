package org.systole.tools.report;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.List;
import java.util.stream.Stream;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// Takes out of a report what is not to leave the cluster: the values of all whose name matches a
/// pattern. Upper and lower case are the same.
final class Masking {
  static final String MASK = "****";

  private final Pattern name;
  private final List<Pattern> texts; // what goes before a value, the value, what goes after it

  /// @throws PatternSyntaxException if a pattern is none
  Masking(List<String> patterns) {
    var any = String.join("|", patterns.stream().map(it -> "(?:" + it + ")").toList());
    name = Pattern.compile(any, Pattern.CASE_INSENSITIVE);
    // What a pattern such as passw.* takes of the rest of the line does not belong to a name.
    var names = String.join("|", patterns.stream().map(Masking::withinAWord).toList());
    var word = "[\\w.-]*(?:" + names + ")[\\w.-]*[\"']?";
    var value = "(\"[^\"]*\"|'[^']*'|[^\\s,;<>]+)";
    texts =
        Stream.of(
                "(" + word + "\\s*[=:]\\s*)" + value + "()",
                // a part of a CIB: <nvpair name="passwd" value="...", in either order
                "(\\bname[\"']?\\s*[=:]\\s*[\"']?" + word + "[^<>]*?\\bvalue[\"']?\\s*[=:]\\s*)" + value + "()",
                "(\\bvalue\\s*=\\s*)" + value + "([^<>]*?\\bname\\s*=\\s*[\"']?" + word + ")",
                // commands: --password ..., and -p passwd -v ... of crm_resource
                "((?:^|\\s)--?" + word + "\\s+)" + value + "()",
                "((?:-p|--parameter)[=\\s]+[\"']?" + word + "\\s+.*?(?:-v|--parameter-value)[=\\s]+)" + value + "()")
            .map(it -> Pattern.compile(it, Pattern.CASE_INSENSITIVE))
            .toList();
  }

  private static String withinAWord(String pattern) {
    return "(?:" + pattern.replace(".*", "[\\w.-]*").replace(".+", "[\\w.-]+") + ")";
  }

  /// A text of any kind, in which values stand as `name=value` or `name: value`, as the value of what
  /// has such a name, or behind an option of a command.
  String text(String text) {
    var masked = text;
    for (var pattern : texts) {
      masked = pattern.matcher(masked).replaceAll("$1" + MASK + "$3");
    }
    return masked;
  }

  /// A CIB, or a plan: name-value pairs, and attributes of operations.
  String xml(String text) {
    try {
      return XmlWriter.pretty(masked(XmlReader.parse(text)));
    } catch (XmlException e) {
      return text(text);
    }
  }

  private Element masked(Element element) {
    var result = element.withChildren(element.children().stream().map(this::masked).toList());
    if (element.has("value") && name.matcher(element.get("name", "")).find()) {
      result = result.with("value", MASK);
    }
    for (var at = 0; at < element.attributeCount(); at++) {
      if (name.matcher(element.attributeName(at)).find()) {
        result = result.with(element.attributeName(at), MASK);
      }
    }
    return result;
  }
}
