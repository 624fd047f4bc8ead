package org.systole.tools.status;

import java.io.PrintStream;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import picocli.CommandLine.Option;

/// `corosync-quorumtool`: members, votes and quorum, in the form that pcs and crmsh read of
/// Corosync. Votes are what `corosync.conf` says; nothing is changed here.
@picocli.CommandLine.Command(description = "Show the quorum of this node's cluster")
public final class CorosyncQuorumtool extends Command {
  /// What pcs takes for a node that is down, and for nothing else.
  private static final String NOT_RUNNING = "Cannot initialize CMAP service";

  /// As Corosync's programs end where there is no quorum.
  private static final ExitStatus NOT_QUORATE = ExitStatus.INVALID_PARAM;

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss yyyy", Locale.ROOT);

  @Option(
      names = {"-s"},
      description = "Show quorum status (the default)")
  private boolean status;

  @Option(
      names = {"-l"},
      description = "List the members only")
  private boolean list;

  @Option(
      names = {"-p"},
      description = "Write it for programs, with all columns")
  private boolean forPrograms;

  @Option(
      names = {"-H"},
      description = "Show node ids as hexadecimal numbers")
  private boolean hexadecimal;

  @Option(
      names = {"-i", "-a"},
      description = "Accepted; nodes are shown by name")
  private boolean addresses;

  @Option(
      names = {"-o"},
      paramLabel = "ORDER",
      description = "Order members by name (n) or by node id (i, a; the default)")
  private String order = "i";

  @Option(
      names = {"-m", "-f", "-C"},
      hidden = true)
  private boolean refused;

  @Option(
      names = {"-v", "-e", "-n", "-W", "-X"},
      hidden = true)
  private @Nullable String refusedValue;

  public CorosyncQuorumtool() {
    super("corosync-quorumtool");
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    return format.equals("text") ? super.output(format, to) : null;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (refused || refusedValue != null) {
      throw CommandException.usage(
          "Votes are changed in corosync.conf, and nothing is watched here (crm_mon does):"
              + " only -s, -l, -p, -H, -i, -a and -o can be given");
    }
    if (!List.of("n", "i", "a").contains(order)) {
      throw CommandException.usage("-o takes n, i or a, not " + order);
    }
    LinkMessage.Status it;
    try {
      it = LinkStatus.of(terminal());
    } catch (CommandException e) {
      if (e.status() != ExitStatus.DISCONNECT) {
        throw e;
      }
      terminal().err().println(NOT_RUNNING);
      return ExitStatus.ERROR;
    }
    var lines = new ArrayList<String>();
    if (!list) {
      quorum(it, lines);
    }
    var device =
        it.flags().contains("Qdevice") ? LinkStatus.device(terminal(), false).device() : null;
    members(it, device, lines);
    if (device != null) {
      lines.add(device(it, device));
    }
    if (out() instanceof TextOutput text) {
      lines.forEach(text::info);
    }
    return list || it.membership().quorate() ? ExitStatus.OK : NOT_QUORATE;
  }

  private void quorum(LinkMessage.Status it, List<String> lines) {
    var members = it.membership().members();
    var quorate = it.membership().quorate();
    var first = members.isEmpty() ? it.localId() : members.getFirst().id();
    lines.add("Quorum information");
    lines.add("------------------");
    var now = terminal().clock().get().atZone(terminal().zone());
    lines.add("Date:             " + DATE.format(now));
    lines.add("Quorum provider:  corosync_votequorum");
    lines.add("Nodes:            " + members.size());
    lines.add("Node ID:          " + shown(it.localId().number()));
    lines.add("Ring ID:          %s.%x".formatted(first, it.membership().number()));
    lines.add("Quorate:          " + (quorate ? "Yes" : "No"));
    lines.add("");
    lines.add("Votequorum information");
    lines.add("----------------------");
    lines.add("Expected votes:   " + it.expectedVotes());
    lines.add("Highest expected: " + it.expectedVotes());
    lines.add("Total votes:      " + it.totalVotes());
    var blocked = quorate ? " " : "Activity blocked";
    lines.add("Quorum:           %d %s".formatted(it.quorumVotes(), blocked));
    lines.add("Flags:            " + String.join(" ", it.flags()) + " ");
    lines.add("");
  }

  private void members(
      LinkMessage.Status it, LinkMessage.@Nullable Device device, List<String> lines) {
    lines.add("Membership information");
    lines.add("----------------------");
    lines.add("    Nodeid      Votes" + (forPrograms || device != null ? "    Qdevice" : "") + " Name");
    var members = new ArrayList<>(it.membership().members());
    if (order.equals("n")) {
      members.sort(Comparator.comparing(member -> member.name().text()));
    }
    for (var member : members) {
      var local = member.id().equals(it.localId()) ? " (local)" : "";
      lines.add(
          "%10s %10d %s%s%s"
              .formatted(
                  shown(member.id().number()),
                  votes(it, member),
                  qdevice(device, member),
                  member.name(),
                  local));
    }
  }

  /// Whether the member has registered the device, is connected to it and has its vote.
  private String qdevice(LinkMessage.@Nullable Device device, Member member) {
    if (device == null) {
      return forPrograms ? "        NR " : "";
    }
    for (var it : device.nodes()) {
      if (it.id().equals(member.id())) {
        return "%10s "
            .formatted(
                (it.alive() ? "A," : "NA,")
                    + (it.votes() ? "V," : "NV,")
                    + (device.masterWins() ? "MW" : "NMW"));
      }
    }
    return "        NR ";
  }

  /// The device is shown as a member with the number 0.
  private String device(LinkMessage.Status it, LinkMessage.Device device) {
    var counts =
        device.nodes().stream().anyMatch(one -> one.id().equals(it.localId()) && one.votes());
    return counts
        ? "%10s %10d            %s".formatted(shown(0), device.votes(), device.name())
        : "%10s %10d            %s (votes %d)"
            .formatted(shown(0), 0, device.name(), device.votes());
  }

  private static int votes(LinkMessage.Status it, Member member) {
    for (var node : it.configured()) {
      if (node.id().equals(member.id())) {
        return node.votes();
      }
    }
    return 1;
  }

  private String shown(long id) {
    return hexadecimal ? "0x%08x".formatted(id) : Long.toString(id);
  }
}
