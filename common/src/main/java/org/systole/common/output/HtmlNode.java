package org.systole.common.output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An element of a page, with either text or elements in it.
///
/// Line breaks stand where the reference's library puts them, for scripts that read pages by line:
/// around elements that are blocks, but not around a block's only child or beside text.
final class HtmlNode {
  private static final Set<String> VOID = Set.of("meta", "link", "br");
  private static final Set<String> INLINE = Set.of("span", "br");

  private final String name;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final List<HtmlNode> children = new ArrayList<>();
  private @Nullable String text;

  HtmlNode(String name) {
    this.name = name;
  }

  HtmlNode add(String child) {
    var node = new HtmlNode(child);
    children.add(node);
    return node;
  }

  /// Adds a child before all others.
  HtmlNode insert(String child) {
    var node = new HtmlNode(child);
    children.addFirst(node);
    return node;
  }

  /// Sets an attribute; a null value sets nothing.
  HtmlNode attr(String attribute, @Nullable String value) {
    if (value != null) {
      attributes.put(attribute, value);
    }
    return this;
  }

  void text(@Nullable String newText) {
    this.text = newText;
  }

  /// @param parent null for the root
  /// @param last whether nothing follows it in its parent
  void write(@Nullable HtmlNode parent, boolean last, StringBuilder out) {
    out.append('<').append(name);
    attributes.forEach(
        (attribute, value) -> {
          out.append(' ').append(attribute).append("=\"");
          escape(value, true, out);
          out.append('"');
        });
    out.append('>');
    if (!VOID.contains(name)) {
      writeContent(out);
      out.append("</").append(name).append('>');
    }
    if (!last && parent != null && !INLINE.contains(name)) {
      out.append('\n');
    }
  }

  private void writeContent(StringBuilder out) {
    if (text != null) {
      if (name.equals("style")) {
        out.append(text);
      } else {
        escape(text, false, out);
      }
      return;
    }
    var spread = children.size() > 1 && !INLINE.contains(name);
    out.append(spread ? "\n" : "");
    for (var at = 0; at < children.size(); at++) {
      children.get(at).write(this, at == children.size() - 1, out);
    }
    out.append(spread ? "\n" : "");
  }

  private static void escape(String value, boolean attribute, StringBuilder out) {
    value
        .codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append(attribute ? "&quot;" : "\"");
                default -> {
                  if (c < 0x80) {
                    out.append((char) c);
                  } else {
                    out.append("&#").append(c).append(';');
                  }
                }
              }
            });
  }
}
