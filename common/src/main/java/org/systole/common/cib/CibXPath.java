package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jaxen.BaseXPath;
import org.jaxen.DefaultNavigator;
import org.jaxen.JaxenConstants;
import org.jaxen.JaxenException;
import org.jaxen.XPath;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// XPath over CIBs.
public final class CibXPath {
  /// An attribute as an XPath finds it.
  record Attribute(Draft owner, String name, String value) {}

  /// An expression that is no XPath, or asks for something XPath does not know.
  public static final class XPathException extends Exception {
    public XPathException(String message) {
      super(message);
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

  /// The XPath of an element from the root, by names and ids; null for an element that is not in
  /// the tree (compared by identity).
  public static @Nullable String pathOf(Element root, Element wanted) {
    var path = new StringBuilder();
    return descend(root, wanted, path) ? path.toString() : null;
  }

  private static boolean descend(Element at, Element wanted, StringBuilder path) {
    var length = path.length();
    step(at, path);
    if (at == wanted) {
      return true;
    }
    for (var child : at.children()) {
      if (descend(child, wanted, path)) {
        return true;
      }
    }
    path.setLength(length);
    return false;
  }

  /// Appends `/name` or `/name[@id='...']`.
  static void step(Element element, StringBuilder path) {
    path.append('/').append(element.isComment() ? "comment" : element.name());
    if (element.id() != null) {
      path.append("[@id='").append(element.id()).append("']");
    }
  }

  /// What an XPath finds: drafts, attributes and strings.
  static List<?> evaluate(Draft document, String xpath) throws XPathException {
    try {
      var found = new BaseXPath(xpath, Tree.IT).evaluate(document);
      return found instanceof List<?> list ? list : Collections.emptyList();
    } catch (JaxenException | RuntimeException e) {
      throw new XPathException("\"" + xpath + "\" is not an XPath: " + e.getMessage());
    }
  }

  /// Jaxen's view of drafts.
  private static final class Tree extends DefaultNavigator {
    private static final long serialVersionUID = 1L;
    static final Tree IT = new Tree();

    @Override
    public Iterator<?> getChildAxisIterator(Object node) {
      return node instanceof Draft draft
          ? draft.children().iterator()
          : JaxenConstants.EMPTY_ITERATOR;
    }

    @Override
    public Iterator<?> getParentAxisIterator(Object node) {
      var parent = getParentNode(node);
      return parent == null
          ? JaxenConstants.EMPTY_ITERATOR
          : Collections.singletonList(parent).iterator();
    }

    @Override
    public @Nullable Object getParentNode(Object node) {
      return switch (node) {
        case Draft draft -> draft.parent();
        case Attribute attribute -> attribute.owner();
        default -> null;
      };
    }

    @Override
    public Iterator<?> getFollowingSiblingAxisIterator(Object node) {
      if (!(node instanceof Draft draft) || draft.parent() == null) {
        return JaxenConstants.EMPTY_ITERATOR;
      }
      return draft.parent().children().listIterator(draft.index() + 1);
    }

    @Override
    public Iterator<?> getPrecedingSiblingAxisIterator(Object node) {
      if (!(node instanceof Draft draft) || draft.parent() == null) {
        return JaxenConstants.EMPTY_ITERATOR;
      }
      return draft.parent().children().subList(0, draft.index()).reversed().iterator();
    }

    @Override
    public Iterator<?> getAttributeAxisIterator(Object node) {
      if (!(node instanceof Draft draft)) {
        return JaxenConstants.EMPTY_ITERATOR;
      }
      var element = draft.self();
      var all = new ArrayList<Attribute>(element.attributeCount());
      for (var at = 0; at < element.attributeCount(); at++) {
        all.add(new Attribute(draft, element.attributeName(at), element.attributeValue(at)));
      }
      return all.iterator();
    }

    @Override
    public @Nullable Object getDocumentNode(Object node) {
      var at = node instanceof Attribute attribute ? attribute.owner() : node;
      while (at instanceof Draft draft && draft.parent() != null) {
        at = draft.parent();
      }
      return at;
    }

    @Override
    public String getElementNamespaceUri(Object element) {
      return "";
    }

    @Override
    public String getElementName(Object element) {
      return ((Draft) element).name();
    }

    @Override
    public String getElementQName(Object element) {
      return getElementName(element);
    }

    @Override
    public String getAttributeNamespaceUri(Object attribute) {
      return "";
    }

    @Override
    public String getAttributeName(Object attribute) {
      return ((Attribute) attribute).name();
    }

    @Override
    public String getAttributeQName(Object attribute) {
      return getAttributeName(attribute);
    }

    @Override
    public boolean isDocument(Object node) {
      return node instanceof Draft draft && draft.isDocument();
    }

    @Override
    public boolean isElement(Object node) {
      return node instanceof Draft draft && !draft.isDocument() && !draft.self().isComment();
    }

    @Override
    public boolean isAttribute(Object node) {
      return node instanceof Attribute;
    }

    @Override
    public boolean isNamespace(Object node) {
      return false;
    }

    @Override
    public boolean isComment(Object node) {
      return node instanceof Draft draft && draft.self().isComment();
    }

    @Override
    public boolean isText(Object node) {
      return false;
    }

    @Override
    public boolean isProcessingInstruction(Object node) {
      return false;
    }

    @Override
    public String getCommentStringValue(Object comment) {
      var text = ((Draft) comment).self().text();
      return text == null ? "" : text;
    }

    @Override
    public String getElementStringValue(Object element) {
      var text = new StringBuilder();
      collect((Draft) element, text);
      return text.toString();
    }

    private static void collect(Draft draft, StringBuilder text) {
      if (draft.self().text() != null && !draft.self().isComment()) {
        text.append(draft.self().text());
      }
      for (var child : draft.children()) {
        collect(child, text);
      }
    }

    @Override
    public String getAttributeStringValue(Object attribute) {
      return ((Attribute) attribute).value();
    }

    @Override
    public String getNamespaceStringValue(Object namespace) {
      return "";
    }

    @Override
    public String getTextStringValue(Object text) {
      return "";
    }

    @Override
    public String getNamespacePrefix(Object namespace) {
      return "";
    }

    @Override
    public @Nullable Object getElementById(Object context, String id) {
      return null;
    }

    @Override
    public XPath parseXPath(String xpath) throws org.jaxen.saxpath.SAXPathException {
      return new BaseXPath(xpath, this);
    }
  }
}
