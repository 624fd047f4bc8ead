package org.systole.cts.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;

/// Clients that read what others were told was done: attributes, which all managers had applied, and
/// tickets.
final class SimReads {
  static final String ATTRIBUTE = "sim-read";
  private static final AttrMessage.Kind PRIVATE = new AttrMessage.Kind("", false, true);

  /// What has to be the same from the acknowledgement to the answer of who reads: a manager that is
  /// started anew, and a node that is cut off, may know less.
  private record Circumstances(List<Long> managers, long writersMembership, long readersMembership) {
    boolean areOne() {
      return writersMembership == readersMembership && writersMembership != 0;
    }
  }

  private final SimCluster cluster;
  private final RandomGenerator random;
  private int lastNumber;

  /// Updates asked of each manager, by its process id, that were not answered well. One that was
  /// asked for earlier may yet take effect, after those asked for later.
  private final Map<Long, Set<Integer>> unanswered = new HashMap<>();

  /// The same of each node, asked for while it had no manager: they wait for the one that comes.
  private final Map<SimNode, Set<Integer>> early = new HashMap<>();

  private int tickets;

  SimReads(SimCluster cluster) {
    this.cluster = cluster;
    this.random = cluster.random("reads", "", "", 0);
  }

  /// Sets an attribute of a node, to a number that only rises, and has it read somewhere once every
  /// manager is said to have it.
  void attribute(SimNode writer) {
    var number = ++lastNumber;
    var membership = cluster.order().membership(writer);
    var manager = writer.process("attrd");
    var waiting = waiting(writer, manager);
    var first = manager != null && waiting.isEmpty() && early.getOrDefault(writer, Set.of()).isEmpty();
    waiting.add(number);
    var update =
        new AttrMessage.Update(
            AttrMessage.Change.VALUE,
            ATTRIBUTE,
            "",
            null,
            String.valueOf(number),
            -1,
            PRIVATE,
            false,
            AttrMessage.Wait.CLUSTER);
    new SimCommand(writer)
        .ask(
            AttrMessage.SOCKET,
            AttrMessage.PROTOCOL,
            update,
            reply -> {
              var done = reply instanceof AttrMessage.Done it && it.outcome() == AttrMessage.Outcome.OK;
              if (done || manager == null) {
                waiting.remove(number);
              }
              var present = writer.process("attrd");
              if (manager == null && !done && present != null) {
                waiting(writer, present).add(number); // it may have been connected to that one
              }
              if (done) {
                // in a membership before, every manager may have been this one alone
                if (first && membership == cluster.order().membership(writer)) {
                  read(writer, number);
                }
              }
            });
  }

  private Set<Integer> waiting(SimNode writer, @Nullable SimProcess manager) {
    return manager == null
        ? early.computeIfAbsent(writer, _ -> new HashSet<>())
        : unanswered.computeIfAbsent(manager.pid(), _ -> new HashSet<>());
  }

  private void read(SimNode writer, int number) {
    var up = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    if (up.isEmpty()) {
      return;
    }
    var reader = up.get(random.nextInt(up.size()));
    var before = circumstances(writer, reader);
    new SimCommand(reader)
        .ask(
            AttrMessage.SOCKET,
            AttrMessage.PROTOCOL,
            new AttrMessage.Query(ATTRIBUTE, new NodeName(writer.name())),
            reply -> {
              if (reply instanceof AttrMessage.Values(_, var values)
                  && before.areOne()
                  && before.equals(circumstances(writer, reader))) {
                values.forEach(it -> compare(writer, reader, number, it.value()));
              }
            });
  }

  private void compare(SimNode writer, SimNode reader, int number, @Nullable String value) {
    if (value == null || Integer.parseInt(value) < number) {
      cluster.fail(
          SimCheck.STALE_READ,
          "every attribute manager was said to have %d of %s, and who reads on %s finds %s"
              .formatted(number, writer.name(), reader.name(), value));
    }
  }

  private Circumstances circumstances(SimNode writer, SimNode reader) {
    var managers =
        cluster.nodes().stream()
            .map(it -> it.process("attrd"))
            .map(it -> it == null ? 0L : it.pid())
            .toList();
    return new Circumstances(
        managers, cluster.order().membership(writer), cluster.order().membership(reader));
  }

  /// A ticket is about to be changed.
  ///
  /// @return the number of the change
  int ticketAsked() {
    return ++tickets;
  }

  /// A change of a ticket was acknowledged: whoever reads on that node afterwards finds it, if
  /// nobody has asked for another one since.
  void ticketAnswered(SimNode node, int asked, CibOp change) {
    var granted = change.xml() != null && change.xml().contains("granted=\"true\"");
    var wanted =
        "//ticket_state[@id=%s and @granted=%s]"
            .formatted(
                CibXPath.literal(SimOptions.TICKET), CibXPath.literal(String.valueOf(granted)));
    if (cluster.quorumOption("two_node").equals("1") || !cluster.order().isQuorate(node)) {
      return; // what a side without quorum has noted gives way when it meets the others
    }
    new SimCommand(node)
        .ask(
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            new CibMessage.Query(new CibQuery(wanted, true, false, false), ""),
            reply -> {
              if (reply instanceof CibMessage.Answer answer
                  && answer.rc() == Rc.ENXIO
                  && tickets == asked
                  && cluster.order().isQuorate(node)) {
                cluster.fail(
                    SimCheck.STALE_READ,
                    "the ticket was said on %s to be %s, and who reads there does not find it so"
                        .formatted(node.name(), granted ? "granted" : "revoked"));
              }
            });
  }
}
