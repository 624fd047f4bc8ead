package org.systole.scheduler.status;

import java.util.Objects;
import java.util.StringJoiner;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.HashOrder;
import org.systole.common.values.Numbers;
import org.systole.scheduler.model.Ticket;

/// Shows tickets.
public final class TicketsView {
  private TicketsView() {}

  /// Shows all tickets.
  ///
  /// @param raw only their ids
  /// @param details everything known of them
  public static boolean show(View view, boolean spacer, boolean raw, boolean details) {
    if (view.cluster().tickets().isEmpty()) {
      return false;
    }
    if (spacer) {
      view.out().spacer();
    }
    view.out().begin("Tickets");
    var tickets = view.cluster().tickets();
    for (var id : HashOrder.of(tickets.keySet())) {
      show(view, Objects.requireNonNull(tickets.get(id)), raw, details);
    }
    view.out().end();
    return true;
  }

  /// Shows one ticket.
  public static void show(View view, Ticket ticket, boolean raw, boolean details) {
    switch (view.out()) {
      case TextOutput text -> {
        if (raw) {
          text.item(ticket.id(), ticket.id());
        } else {
          text.item(line(view, ticket, details));
        }
      }
      case XmlOutput xml -> showXml(view, xml, ticket);
    }
  }

  private static String status(Ticket ticket) {
    return ticket.granted() ? "granted" : "revoked";
  }

  private static boolean isTime(String name) {
    return name.equals("last-granted") || name.equals("expires");
  }

  private static String line(View view, Ticket ticket, boolean details) {
    var line = ticket.id() + "\t" + status(ticket) + (ticket.standby() ? " [standby]" : "");
    if (details && !ticket.state().isEmpty()) {
      var all = new StringJoiner(", ", "\t(", ")");
      for (var name : HashOrder.of(ticket.state().keySet())) {
        var value = ticket.state().get(name);
        all.add(name + "=" + (isTime(name) ? view.time(Numbers.parse(value, 0)) : value));
      }
      return line + (ticket.lastGranted() > -1 ? " " : "") + all;
    }
    return ticket.lastGranted() > -1
        ? line + " last-granted=\"" + view.time(ticket.lastGranted()) + "\""
        : line;
  }

  private static void showXml(View view, XmlOutput out, Ticket ticket) {
    var item =
        out.add("ticket", "id", ticket.id(), "status", status(ticket))
            .attr("standby", ticket.standby());
    if (ticket.lastGranted() > -1) {
      item.attr("last-granted", view.time(ticket.lastGranted()));
    }
    for (var name : HashOrder.of(ticket.state().keySet())) {
      if (!isTime(name)) {
        item.attr(name, ticket.state().get(name));
      }
    }
  }
}
