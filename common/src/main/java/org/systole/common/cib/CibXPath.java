package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// XPath over CIBs. Whoever may ask anything may ask by XPath, so that there are limits to length,
/// nesting and the work of all in one request: some million nodes looked at, about a second.
public final class CibXPath {
  private static final int LENGTH_MAX = 4_096;
  private static final int DEPTH_MAX = 60;
  private static final int OPERATORS_MAX = 500;
  private static final int SHOWN_MAX = 200;

  /// An attribute as an XPath finds it.
  record Attribute(Draft owner, String name, String value) {}

  /// An expression that is no XPath, or asks for something XPath does not know.
  public static final class XPathException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean limit;

    XPathException(String message, boolean limit) {
      super(message);
      this.limit = limit;
    }

    /// Whether it may be an XPath, but one beyond what is evaluated here.
    public boolean isLimit() {
      return limit;
    }
  }

  private CibXPath() {}

  /// The elements an XPath finds, in document order.
  ///
  /// @param root the document's root element
  /// @throws XPathException if `xpath` is none
  public static List<Element> select(Element root, String xpath) throws XPathException {
    var found = new ArrayList<Element>();
    for (var node : evaluate(Draft.document(root), xpath)) {
      if (node instanceof Draft draft && !draft.isDocument()) {
        found.add(draft.self());
      }
    }
    return found;
  }

  /// The first element an XPath finds, null if there is none.
  ///
  /// @throws XPathException if `xpath` is none
  public static @Nullable Element first(Element root, String xpath) throws XPathException {
    var found = select(root, xpath);
    return found.isEmpty() ? null : found.getFirst();
  }

  /// A text as an XPath has it, whatever quotes are in it: names of nodes and ids of resources come
  /// from outside.
  public static String literal(String text) {
    if (text.indexOf('\'') < 0) {
      return "'" + text + "'";
    }
    return text.indexOf('"') < 0
        ? "\"" + text + "\""
        : "concat('" + text.replace("'", "',\"'\",'") + "')";
  }

  /// Appends `/name` or `/name[@id='...']`.
  static void step(Element element, StringBuilder path) {
    path.append('/').append(element.isComment() ? "comment" : element.name());
    if (element.id() != null) {
      path.append("[@id='").append(element.id()).append("']");
    }
  }

  /// What an XPath finds: drafts, attributes and strings.
  ///
  /// @throws XPathException if it is none, or goes beyond a limit
  static List<?> evaluate(Draft document, String xpath) throws XPathException {
    return evaluate(document, xpath, new XPathWork(), null);
  }

  /// As [#evaluate(Draft, String)].
  ///
  /// @param work what is left for the request
  /// @param seen what there is for the one who asks; null for everything
  static List<?> evaluate(
      Draft document, String xpath, XPathWork work, @Nullable SeenCib seen)
      throws XPathException {
    if (xpath.length() > LENGTH_MAX || isNestedTooDeeply(xpath)) {
      throw new XPathException("\"" + shortened(xpath) + "\" is too long or nested too deeply", true);
    }
    try {
      var plain = document.isDocument() ? PlainXPath.of(xpath) : null;
      return plain != null
          ? plain.find(document, work, seen)
          : XPathOrder.evaluate(document, xpath, work, seen);
    } catch (XPathWork.TooMuch | StackOverflowError e) {
      throw new XPathException("\"" + shortened(xpath) + "\" asks for too much work", true);
    } catch (RuntimeException e) {
      throw new XPathException(
          "\"" + shortened(xpath) + "\" is not an XPath: " + e.getMessage(), false);
    }
  }

  private static String shortened(String xpath) {
    return xpath.length() <= SHOWN_MAX ? xpath : xpath.substring(0, SHOWN_MAX) + "...";
  }

  /// Looks at what makes the parser or the evaluation call itself. An operator's right side is
  /// evaluated within the left one's, however it is written.
  private static boolean isNestedTooDeeply(String xpath) {
    var depth = 0;
    var operators = 0;
    var quote = 0;
    for (var at = 0; at < xpath.length(); at++) {
      var it = xpath.charAt(at);
      if (quote != 0) {
        quote = it == quote ? 0 : quote;
        continue;
      }
      switch (it) {
        case '"', '\'' -> quote = it;
        case '(', '[' -> depth++;
        case ')', ']' -> depth--;
        case '|', '+', '-', '*', '=', '<', '>', ' ' -> operators++;
        default -> {}
      }
      if (depth > DEPTH_MAX || operators > OPERATORS_MAX) {
        return true;
      }
    }
    return false;
  }
}
