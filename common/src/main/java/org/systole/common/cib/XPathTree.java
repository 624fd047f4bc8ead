package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jaxen.BaseXPath;
import org.jaxen.DefaultNavigator;
import org.jaxen.JaxenConstants;
import org.jaxen.XPath;
import org.jspecify.annotations.Nullable;

/// Jaxen's view of drafts, for one evaluation: it counts what is looked at, and of what a user may
/// not see there is nothing, for conditions either.
final class XPathTree extends DefaultNavigator {
  private static final long serialVersionUID = 1L;
  private static final int CHARACTERS = 64; // of a text are as much work as a node

  private final int cost;
  private final transient XPathWork work;
  private final transient @Nullable SeenCib seen;

  /// @param xpath the longer it is, the more work may be done at a node
  XPathTree(String xpath) {
    this(xpath, new XPathWork(), null);
  }

  /// @param work what of it is left
  /// @param seen what there is for the one who asks; null for everything
  XPathTree(String xpath, XPathWork work, @Nullable SeenCib seen) {
    this.cost = 1 + xpath.length() / CHARACTERS;
    this.work = work;
    this.seen = seen;
  }

  void looked(long times) {
    work.done(times * cost);
  }

  private List<Draft> there(List<Draft> drafts) {
    return seen == null ? drafts : drafts.stream().filter(seen::isThere).toList();
  }

  private Iterator<?> elements(List<Draft> drafts) {
    return counted(there(drafts).iterator());
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
        ? elements(draft.children())
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
    var all = draft.parent().children();
    return elements(all.subList(draft.index() + 1, all.size()));
  }

  @Override
  public Iterator<?> getPrecedingSiblingAxisIterator(Object node) {
    if (!(node instanceof Draft draft) || draft.parent() == null) {
      return JaxenConstants.EMPTY_ITERATOR;
    }
    return elements(draft.parent().children().subList(0, draft.index()).reversed());
  }

  @Override
  public Iterator<?> getAttributeAxisIterator(Object node) {
    if (!(node instanceof Draft draft)) {
      return JaxenConstants.EMPTY_ITERATOR;
    }
    var element = draft.self();
    looked(1 + element.attributeCount());
    var all = new ArrayList<CibXPath.Attribute>(element.attributeCount());
    var whole = seen == null || seen.isReadable(draft);
    for (var at = 0; at < element.attributeCount(); at++) {
      if (!whole && !element.attributeName(at).equals("id")) {
        continue;
      }
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
    var readable = seen == null || seen.isReadable(draft);
    if (readable && draft.self().text() != null && !draft.self().isComment()) {
      text.append(draft.self().text());
    }
    for (var child : there(draft.children())) {
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
