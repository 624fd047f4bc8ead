package org.systole.scheduler.sim;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationKey;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.Task;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.WorkingSet;

/// Changes a CIB as if events had occurred.
final class Injector {
  private static final Pattern FIELDS =
      Pattern.compile("([^@]+)(?:@([^=]+)(?:=\\s*([+-]?\\d+))?)?");

  private final Output out;
  private final WorkingSet cluster;
  private final SimulatedCib cib;
  private final long now;

  /// @param cluster what was read from the CIB
  /// @param now seconds since the epoch
  Injector(Output out, WorkingSet cluster, SimulatedCib cib, long now) {
    this.out = out;
    this.cluster = cluster;
    this.cib = cib;
    this.now = now;
  }

  void inject(Injections events) {
    begin(events);
    if (events.quorum() != null) {
      cib.setAttribute("have-quorum", events.quorum());
    }
    if (events.watchdog() != null) {
      cib.setOption("have-watchdog", events.watchdog());
    }
    for (var node : events.nodesUp()) {
      say("modify_node", "Online", "node", node, "Bringing node " + node + " online");
      cib.setMember(node, true);
    }
    for (var node : events.nodesDown()) {
      say("modify_node", "Offline", "node", node, "Taking node " + node + " offline");
      cib.setMember(node, false);
      cib.clearNode(node);
    }
    for (var node : events.nodesFailed()) {
      say("modify_node", "Failing", "node", node, "Failing node " + node);
      cib.setMember(node, true);
      cib.changeNode(node, null, state -> state.with("in_ccm", "false"));
    }
    tickets(events.granted(), "Granting", "Granting ticket ", "", "granted", true);
    tickets(events.revoked(), "Revoking", "Revoking ticket ", "", "granted", false);
    tickets(events.standby(), "Standby", "Making ticket ", " standby", "standby", true);
    tickets(events.activated(), "Activating", "Activating ticket ", "", "standby", false);
    events.operations().forEach(this::operation);
    end();
  }

  private void begin(Injections events) {
    if (out.isQuiet()) {
      return;
    }
    switch (out) {
      case TextOutput text -> {
        text.begin("Performing Requested Modifications");
        if (events.quorum() != null) {
          text.item("Setting quorum: " + events.quorum());
        }
        if (events.watchdog() != null) {
          text.item("Setting watchdog: " + events.watchdog());
        }
      }
      case XmlOutput xml ->
          xml.add("modifications")
              .attr("quorum", events.quorum())
              .attr("watchdog", events.watchdog());
    }
  }

  private void end() {
    if (!out.isQuiet() && out instanceof TextOutput text) {
      text.end();
    }
  }

  private void say(String element, String action, String attribute, String what, String line) {
    if (out.isQuiet()) {
      return;
    }
    switch (out) {
      case TextOutput text -> text.item(line);
      case XmlOutput xml -> xml.add(element, "action", action, attribute, what);
    }
  }

  private void tickets(
      List<String> tickets,
      String action,
      String before,
      String after,
      String attribute,
      boolean value) {
    for (var ticket : tickets) {
      say("modify_ticket", action, "ticket", ticket, before + ticket + after);
      cib.setTicket(ticket, attribute, value);
    }
  }

  private void operation(String spec) {
    if (!out.isQuiet()) {
      switch (out) {
        case TextOutput text -> text.item("Injecting " + spec + " into the configuration");
        case XmlOutput xml -> xml.add("inject_spec", "spec", spec);
      }
    }
    var fields = FIELDS.matcher(spec);
    if (!fields.lookingAt() || fields.group(3) == null) {
      var found = fields.lookingAt() ? (fields.group(2) == null ? 1 : 2) : 0;
      out.error("Invalid operation spec: " + spec + ".  Only found " + found + " fields");
      return;
    }
    var key = OperationKey.parse(fields.group(1));
    var rsc = key == null ? null : cluster.resource(key.resource().text());
    if (key == null || rsc == null) {
      out.error("Invalid resource name: " + (key == null ? "(null)" : key.resource()));
      return;
    }
    var node = fields.group(2);
    var on = NodeName.of(node);
    if (on == null) {
      out.error("Invalid node name in operation spec: " + spec);
      return;
    }
    var code = Numbers.parseInt(fields.group(3), 0);
    var agent =
        new NodeHistory.Agent(
            key.resource().text(),
            rsc.xml().get("class"),
            rsc.xml().get("provider"),
            rsc.xml().get("type"));
    var infinite =
        key.is(Task.STOP) || key.is(Task.START) && cluster.is(ClusterFlag.START_FAILURE_FATAL);
    var result =
        new HistoryEntries.Result(
            OperationRequest.of(
                key.resource(),
                AgentName.of(rsc.xml()),
                key.operation(),
                key.intervalMillis(),
                Map.of(),
                ""),
            false,
            code,
            OcfCode.OK.number(),
            "Simulated action result",
            on,
            now);
    cib.changeNode(node, null, state -> withResult(state, agent, result, infinite));
  }

  private Element withResult(
      Element state, NodeHistory.Agent agent, HistoryEntries.Result result, boolean infinite) {
    var counted =
        FailCounter.count(
            out,
            state,
            result.request().resource(),
            result.request().operation().text(),
            result.request().intervalMillis(),
            result.code(),
            infinite,
            now);
    var changed =
        NodeHistory.change(
            out, counted, agent.id(), agent, history -> HistoryEntries.add(history, result));
    return changed == null ? counted : changed;
  }
}
