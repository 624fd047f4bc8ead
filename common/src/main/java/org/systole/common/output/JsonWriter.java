package org.systole.common.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.systole.common.xml.Element;

/// Writes a result as JSON: an element is an object, its attributes are members, its children are
/// members named after them, where several may be there an array; a list (an element without attributes around others) is an array whose
/// members carry their own name as `element`.
final class JsonWriter {
  /// Of Systole's own elements, children that may be there several times: arrays also where there is one.
  private static final Set<String> SEVERAL =
      Set.of(
          "agents differs",
          "attributes value",
          "difference differs",
          "gate shut",
          "group failed",
          "inventory agents",
          "inventory needed",
          "inventory package",
          "inventory untold",
          "log line",
          "noderole rests-on",
          "package version",
          "pass run");

  private final StringBuilder out = new StringBuilder();

  private JsonWriter() {}

  static String write(Element root) {
    var writer = new JsonWriter();
    writer.object(root, 0, false);
    return writer.out.append('\n').toString();
  }

  private static boolean isList(Element element) {
    return element.attributeCount() == 0 && element.text() == null;
  }

  private void value(Element element, int depth) {
    if (isList(element)) {
      array(element.children(), depth, true);
    } else if (element.attributeCount() == 0 && element.childCount() == 0) {
      string(element.text() == null ? "" : element.text());
    } else {
      object(element, depth, false);
    }
  }

  private void array(List<Element> elements, int depth, boolean named) {
    if (elements.isEmpty()) {
      out.append("[]");
      return;
    }
    out.append('[');
    var first = true;
    for (var element : elements) {
      out.append(first ? "\n" : ",\n").repeat("  ", depth + 1);
      first = false;
      if (named) {
        object(element, depth + 1, true);
      } else {
        value(element, depth + 1);
      }
    }
    out.append('\n').repeat("  ", depth).append(']');
  }

  private void object(Element element, int depth, boolean named) {
    out.append('{');
    var first = true;
    if (named) {
      first = member("element", depth, first);
      string(element.name());
    }
    for (var at = 0; at < element.attributeCount(); at++) {
      first = member(element.attributeName(at), depth, first);
      string(element.attributeValue(at));
    }
    if (element.text() != null) {
      first = member("text", depth, first);
      string(element.text());
    }
    var byName = new LinkedHashMap<String, List<Element>>();
    for (var child : element.children()) {
      byName.computeIfAbsent(child.name(), name -> new ArrayList<>()).add(child);
    }
    for (var group : byName.entrySet()) {
      var taken = element.has(group.getKey()) || named && group.getKey().equals("element");
      first = member(taken ? group.getKey() + "_list" : group.getKey(), depth, first);
      if (group.getValue().size() == 1 && !SEVERAL.contains(element.name() + " " + group.getKey())) {
        value(group.getValue().getFirst(), depth + 1);
      } else {
        array(group.getValue(), depth + 1, false);
      }
    }
    if (!first) {
      out.append('\n').repeat("  ", depth);
    }
    out.append('}');
  }

  private boolean member(String name, int depth, boolean first) {
    out.append(first ? "\n" : ",\n").repeat("  ", depth + 1);
    string(name);
    out.append(": ");
    return false;
  }

  private void string(String text) {
    out.append('"');
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append(String.format("\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
