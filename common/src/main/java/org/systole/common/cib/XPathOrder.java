package org.systole.common.cib;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import org.jaxen.Context;
import org.jaxen.ContextSupport;
import org.jaxen.JaxenException;
import org.jaxen.JaxenHandler;
import org.jaxen.SimpleNamespaceContext;
import org.jaxen.SimpleVariableContext;
import org.jaxen.XPathFunctionContext;
import org.jaxen.expr.DefaultXPathFactory;
import org.jaxen.expr.Expr;
import org.jaxen.expr.LocationPath;
import org.jaxen.expr.Step;
import org.jaxen.expr.UnionExpr;
import org.jaxen.saxpath.Axis;
import org.jaxen.saxpath.helpers.XPathReaderFactory;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibXPath.Attribute;

/// Evaluates XPaths by Jaxen, except for how what is found is put in document order. Jaxen looks
/// through all later siblings to compare two; a draft knows its place among them.
final class XPathOrder extends DefaultXPathFactory {
  private static final int COMPARISON = 3; // is as much work as looking at so many nodes

  private final XPathTree tree;

  private XPathOrder(XPathTree tree) {
    this.tree = tree;
  }

  /// @param work what is left for the request
  /// @param seen what there is for the one who asks; null for everything
  /// @return what was found: drafts, attributes; nothing if the value is no set of nodes
  /// @throws IllegalArgumentException if it is no XPath
  static List<?> evaluate(Draft document, String xpath, XPathWork work, @Nullable SeenCib seen) {
    try {
      return evaluate(document, xpath, new XPathTree(xpath, work, seen));
    } catch (JaxenException e) { // a caller that named it would have Jaxen loaded
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static List<?> evaluate(Draft document, String xpath, XPathTree tree)
      throws JaxenException {
    var handler = new JaxenHandler();
    handler.setXPathFactory(new XPathOrder(tree));
    try {
      var reader = XPathReaderFactory.createReader();
      reader.setXPathHandler(handler);
      reader.parse(xpath);
    } catch (org.jaxen.saxpath.SAXPathException e) {
      throw new JaxenException(e);
    }
    var context =
        new Context(
            new ContextSupport(
                new SimpleNamespaceContext(),
                XPathFunctionContext.getInstance(),
                new SimpleVariableContext(),
                tree));
    context.setNodeSet(List.of(document));
    var value = handler.getXPathExpr().getRootExpr().evaluate(context);
    return value instanceof List<?> list ? list : List.of();
  }

  private List<Object> sorted(List<Object> nodes) {
    nodes.sort(this::compare);
    return nodes;
  }

  /// An element is before its attributes, and these before its children.
  private int compare(Object one, Object other) {
    tree.looked(COMPARISON);
    var first = element(one);
    var second = element(other);
    if (first == second) {
      return Boolean.compare(one instanceof Attribute, other instanceof Attribute);
    }
    var difference = depth(first) - depth(second);
    for (var left = difference; left > 0; left--) {
      first = parent(first);
    }
    for (var left = difference; left < 0; left++) {
      second = parent(second);
    }
    if (first == second) { // one is above the other
      return difference;
    }
    while (first.parent() != second.parent()) {
      first = parent(first);
      second = parent(second);
    }
    return Integer.compare(first.index(), second.index());
  }

  private static Draft element(Object node) {
    return node instanceof Attribute attribute ? attribute.owner() : (Draft) node;
  }

  private static int depth(Draft draft) {
    var depth = 0;
    for (var at = draft.parent(); at != null; at = at.parent()) {
      depth++;
    }
    return depth;
  }

  private static Draft parent(Draft draft) {
    var parent = draft.parent();
    if (parent == null) {
      throw new IllegalArgumentException("nodes of two documents");
    }
    return parent;
  }

  @Override
  public LocationPath createRelativeLocationPath() throws JaxenException {
    return new Path(super.createRelativeLocationPath());
  }

  @Override
  public LocationPath createAbsoluteLocationPath() throws JaxenException {
    return new Path(super.createAbsoluteLocationPath());
  }

  @Override
  public UnionExpr createUnionExpr(Expr left, Expr right) throws JaxenException {
    return new Union(super.createUnionExpr(left, right));
  }

  @SuppressWarnings("unchecked") // Jaxen's lists have no types
  private static List<Object> nodes(List<?> list) {
    return new ArrayList<>((List<Object>) list);
  }

  /// Steps one after the other.
  private final class Path implements LocationPath {
    private static final long serialVersionUID = 1L;

    private final transient LocationPath steps;

    Path(LocationPath steps) {
      this.steps = steps;
    }

    @Override
    public void addStep(Step step) {
      steps.addStep(step);
    }

    @Override
    public List<?> getSteps() {
      return steps.getSteps();
    }

    @Override
    public boolean isAbsolute() {
      return steps.isAbsolute();
    }

    @Override
    public String getText() {
      return steps.getText();
    }

    @Override
    public Expr simplify() {
      steps.simplify();
      return this;
    }

    @Override
    public Object evaluate(Context context) throws JaxenException {
      var from = nodes(context.getNodeSet());
      if (isAbsolute() && !from.isEmpty()) {
        from = new ArrayList<>(Collections.singletonList(tree.getDocumentNode(from.getFirst())));
      }
      var found = from;
      var stepping = new Context(context.getContextSupport());
      for (var it : getSteps()) {
        var step = (Step) it;
        stepping.setNodeSet(found);
        found = nodes(step.evaluate(stepping));
        if (isReverse(step)) {
          Collections.reverse(found);
        }
      }
      return getSteps().size() > 1 || from.size() > 1 ? sorted(found) : found;
    }

    private static boolean isReverse(Step step) {
      return switch (step.getAxis()) {
        case Axis.PRECEDING, Axis.PRECEDING_SIBLING, Axis.ANCESTOR, Axis.ANCESTOR_OR_SELF -> true;
        default -> false;
      };
    }
  }

  /// What either side finds.
  private final class Union implements UnionExpr {
    private static final long serialVersionUID = 1L;

    private final transient UnionExpr sides;

    Union(UnionExpr sides) {
      this.sides = sides;
    }

    @Override
    public Expr getLHS() {
      return sides.getLHS();
    }

    @Override
    public Expr getRHS() {
      return sides.getRHS();
    }

    @Override
    public String getOperator() {
      return sides.getOperator();
    }

    @Override
    public String getText() {
      return sides.getText();
    }

    @Override
    public Expr simplify() {
      sides.simplify();
      return this;
    }

    @Override
    public Object evaluate(Context context) throws JaxenException {
      if (!(getLHS().evaluate(context) instanceof List<?> left)
          || !(getRHS().evaluate(context) instanceof List<?> right)) {
        throw new JaxenException("only what was found can be joined by |");
      }
      var both = new LinkedHashSet<>(nodes(left));
      both.addAll(nodes(right));
      return sorted(new ArrayList<>(both));
    }
  }
}
