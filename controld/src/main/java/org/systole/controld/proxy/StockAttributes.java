package org.systole.controld.proxy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.xml.Element;

/// A stock command that reads or sets node attributes.
final class StockAttributes extends StockSession<AttrMessage.Request, AttrMessage.Reply, NoEvent> {
  private static final String TASK = "task";
  private static final String NAME = "attr_name";
  private static final String VALUE = "attr_value";
  private static final String NODE = "attr_host";
  private static final String REMOTE = "attr_is_remote";
  private static final int UPDATES_MAX = 500;

  StockAttributes(Outlet outlet, NodeName node) {
    super(outlet, node, AttrMessage.SOCKET, AttrMessage.PROTOCOL);
  }

  @Override
  void asked(Asked it) {
    var xml = it.xml();
    switch (xml.get(TASK, "")) {
      case "query" -> query(it);
      case "clear-failure" -> {
        var resource = ResourceId.of(xml.get("attr_resource"));
        if (resource == null && xml.has("attr_resource")) {
          acknowledge(it, ExitStatus.INVALID_PARAM);
          return;
        }
        var interval = Interval.parse(xml.get("attr_clear_interval"), 0);
        askAll(
            it,
            List.of(
                new AttrMessage.ClearFailures(
                    resource, xml.get("attr_clear_operation", ""), interval, node(xml))));
      }
      case "refresh" -> askAll(it, List.of(new AttrMessage.Refresh()));
      case "update", "update-both", "update-delay" -> update(it);
      default -> acknowledge(it, ExitStatus.UNIMPLEMENT_FEATURE);
    }
  }

  private static @Nullable NodeName node(Element xml) {
    return NodeName.of(xml.get(NODE));
  }

  private void update(Asked it) {
    var all = new ArrayList<AttrMessage.Request>();
    var parts = it.xml().children("op"); // of a client that sets several at once
    for (var each : parts.isEmpty() ? List.of(it.xml()) : parts) {
      all.add(update(each, it.xml().get(TASK, "")));
    }
    if (all.size() > UPDATES_MAX) {
      acknowledge(it, ExitStatus.INVALID_PARAM);
    } else {
      askAll(it, all);
    }
  }

  private static AttrMessage.Update update(Element xml, String task) {
    var dampening = Interval.readMs(xml.get("attr_dampening", ""));
    var name = xml.get(NAME, "");
    return new AttrMessage.Update(
        switch (xml.get(TASK, task)) {
          case "update-both" -> AttrMessage.Change.VALUE_AND_DELAY;
          case "update-delay" -> AttrMessage.Change.DELAY;
          default -> AttrMessage.Change.VALUE;
        },
        name,
        name.isEmpty() ? xml.get("attr_regex", "") : "",
        node(xml),
        xml.get(VALUE),
        dampening == null ? -1 : dampening,
        new AttrMessage.Kind(
            xml.get("attr_set", ""),
            xml.get("attr_set_type", "").equals("utilization"),
            Bool.isTrue(xml.get("attr_is_private"))),
        Bool.isTrue(xml.get(REMOTE)),
        xml.get("attr_sync_point", "local").equals("cluster")
            ? AttrMessage.Wait.CLUSTER
            : AttrMessage.Wait.LOCAL,
        null);
  }

  /// Asks one after the other, and acknowledges what became of them once all are answered.
  private void askAll(Asked it, List<? extends AttrMessage.Request> requests) {
    var left = new int[] {requests.size()};
    var worst = new ExitStatus[] {ExitStatus.OK};
    for (var each : requests) {
      ask(
          each,
          reply -> {
            var status = status(reply);
            worst[0] = status == ExitStatus.OK ? worst[0] : status;
            if (--left[0] == 0) {
              acknowledge(it, worst[0]);
            }
          });
    }
  }

  private static ExitStatus status(AttrMessage.Reply reply) {
    return reply instanceof AttrMessage.Done(var outcome, _)
        ? switch (outcome) {
          case OK -> ExitStatus.OK;
          case MISSING -> ExitStatus.NOSUCH;
          case REFUSED -> ExitStatus.INVALID_PARAM;
          case FAILED -> ExitStatus.UNSATISFIED;
          case DENIED -> ExitStatus.INSUFFICIENT_PRIV;
        }
        : ExitStatus.PROTOCOL;
  }

  private void query(Asked it) {
    var name = it.xml().get(NAME, "");
    ask(
        new AttrMessage.Query(name, node(it.xml())),
        reply -> {
          var answer = Element.builder("attributes").attr("t", "attrd").attr("subt", "query");
          answer.attr("attr_version", "5");
          if (reply instanceof AttrMessage.Values(var exists, var values) && exists) {
            answer.attr(NAME, name);
            values.forEach(
                value ->
                    answer.add(
                        Element.builder("node")
                            .attr(NODE, value.node().text())
                            .attr(VALUE, value.value())
                            .build()));
          }
          respond(it, answer.build());
        });
  }

  @Override
  void told(NoEvent event) {
    // there is none
  }
}
