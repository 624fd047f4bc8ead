package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlText;
import org.systole.schedulerd.client.SchedulerMessage;

/// A scheduler small enough to see through: it probes, starts every primitive once, recovers what
/// failed, fences what is lost and lets go who wants to leave. For tests of the controller alone.
final class ToyScheduler
    implements RpcServer.Handler<SchedulerMessage.Request, SchedulerMessage.Reply, NoEvent> {
  private static final String NO_WAIT = "CRM_meta_op_no_wait='true'";

  private final StringBuilder graph = new StringBuilder();
  private int actions;
  private int synapses;
  private final List<Integer> stops = new ArrayList<>();

  static void start(World world) {
    RpcServer.serve(
        world,
        SchedulerMessage.SOCKET,
        World.Access.OWNER,
        SchedulerMessage.PROTOCOL,
        new ToyScheduler());
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<SchedulerMessage.Reply> call,
      SchedulerMessage.Request request) {
    if (request instanceof SchedulerMessage.Calculate it) {
      call.reply(calculate(it));
    }
  }

  private SchedulerMessage.Calculated calculate(SchedulerMessage.Calculate request) {
    try {
      var text = plan(request.cib().element());
      return new SchedulerMessage.Calculated(
          request.reference(), XmlText.of(text), "", List.of(), List.of(), "");
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private record Node(
      String id, String name, boolean online, boolean lost, boolean leaving, Element state) {}

  private String plan(Element cib) {
    graph.setLength(0);
    actions = 0;
    synapses = 0;
    stops.clear();
    var nodes = new ArrayList<Node>();
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      nodes.add(node(state));
    }
    var fencing = new ArrayList<Integer>();
    for (var node : nodes) {
      if (node.lost()) {
        fencing.add(cluster("stonith", node, "CRM_meta_stonith_action='reboot'", List.of()));
      }
    }
    resources(cib, nodes.stream().filter(Node::online).toList(), fencing);
    return "<transition_graph cluster-delay='60s' fencing-timeout='60s' failed-stop-offset='INFINITY' failed-start-offset='INFINITY' transition_id='0'>%s</transition_graph>"
        .formatted(graph)
        .replace('\'', '"');
  }

  private static Node node(Element state) {
    var online =
        !"0".equals(state.get("in_ccm", "0"))
            && !"0".equals(state.get("crmd", "0"))
            && "member".equals(state.get("join"));
    var lost =
        !online && "member".equals(state.get("expected")) && "0".equals(state.get("crmd", "0"));
    var attributes = state.path("transient_attributes", "instance_attributes");
    var leaving =
        attributes != null
            && attributes.children("nvpair").stream()
                .anyMatch(it -> "shutdown".equals(it.get("name")) && !"0".equals(it.get("value")));
    return new Node(state.get("id", ""), state.get("uname", ""), online, lost, leaving, state);
  }

  private void resources(Element cib, List<Node> online, List<Integer> first) {
    var primitives = new ArrayList<Element>();
    var section = cib.path("configuration", "resources");
    if (section != null) {
      collect(section, primitives);
    }
    var probes = new ArrayList<Integer>(first);
    for (var primitive : primitives) {
      for (var node : online) {
        if (!node.leaving() && record(node, primitive) == null) {
          probes.add(operation("monitor", 0, 7, primitive, node, List.of()));
        }
      }
    }
    for (var primitive : primitives) {
      place(primitive, online, primitives.indexOf(primitive), probes);
    }
    var dc = cib.get("dc-uuid", "");
    var before = new ArrayList<Integer>(first);
    for (var node : online) {
      if (node.leaving() && !node.id().equals(dc)) {
        before.add(cluster("do_shutdown", node, NO_WAIT, stops));
      }
    }
    before.addAll(stops);
    for (var node : online) {
      if (node.leaving() && node.id().equals(dc)) {
        cluster("do_shutdown", node, NO_WAIT, before);
      }
    }
  }

  private void place(Element primitive, List<Node> online, int at, List<Integer> probes) {
    var candidates = online.stream().filter(it -> !it.leaving()).toList();
    var needed = new ArrayList<Integer>(probes);
    var runs = false;
    for (var node : online) {
      var record = record(node, primitive);
      if (record == null || !isActive(record)) {
        continue;
      }
      if (node.leaving() || isFailed(record)) {
        var stop = operation("stop", 0, 0, primitive, node, List.of());
        stops.add(stop);
        needed.add(stop);
      } else {
        runs = true;
        if (record.first("lrm_rsc_op", primitive.id() + "_monitor_10000") == null) {
          operation("monitor", 10_000, 0, primitive, node, List.of());
        }
      }
    }
    if (!runs && !candidates.isEmpty()) {
      var node = candidates.get(at % candidates.size());
      var start = operation("start", 0, 0, primitive, node, needed);
      operation("monitor", 10_000, 0, primitive, node, List.of(start));
    }
  }

  private static void collect(Element from, List<Element> into) {
    for (var child : from.children()) {
      if (child.is("primitive") && !"stonith".equals(child.get("class"))) {
        into.add(child);
      } else if (child.is("group")) {
        collect(child, into);
      }
    }
  }

  private static @Nullable Element record(Node node, Element primitive) {
    var resources = node.state().path("lrm", "lrm_resources");
    return resources == null ? null : resources.first("lrm_resource", primitive.get("id", ""));
  }

  private static boolean isActive(Element record) {
    var last = record.first("lrm_rsc_op", record.id() + "_last_0");
    if (last == null) {
      return false;
    }
    var rc = last.get("rc-code", "");
    return !(last.get("operation", "").equals("stop") && rc.equals("0")) && !rc.equals("7");
  }

  private static boolean isFailed(Element record) {
    var last = record.first("lrm_rsc_op", record.id() + "_last_0");
    var failure = record.first("lrm_rsc_op", record.id() + "_last_failure_0");
    return last != null
        && failure != null
        && Integer.parseInt(failure.get("call-id", "0"))
            >= Integer.parseInt(last.get("call-id", "0"));
  }

  private int operation(
      String task, int interval, int rc, Element primitive, Node node, List<Integer> inputs) {
    var id = ++actions;
    var parameters =
        "CRM_meta_timeout='20000' CRM_meta_op_target_rc='%d' crm_feature_set='3.20.5'"
            .formatted(rc);
    if (interval > 0) {
      parameters += " CRM_meta_interval='%d' CRM_meta_name='monitor'".formatted(interval);
    }
    synapse(
        "<rsc_op id='%d' operation='%s' operation_key='%s_%s_%d' on_node='%s' on_node_uuid='%s'><primitive id='%s' class='%s' provider='%s' type='%s'/><attributes %s/></rsc_op>"
            .formatted(
                id,
                task,
                primitive.id(),
                task,
                interval,
                node.name(),
                node.id(),
                primitive.id(),
                primitive.get("class"),
                primitive.get("provider", ""),
                primitive.get("type"),
                parameters),
        inputs);
    return id;
  }

  private int cluster(String task, Node node, String attributes, List<Integer> inputs) {
    var id = ++actions;
    synapse(
        "<crm_event id='%d' operation='%s' operation_key='%s-%s' on_node='%s' on_node_uuid='%s'><attributes %s/><downed><node id='%s'/></downed></crm_event>"
            .formatted(id, task, task, node.name(), node.name(), node.id(), attributes, node.id()),
        inputs);
    return id;
  }

  private void synapse(String action, List<Integer> inputs) {
    var triggers = new StringBuilder();
    for (var input : inputs) {
      triggers.append("<trigger><rsc_op id='%d'/></trigger>".formatted(input));
    }
    graph.append(
        "<synapse id='%d'><action_set>%s</action_set><inputs>%s</inputs></synapse>"
            .formatted(synapses++, action, triggers));
  }
}
