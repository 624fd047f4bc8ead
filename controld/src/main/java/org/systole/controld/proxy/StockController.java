package org.systole.controld.proxy;

import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Product;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// A stock command that asks the controller which node this is, which others there are, or how they
/// are. What changes anything is not for remote nodes.
final class StockController extends StockSession<CtlMessage.Request, CtlMessage.Reply, NoEvent> {
  private static final String TASK = "crm_task";
  private static final String TO = "crm_sys_to";

  StockController(Outlet outlet, NodeName node) {
    super(outlet, node, CtlMessage.SOCKET, CtlMessage.PROTOCOL);
  }

  @Override
  void asked(Asked it) {
    var xml = it.xml();
    switch (xml.get(TASK, "")) {
      case "hello" -> acknowledge(it, ExitStatus.OK);
      case "node-info" -> askForNodes(it, nodes -> info(xml, nodes));
      case "list-nodes" -> askForNodes(it, StockController::list);
      case "ping" -> {
        acknowledge(it, ExitStatus.OK);
        ping(it);
      }
      default -> end("it asks for " + xml.get(TASK) + ", which no remote node may");
    }
  }

  private interface Telling {
    Element of(CtlMessage.Nodes nodes);
  }

  private void askForNodes(Asked it, Telling telling) {
    acknowledge(it, ExitStatus.OK);
    ask(
        new CtlMessage.NodesQuery(),
        reply -> {
          if (reply instanceof CtlMessage.Nodes nodes) {
            reply(it.xml(), telling.of(nodes), null);
          } else {
            end("the controller answers something else");
          }
        });
  }

  private Element info(Element request, CtlMessage.Nodes nodes) {
    var id = Numbers.integer(request.get("id"), 0);
    var name = request.get("uname");
    var answer =
        Element.builder("node").attr("crm_subsystem", "crmd").attr("have-quorum", nodes.quorate());
    for (var each : nodes.nodes()) {
      if (each.id().number() == id || each.name().text().equals(name)) {
        return answer
            .attr("id", each.id().number())
            .attr("uuid", each.id().toString())
            .attr("uname", each.name().text())
            .attr("crmd", each.member() ? "member" : "lost")
            .attr("remote_node", false)
            .build();
      }
    }
    if (id <= 0 && (name == null || name.equals(node().text()))) {
      answer
          .attr("id", 0)
          .attr("uuid", node().text())
          .attr("uname", node().text())
          .attr("crmd", "member")
          .attr("remote_node", true);
    }
    return answer.build();
  }

  private static Element list(CtlMessage.Nodes nodes) {
    var list = Element.builder("nodes");
    for (var each : nodes.nodes()) {
      list.add(
          Element.builder("node")
              .attr("id", each.id().number())
              .attr("uname", each.name().text())
              .attr("in_ccm", each.member() ? "member" : "lost")
              .build());
    }
    return list.build();
  }

  private void ping(Asked it) {
    var host = NodeName.of(it.xml().get("crm_host_to"));
    if (host != null) {
      ping(it.xml(), host);
      return;
    }
    ask(
        new CtlMessage.DcQuery(),
        reply -> {
          if (reply instanceof CtlMessage.Dc(var dc) && dc != null) {
            ping(it.xml(), dc);
          } // else there is nobody to answer, and the command's patience ends
        });
  }

  private void ping(Element request, NodeName host) {
    ask(
        new CtlMessage.StateQuery(host),
        reply -> {
          if (reply instanceof CtlMessage.State state) {
            var ping =
                Element.of(
                    "ping_response",
                    "crm_subsystem",
                    request.get(TO, "crmd"),
                    "crmd_state",
                    state.state(),
                    "result",
                    "ok");
            reply(request, ping, host);
          }
        });
  }

  private void reply(Element request, Element data, @Nullable NodeName from) {
    tell(
        Element.builder("reply")
            .attr("t", "crmd")
            .attr("version", Product.FEATURE_SET)
            .attr("subt", "response")
            .attr("reference", request.get("reference"))
            .attr(TASK, request.get(TASK))
            .attr(TO, request.get("crm_sys_from"))
            .attr("crm_sys_from", request.get(TO))
            .attr("src", from == null ? null : from.text())
            .add(Element.builder("crm_xml").add(data).build())
            .build());
  }

  @Override
  void told(NoEvent event) {
    // there is none
  }
}
