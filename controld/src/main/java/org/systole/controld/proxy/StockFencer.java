package org.systole.controld.proxy;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.fenced.client.FenceMessage;

/// A stock command that asks the fencer for devices or what was fenced. What changes anything is not
/// for remote nodes.
final class StockFencer
    extends StockSession<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> {
  private static final String OPERATION = "st_op";
  private static final String OPTIONS = "st_callopt";
  private static final String TARGET = "st_target";
  private static final String DATA = "st_calldata";
  private static final String HISTORY_CHANGES = "st_notify_history";
  private static final int SYNC = 0x1000;
  private static final int CLEANUP = 0x80000;
  private static final int BROADCAST = 0x100000;
  private static final long TIMEOUT_MILLIS = 60_000;

  private boolean follows;
  private boolean isSubscribed;

  StockFencer(Outlet outlet, NodeName node) {
    super(outlet, node, FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  }

  @Override
  void asked(Asked it) {
    switch (it.xml().get(OPERATION, "")) {
      case "register" ->
          respond(it, Element.of("registered", OPERATION, "register", "st_clientid", token()));
      case "st_notify" -> notify(it);
      case "st_fence_history" -> history(it);
      case "st_query" ->
          ask(
              new FenceMessage.DeviceQuery(target(it), TIMEOUT_MILLIS), reply -> devices(it, reply));
      default -> refuse(it, "no remote node may ask for this");
    }
  }

  private static @Nullable NodeName target(Asked it) {
    var data = it.xml().path(DATA);
    var with = data == null ? null : data.find(each -> each.has(TARGET));
    return with == null ? null : NodeName.of(with.get(TARGET));
  }

  private void notify(Asked it) {
    if (HISTORY_CHANGES.equals(it.xml().get("st_notify_activate"))) {
      follows = true;
    } else if (HISTORY_CHANGES.equals(it.xml().get("st_notify_deactivate"))) {
      follows = false;
    }
    if (follows && !isSubscribed) {
      isSubscribed = true;
      ask(new FenceMessage.Subscribe(), _ -> {});
    }
    acknowledge(it, ExitStatus.OK);
  }

  private void history(Asked it) {
    var options = Numbers.integer(it.xml().get(OPTIONS), 0);
    if ((options & (CLEANUP | BROADCAST)) != 0) {
      refuse(it, "no remote node may ask for this");
      return;
    }
    ask(
        new FenceMessage.HistoryQuery(target(it), false),
        reply -> {
          if (reply instanceof FenceMessage.History history) {
            var list = Element.builder("st_history");
            history.records().forEach(record -> list.add(entry(record)));
            succeed(it, list.build());
          } else {
            refuse(it, why(reply));
          }
        });
  }

  private static Element entry(FenceMessage.FenceRecord it) {
    return Element.builder("st_execute")
        .attr(TARGET, it.target().text())
        .attr("st_device_action", it.action())
        .attr("st_origin", it.origin().text())
        .attr("st_delegate", it.delegate().isEmpty() ? null : it.delegate())
        .attr("st_clientname", it.client())
        .attr("st_date", it.completedMillis() / 1000)
        .attr("st_date_nsec", it.completedMillis() % 1000 * 1_000_000)
        .attr(
            "st_state",
            switch (it.progress()) {
              case QUERYING -> 0;
              case EXECUTING -> 1;
              case DONE -> 2;
              case DUPLICATE -> 3;
              case FAILED -> 4;
            })
        .attr("exit-reason", it.exitReason().isEmpty() ? null : it.exitReason())
        .build();
  }

  private void devices(Asked it, FenceMessage.Reply reply) {
    if (!(reply instanceof FenceMessage.Devices(var devices))) {
      refuse(it, why(reply));
      return;
    }
    var list = Element.builder("devices").attr("st-available-devices", devices.size());
    for (var device : devices) {
      list.add(
          Element.builder("st_device_id")
              .attr("id", device.name())
              .attr("agent", device.agent())
              .attr("st_monitor_verified", device.verified() ? 1 : 0)
              .build());
    }
    succeed(it, list.build());
  }

  private static String why(FenceMessage.Reply reply) {
    return switch (reply) {
      case FenceMessage.Denied(var why) -> why;
      case FenceMessage.Refused(_, var why) -> why;
      default -> "the fencer answers something else";
    };
  }

  private void succeed(Asked it, Element data) {
    reply(
        it,
        result(it, ExecStatus.DONE, ExitStatus.OK, Rc.OK)
            .add(Element.builder(DATA).add(data).build())
            .build());
  }

  private void refuse(Asked it, String why) {
    reply(
        it,
        result(it, ExecStatus.ERROR, ExitStatus.INSUFFICIENT_PRIV, Rc.EACCES)
            .attr("exit-reason", why)
            .build());
  }

  private static Element.Builder result(Asked it, ExecStatus status, ExitStatus exit, Rc rc) {
    var xml = it.xml();
    return Element.builder("st-reply")
        .attr("t", "stonith-ng")
        .attr("op-status", status.code())
        .attr("rc-code", exit.code())
        .attr("st_rc", -rc.legacy())
        .attr(OPERATION, xml.get(OPERATION))
        .attr("st_callid", xml.get("st_callid"))
        .attr("st_clientid", xml.get("st_clientid"))
        .attr("st_clientname", xml.get("st_clientname"))
        .attr(OPTIONS, xml.get(OPTIONS));
  }

  private void reply(Asked it, Element reply) {
    if ((Numbers.integer(it.xml().get(OPTIONS), 0) & SYNC) != 0) {
      respond(it, reply);
    } else {
      acknowledge(it, ExitStatus.OK);
      tell(reply);
    }
  }

  @Override
  void told(FenceMessage.Event event) {
    switch (event) {
      case FenceMessage.Fenced _, FenceMessage.HistoryChanged _ -> {
        if (follows) {
          tell(
              Element.of(
                  "notify", "t", "st_notify", "subt", HISTORY_CHANGES, "st_op", HISTORY_CHANGES));
        }
      }
      case FenceMessage.DevicesChanged _ -> {} // stock commands do not ask for it
    }
  }
}
