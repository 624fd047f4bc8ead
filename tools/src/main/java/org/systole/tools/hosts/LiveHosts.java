package org.systole.tools.hosts;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HaHost;
import org.systole.hostha.fsm.HostState;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.Typing;

/// The hosts of a running cluster, as its DC has them.
final class LiveHosts {
  private static final DateTimeFormatter WHEN =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Terminal terminal;
  private final Output out;

  LiveHosts(Terminal terminal, Output out) {
    this.terminal = terminal;
    this.out = out;
  }

  // Asking

  /// @param host the one to ask for; null for all, without their histories
  CtlMessage.Hosts hosts(@Nullable NodeName host) throws CommandException {
    return hosts(host, host == null);
  }

  /// All hosts, with their histories as far as an answer has room for them.
  CtlMessage.Hosts histories() throws CommandException {
    return hosts(null, false);
  }

  private CtlMessage.Hosts hosts(@Nullable NodeName host, boolean brief) throws CommandException {
    var answer = ask(new CtlMessage.HostsQuery(host, brief));
    if (answer instanceof CtlMessage.Hosts hosts) {
      return hosts;
    }
    throw unexpected(answer);
  }

  /// Has the DC do something about a host.
  void order(NodeName host, CtlMessage.HostOrder what, String why) throws CommandException {
    var answer = ask(new CtlMessage.OrderHost(host, what, why));
    if (!(answer instanceof CtlMessage.Done)) {
      throw unexpected(answer, host);
    }
  }

  /// Has all checks of a host done once, and shows what came of them.
  void tryOut(NodeName host) throws CommandException {
    var answer = ask(new CtlMessage.TryHost(host));
    if (!(answer instanceof CtlMessage.Tried(var checks))) {
      throw unexpected(answer, host);
    }
    tried(host, checks);
  }

  void tried(NodeName host, List<CtlMessage.HaTry> checks) {
    switch (out) {
      case XmlOutput xml -> {
        xml.open("host-ha-trial", "host", host.text());
        for (var it : checks) {
          xml.add("check", "name", it.check())
              .attr("by", orNull(it.by()))
              .attr("good", it.well())
              .attr("answer", it.said());
        }
        xml.close();
      }
      case TextOutput text -> {
        for (var it : checks) {
          text.print(
              "%-8s  %-4s  %s%s\n"
                  .formatted(
                      it.check(),
                      it.well() ? "good" : "bad",
                      it.by().isEmpty() ? "" : "seen by " + it.by() + ": ",
                      it.said()));
        }
      }
    }
  }

  private CtlMessage.Reply ask(CtlMessage.Request request) throws CommandException {
    try (var controller = CtlConnection.open(terminal.environment(), TIMEOUT)) {
      return controller.ask(request);
    } catch (IOException e) {
      throw unreachable("the controller", "" + e.getMessage(), ExitStatus.DISCONNECT);
    }
  }

  /// A daemon that cannot be asked, or not by this user.
  static CommandException unreachable(String daemon, String why, ExitStatus status) {
    if (status == ExitStatus.INSUFFICIENT_PRIV) { // it answers, and says no
      return CommandException.denied(
          "Could not be done", "the access control lists do not let this user read the cluster's configuration");
    }
    return new CommandException(
        status,
        "Could not reach %s: %s. The cluster has to run on this node"
            .formatted(daemon, why));
  }

  /// As [#unexpected(CtlMessage.Reply)], with the host that may have been meant where there is none of that name.
  private CommandException unexpected(CtlMessage.Reply answer, NodeName host) throws CommandException {
    if (answer instanceof CtlMessage.Refused(var reason, var why)
        && reason == CtlMessage.Reason.UNKNOWN
        && ask(new CtlMessage.HostsQuery(null, true)) instanceof CtlMessage.Hosts all) {
      return new CommandException(ExitStatus.NOSUCH, "Could not be done: " + why + meant(all, host));
    }
    return unexpected(answer);
  }

  /// The host that may have been meant, as the end of a sentence.
  static String meant(CtlMessage.Hosts all, NodeName host) {
    var near = Typing.near(host.text(), all.hosts().stream().map(it -> it.name().text()).toList());
    return near == null ? "" : " (is %s meant?)".formatted(near);
  }

  private static CommandException unexpected(CtlMessage.Reply answer) {
    if (!(answer instanceof CtlMessage.Refused(var reason, var why))) {
      return new CommandException(ExitStatus.SOFTWARE, "The controller answered " + answer);
    }
    if (reason == CtlMessage.Reason.DENIED) {
      return CommandException.denied("Could not be done", why);
    }
    var status =
        switch (reason) {
          case DENIED -> ExitStatus.INSUFFICIENT_PRIV;
          case UNKNOWN -> ExitStatus.NOSUCH;
          case UNREACHABLE -> ExitStatus.DISCONNECT;
          case NOT_NOW -> ExitStatus.UNSAFE;
          case NO_QUORUM -> ExitStatus.QUORUM;
          case FAILED -> ExitStatus.ERROR;
        };
    return new CommandException(status, why.startsWith(CtlMessage.ORDERED) ? why : "Could not be done: " + why);
  }

  // Showing

  void list(CtlMessage.Hosts all) {
    list(all, false);
  }

  /// @param moves whether a text has the last moves of each host, too
  void list(CtlMessage.Hosts all, boolean moves) {
    switch (out) {
      case XmlOutput xml -> {
        xml.open("host-ha-hosts");
        all.doubts().forEach(it -> xml.add("warning", "text", it));
        all.hosts().forEach(it -> add(xml, it));
        for (var queue : all.queues()) {
          xml.add("queue", "name", queue.kind())
              .attr("waiting", queue.waiting())
              .attr("running", queue.running())
              .attr("refused", queue.refused());
        }
        xml.close();
      }
      case TextOutput text -> list(text, all, moves);
    }
  }

  private void list(TextOutput text, CtlMessage.Hosts all, boolean moves) {
    all.doubts().forEach(it -> text.print("warning: " + it + "\n"));
    if (all.hosts().isEmpty()) {
      text.print("Host HA is in use for no host\n");
      return;
    }
    var longest =
        all.hosts().stream()
            .map(it -> it.name().text().length())
            .max(Comparator.naturalOrder())
            .orElse(0);
    for (var host : all.hosts()) {
      text.print(
          "%s  %-10s  since %s%s%s\n"
              .formatted(
                  padded(host.name().text(), longest),
                  host.state(),
                  time(host.since()),
                  host.held() == null ? "" : host.held().isEmpty() ? "  held" : "  held (%s)".formatted(host.held()),
                  host.why().isEmpty() ? "" : "  " + host.why()));
      if (moves) {
        moves(text, host);
      }
    }
    for (var queue : all.queues()) {
      if (queue.waiting() > 0) {
        text.print("queue %s: %d wait\n".formatted(queue.kind(), queue.waiting()));
      }
    }
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  /// Shows a host with its history.
  void show(NodeName name) throws CommandException {
    if (!isShown(hosts(name), name)) { // then all are asked for: one of them may be meant
      throw unknown(hosts(null), name);
    }
  }

  /// @return whether it is there
  boolean isShown(CtlMessage.Hosts all, NodeName name) {
    for (var host : all.hosts()) {
      if (host.name().equals(name)) {
        show(host);
        return true;
      }
    }
    return false;
  }

  static CommandException unknown(CtlMessage.Hosts all, NodeName name) {
    return new CommandException(
        ExitStatus.NOSUCH,
        "Host HA knows no host %s: hosts are the remote nodes, and crm_hostha --list shows all%s"
            .formatted(name, meant(all, name)));
  }

  private void show(HaHost host) {
    switch (out) {
      case XmlOutput xml -> {
        xml.open("host-ha-hosts");
        add(xml, host);
        xml.close();
      }
      case TextOutput text -> {
        text.print("%s: %s since %s\n".formatted(host.name(), host.state(), time(host.since())));
        line(text, "why", host.why());
        line(text, "for what runs there", seenAs(host));
        line(text, "in", host.partition());
        line(text, "power", power(host));
        line(text, "maintenance", host.maintenance() ? "yes" : "");
        line(text, "held", held(host));
        if (host.recoveries() > 0) {
          line(text, "recoveries begun", String.valueOf(host.recoveries()));
        }
        if (host.looks() > 0) {
          line(
              text,
              "activity checks",
              "%d, of which %d saw nothing and %d could not look"
                  .formatted(host.looks(), host.failures(), host.blind()));
        }
        moves(text, host);
      }
    }
  }

  private void moves(TextOutput text, HaHost host) {
    for (var move : host.history()) {
      text.print(
          "  %s  %s -> %s (%s)%s\n"
              .formatted(
                  time(move.at()),
                  move.from(),
                  move.to(),
                  move.event(),
                  move.why().isEmpty() ? "" : ": " + move.why()));
    }
  }

  /// What a host in its state is for whoever looks after what runs there, in the specification's words.
  private static String seenAs(HaHost host) {
    var state = HostState.of(host.state());
    return state == null ? "" : state.seenAs();
  }

  private static String held(HaHost host) {
    if (host.held() == null) {
      return "";
    }
    return host.held().isEmpty() ? "by a person" : "by a person: " + host.held();
  }

  /// How its power is, and when that was seen: it may have changed since.
  private String power(HaHost host) {
    var off = host.state().equals("FENCED") && host.power().equals("OFF");
    var at = host.powerAt();
    return host.power().isEmpty() || at == null
        ? host.power()
        : "%s, %s %s".formatted(host.power(), off ? "as was proved, or read since, at" : "as read at", time(at));
  }

  private static void line(TextOutput text, String name, String value) {
    if (!value.isEmpty()) {
      text.print("  %s: %s\n".formatted(name, value));
    }
  }

  private void add(XmlOutput xml, HaHost host) {
    xml.open("host", "name", host.name().text(), "state", host.state())
        .attr("seen-as", orNull(seenAs(host)))
        .attr("since", time(host.since()))
        .attr("reason", orNull(host.why()))
        .attr("partition", orNull(host.partition()))
        .attr("power", orNull(host.power()))
        .attr("power-read", host.powerAt() == null ? null : time(host.powerAt()))
        .attr("maintenance", host.maintenance())
        .attr("recoveries", host.recoveries())
        .attr("activity-checks", host.looks())
        .attr("activity-failures", host.failures())
        .attr("activity-unknown", host.blind())
        .attr("held", host.held());
    for (var move : host.history()) {
      xml.add("move", "time", time(move.at()), "from", move.from(), "to", move.to())
          .attr("event", move.event())
          .attr("reason", orNull(move.why()));
    }
    xml.close();
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private String time(long seconds) {
    return WHEN.format(Instant.ofEpochSecond(seconds).atZone(terminal.zone()));
  }
}
