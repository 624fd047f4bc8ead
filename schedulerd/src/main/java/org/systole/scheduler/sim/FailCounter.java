package org.systole.scheduler.sim;

import org.systole.common.operation.FailureAttribute;
import org.systole.common.operation.OcfCode;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// Counts failures in a node's transient attributes.
final class FailCounter {
  private FailCounter() {}

  /// Counts a failure, unless the result is none.
  ///
  /// @param infinite whether one failure is as bad as any number
  /// @return the node's state with the new count
  static Element count(
      Output out,
      Element state,
      ResourceId resource,
      String task,
      long intervalMs,
      int code,
      boolean infinite,
      long now) {
    if (OcfCode.OK.is(code) || OcfCode.NOT_RUNNING.is(code) && intervalMs == 0) {
      return state;
    }
    var of = "-" + resource + "#" + task + "_" + intervalMs;
    var name = FailureAttribute.COUNT + of;
    var before = Numbers.parseInt(SimulatedCib.getTransient(state, name), 0);
    var counted = set(out, state, name, infinite ? "INFINITY" : Integer.toString(before + 1));
    return set(out, counted, FailureAttribute.LAST + of, Long.toString(now));
  }

  private static Element set(Output out, Element state, String name, String value) {
    if (!out.isQuiet()) {
      // the state is shown as what it is by itself, outside of any CIB
      switch (out) {
        case TextOutput text ->
            text.item(
                "Injecting attribute "
                    + name
                    + "="
                    + value
                    + " into /node_state '"
                    + state.id()
                    + "'");
        case XmlOutput xml ->
            xml.add("inject_attr", "name", name, "value", value)
                .attr("node_path", "/node_state")
                .attr("cib_node", state.id());
      }
    }
    return SimulatedCib.setTransient(state, name, value);
  }
}
