package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import org.jaxen.BaseXPath;
import org.jaxen.DefaultNavigator;
import org.jaxen.JaxenConstants;
import org.jaxen.XPath;
import org.jspecify.annotations.Nullable;

/// Jaxen's view of drafts, for one evaluation: it counts what is looked at.
final class XPathTree extends DefaultNavigator {
  /// Thrown through Jaxen, which knows nothing of limits.
  static final class TooMuchWork extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooMuchWork() {
      super("too much work", null, false, false);
    }
  }

  private static final long serialVersionUID = 1L;
  private static final int CHARACTERS = 64; // of a text are as much work as a node
  private static final long WORK_MAX = 4_000_000;

  private final int cost;
  private long left = WORK_MAX;

  /// @param xpath the longer it is, the more work may be done at a node
  XPathTree(String xpath) {
    this.cost = 1 + xpath.length() / CHARACTERS;
  }

  void looked(long times) {
    left -= times * cost;
    if (left < 0) {
      throw new TooMuchWork();
    }
  }

  private Iterator<?> counted(Iterator<?> nodes) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return nodes.hasNext();
      }

      @Override
      public Object next() {
        looked(1);
        return nodes.next();
      }
    };
  }

  @Override
  public Iterator<?> getChildAxisIterator(Object node) {
    return node instanceof Draft draft
        ? counted(draft.children().iterator())
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
    looked(1);
    return switch (node) {
      case Draft draft -> draft.parent();
      case CibXPath.Attribute attribute -> attribute.owner();
      default -> null;
    };
  }

  @Override
  public Iterator<?> getFollowingSiblingAxisIterator(Object node) {
    if (!(node instanceof Draft draft) || draft.parent() == null) {
      return JaxenConstants.EMPTY_ITERATOR;
    }
    return counted(draft.parent().children().listIterator(draft.index() + 1));
  }

  @Override
  public Iterator<?> getPrecedingSiblingAxisIterator(Object node) {
    if (!(node instanceof Draft draft) || draft.parent() == null) {
      return JaxenConstants.EMPTY_ITERATOR;
    }
    return counted(
        draft.parent().children().subList(0, draft.index()).reversed().iterator());
  }

  @Override
  public Iterator<?> getAttributeAxisIterator(Object node) {
    if (!(node instanceof Draft draft)) {
      return JaxenConstants.EMPTY_ITERATOR;
    }
    var element = draft.self();
    looked(1 + element.attributeCount());
    var all = new ArrayList<CibXPath.Attribute>(element.attributeCount());
    for (var at = 0; at < element.attributeCount(); at++) {
      all.add(new CibXPath.Attribute(draft, element.attributeName(at), element.attributeValue(at)));
    }
    return all.iterator();
  }

  @Override
  public @Nullable Object getDocumentNode(Object node) {
    var at = node instanceof CibXPath.Attribute attribute ? attribute.owner() : node;
    while (at instanceof Draft draft && draft.parent() != null) {
      looked(1);
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
    return ((CibXPath.Attribute) attribute).name();
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
    return node instanceof CibXPath.Attribute;
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

  private void collect(Draft draft, StringBuilder text) {
    looked(1);
    if (draft.self().text() != null && !draft.self().isComment()) {
      text.append(draft.self().text());
    }
    for (var child : draft.children()) {
      collect(child, text);
    }
  }

  @Override
  public String getAttributeStringValue(Object attribute) {
    var value = ((CibXPath.Attribute) attribute).value();
    looked(1 + value.length() / CHARACTERS);
    return value;
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
