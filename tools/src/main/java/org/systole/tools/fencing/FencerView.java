package org.systole.tools.fencing;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.IsoTime;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceConnection;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Named;
import org.systole.tools.cli.Terminal;

/// Asks a node's fencer what it knows and shows it.
///
/// @param timeout what devices are given to answer
record FencerView(FenceConnection fencer, Terminal terminal, Output out, Duration timeout) {
  /// What the fencer itself is given to answer.
  static final Duration ANSWER = Duration.ofSeconds(30);

  /// @throws CommandException if the fencer does not do that for this user
  static FenceMessage.Reply ask(
      FenceConnection fencer, FenceMessage.Request request, Duration timeout)
      throws IOException, CommandException {
    var answer = fencer.ask(request, timeout);
    if (answer instanceof FenceMessage.Denied(var why)) {
      throw CommandException.denied("The fencer did not do this", why);
    }
    return answer;
  }

  private FenceMessage.Reply ask(FenceMessage.Request request, Duration patience)
      throws IOException, CommandException {
    return ask(fencer, request, patience);
  }

  /// What an answer came to that is nothing but done or refused.
  static Rc refusal(FenceMessage answer) {
    return answer instanceof FenceMessage.Refused(var status, var why)
        ? FenceCodes.of(1, status, why)
        : Rc.OK;
  }

  /// Shows what was done to a node, or to all.
  ///
  /// @param node `*` for all
  /// @param cleanup forget it instead
  /// @param broadcast ask all nodes for theirs first
  /// @param full all that is recorded, not only the last that went well
  /// @param quiet only the time of the last, in seconds since 1970
  Rc history(String node, boolean cleanup, boolean broadcast, boolean full, boolean quiet)
      throws IOException, CommandException {
    var target = node.isEmpty() || node.equals("*") ? null : Named.node(node);
    if (cleanup) {
      out.info("cleaning up fencing-history for node " + node);
    }
    if (broadcast) {
      out.info("gather fencing-history from all nodes");
    }
    if (cleanup) {
      var of = target == null ? "" : target.text();
      return refusal(ask(new FenceMessage.HistoryCleanup(of), ANSWER));
    }
    var answer = ask(new FenceMessage.HistoryQuery(target, broadcast), ANSWER);
    if (!(answer instanceof FenceMessage.History(var records))) {
      return Rc.EPROTO;
    }
    out.begin("event", "events", "Fencing history");
    if (full && !quiet) {
      var zone = terminal.zone();
      records.forEach(record -> FencingHistory.show(out, record, records, true, true, zone));
    }
    var latest = latest(records);
    if (latest != null && (quiet || !full)) {
      show(latest, records, quiet);
    }
    out.end();
    return Rc.OK;
  }

  /// The first of those that went well and are listed.
  private static @Nullable FenceRecord latest(List<FenceRecord> records) {
    return records.stream().filter(it -> it.progress() == Progress.DONE).findFirst().orElse(null);
  }

  private void show(FenceRecord latest, List<FenceRecord> records, boolean quiet) {
    if (quiet && out instanceof TextOutput text) {
      text.print(latest.completedMillis() / 1000 + "\n");
    } else {
      FencingHistory.show(out, latest, records, false, true, terminal.zone());
    }
  }

  /// Shows when a node was last fenced.
  ///
  /// @param shown what the user calls it
  /// @param target its name
  Rc last(String shown, NodeName target) throws IOException, CommandException {
    var seconds =
        fencer.history(target, ANSWER).stream()
                .filter(record -> record.progress() == Progress.DONE)
                .mapToLong(FenceRecord::completedMillis)
                .max()
                .orElse(0)
            / 1000;
    switch (out) {
      case TextOutput text ->
          text.indented(
              seconds == 0
                  ? "Node %s has never been fenced\n".formatted(shown)
                  : "Node %s last fenced at: %s\n"
                      .formatted(shown, FencingHistory.longTime(seconds, terminal.zone())));
      case XmlOutput xml -> {
        if (seconds > 0) {
          var at = IsoTime.of(Instant.ofEpochSecond(seconds), terminal.zone());
          xml.add("last-fenced", "target", shown, "when", at.format(IsoTime.Style.CALENDAR, true));
        }
      }
    }
    return Rc.OK;
  }

  /// Shows the devices that can fence a host, all if it is null.
  Rc devices(@Nullable NodeName host) throws IOException, CommandException {
    var asked = new FenceMessage.DeviceQuery(host, timeout.toMillis());
    return switch (ask(asked, timeout.plus(ANSWER))) {
      case FenceMessage.Devices(var known) -> {
        out.begin("fence device", "fence devices", "Registered fence devices");
        known.forEach(it -> out.item("device", it.name()));
        out.end();
        yield Rc.OK;
      }
      case FenceMessage.Refused(var status, var why) -> FenceCodes.of(1, status, why);
      case FenceMessage _ -> Rc.EPROTO;
    };
  }

  /// Shows the hosts a device can fence.
  Rc targets(String device) throws IOException, CommandException {
    var answer = run(device, "list");
    var rc = FenceCodes.of(answer.rc(), answer.status(), answer.exitReason());
    if (rc.isOk()) {
      out.begin("fence target", "fence targets", "Fence Targets");
      Arrays.stream(answer.output().split("[\\s,;]+"))
          .filter(it -> !it.isEmpty())
          .forEach(it -> out.item(null, it));
      out.end();
    }
    return rc;
  }

  /// Whether a device answers. One that is not started is not monitored, but may still answer.
  Rc check(String device) throws IOException, CommandException {
    var answer = run(device, "monitor");
    if (!answer.succeeded()) {
      answer = run(device, "list");
    }
    return FenceCodes.of(answer.rc(), answer.status(), answer.exitReason());
  }

  private FenceMessage.DeviceResult run(String device, String action)
      throws IOException, CommandException {
    var request = new FenceMessage.RunDevice(device, action, null, timeout.toMillis());
    return switch (ask(request, timeout.plus(ANSWER))) {
      case FenceMessage.DeviceResult it -> it;
      case FenceMessage.Refused(var status, var why) ->
          new FenceMessage.DeviceResult(1, status, why, "");
      case FenceMessage other ->
          new FenceMessage.DeviceResult(1, ExecStatus.ERROR, other.toString(), "");
    };
  }
}
