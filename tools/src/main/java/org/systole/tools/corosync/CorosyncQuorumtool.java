package org.systole.tools.corosync;

import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LinkStatus;
import picocli.CommandLine.Option;

/// `corosync-quorumtool`: members, votes and quorum, in the form that pcs and crmsh read of
/// Corosync. Votes are what `corosync.conf` says; nothing is changed here. A number of expected votes
/// that only running nodes know of is none: a node that starts anew counts by its file, and with
/// those that were left out it could have quorum beside the others.
@picocli.CommandLine.Command(description = "Show the quorum of this node's cluster")
public final class CorosyncQuorumtool extends CorosyncTool {
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
      names = {"-e"},
      paramLabel = "VOTES",
      description = "Fail unless so many votes are expected; corosync.conf changes them")
  private @Nullable Integer expected;

  @Option(
      names = {"-v", "-n", "-W", "-X"},
      hidden = true)
  private @Nullable String refusedValue;

  public CorosyncQuorumtool() {
    super("corosync-quorumtool", "Cannot initialize CMAP service");
  }

  @Override
  ExitStatus carryOut() throws CommandException {
    if (refused || refusedValue != null) {
      throw CommandException.usage(
          "Votes are changed in corosync.conf, and nothing is watched here (crm_mon does):"
              + " only -s, -l, -p, -H, -i, -a and -o can be given");
    }
    if (!List.of("n", "i", "a").contains(order)) {
      throw CommandException.usage("-o takes n, i or a, not " + order);
    }
    var it = LinkStatus.of(terminal());
    if (expected != null) {
      return expect(it, expected);
    }
    if (!list) {
      quorum(it);
    }
    var device =
        it.flags().contains("Qdevice") ? LinkStatus.device(terminal(), false).device() : null;
    members(it, device);
    if (device != null) {
      line(device(it, device));
    }
    return list || it.membership().quorate() ? ExitStatus.OK : NOT_QUORATE;
  }

  private ExitStatus expect(LinkMessage.Status it, int votes) throws CommandException {
    if (votes == it.expectedVotes()) {
      return ExitStatus.OK;
    }
    throw CommandException.usage(
        ("%d votes are expected, and not at run time %d: with a number that no file has, a node that"
                + " starts anew could give two sides quorum. Set expected_votes in the section quorum"
                + " of corosync.conf on all nodes (or take nodes out of it), then corosync-cfgtool -R")
            .formatted(it.expectedVotes(), votes));
  }

  private void quorum(LinkMessage.Status it) {
    var members = it.membership().members();
    var quorate = it.membership().quorate();
    var first = members.isEmpty() ? it.localId() : members.getFirst().id();
    line("Quorum information");
    line("------------------");
    var now = terminal().clock().get().atZone(terminal().zone());
    line("Date:             " + DATE.format(now));
    line("Quorum provider:  corosync_votequorum");
    line("Nodes:            " + members.size());
    line("Node ID:          " + shown(it.localId().number()));
    line("Ring ID:          %s.%x".formatted(first, it.membership().number()));
    line("Quorate:          " + (quorate ? "Yes" : "No"));
    line("");
    line("Votequorum information");
    line("----------------------");
    line("Expected votes:   " + it.expectedVotes());
    line("Highest expected: " + it.expectedVotes());
    line("Total votes:      " + it.totalVotes());
    var blocked = quorate ? " " : "Activity blocked";
    line("Quorum:           %d %s".formatted(it.quorumVotes(), blocked));
    line("Flags:            " + String.join(" ", it.flags()) + " ");
    line("");
  }

  private void members(LinkMessage.Status it, LinkMessage.@Nullable Device device) {
    line("Membership information");
    line("----------------------");
    line("    Nodeid      Votes" + (forPrograms || device != null ? "    Qdevice" : "") + " Name");
    var members = new ArrayList<>(it.membership().members());
    if (order.equals("n")) {
      members.sort(Comparator.comparing(member -> member.name().text()));
    }
    for (var member : members) {
      var local = member.id().equals(it.localId()) ? " (local)" : "";
      line(
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
