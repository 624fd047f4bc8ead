package org.systole.controld.operations;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.operation.OperationKey;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// A failure as it is counted: by attributes of the node, which the scheduler reads. They are set by the attribute manager; a plan
/// that is made before the CIB has them would be made anew once it does.
///
/// @param seconds when it failed, since 1970
public record CountedFailure(OperationKey operation, long seconds) {
  /// Sets a node's attribute.
  @FunctionalInterface
  public interface Attributes {
    void set(String name, NodeName node, String value);
  }

  /// Has it counted; [#isIn] looks for what is set last.
  ///
  /// @param count as the attribute manager takes it, `value++` among others; null where the failure is noted only
  public void set(Attributes attributes, NodeName node, @Nullable String count) {
    if (count != null) {
      attributes.set(FailureAttribute.count(operation), node, count);
    }
    attributes.set(FailureAttribute.last(operation), node, String.valueOf(seconds));
  }

  /// Whether a CIB has it.
  public boolean isIn(Element cib, CibNodeId node) {
    var status = cib.first("status");
    var state = status == null ? null : status.first("node_state", node.text());
    var attributes = state == null ? null : state.first("transient_attributes");
    return attributes != null && attributes.find(this::isLast) != null;
  }

  private boolean isLast(Element element) {
    return element.is("nvpair")
        && FailureAttribute.last(operation).equals(element.get("name"))
        && String.valueOf(seconds).equals(element.get("value"));
  }
}
