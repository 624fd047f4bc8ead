package org.systole.controld.hosts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.hosts.HostStatus;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OneLine;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.operations.HistoryXml;
import org.systole.hostha.HostView;
import org.systole.hostha.Order;
import org.systole.hostha.fsm.HostState;

/// What the CIB's status and people are told of hosts: the state of each, and how it came there.
final class HostBoard {
  /// An investigation with the settings as they are by themselves makes 23 moves.
  private static final int HISTORY = 40;
  private static final int WHY_MAX = 300;

  private final Map<NodeName, Deque<CtlMessage.HostMove>> histories = new HashMap<>();
  private final Set<NodeName> changed = new TreeSet<>();
  private final SortedMap<NodeName, String> published = new TreeMap<>();

  /// The hosts of which a former DC has said something.
  private final Set<NodeName> inherited = new TreeSet<>();

  /// @param entries what a former DC has published
  HostBoard(HostEntries entries, Set<NodeName> hosts) {
    for (var host : hosts) {
      var before = entries.status(host);
      if (before != null) {
        published.put(host, before.state());
        inherited.add(host);
      }
    }
  }

  /// A host has come into another state.
  void moved(Order.Moved move, long seconds) {
    changed.add(move.host());
    var history = histories.computeIfAbsent(move.host(), _ -> new ArrayDeque<>());
    history.addLast(
        new CtlMessage.HostMove(
            seconds, move.from().name(), move.to().name(), move.event().text(), move.why()));
    if (history.size() > HISTORY) {
      history.removeFirst();
    }
  }

  List<CtlMessage.HostMove> history(NodeName host) {
    var history = histories.get(host);
    return history == null ? List.of() : List.copyOf(history);
  }

  /// The CIB has changed. What was said of a host, and is another thing now, somebody else has changed: it is said again.
  void compare(HostEntries was, HostEntries now) {
    for (var said : List.copyOf(published.entrySet())) {
      var host = said.getKey();
      var after = state(now, host);
      if (said.getValue().equals(state(was, host)) && !said.getValue().equals(after)) {
        published.put(host, after);
        changed.add(host);
      }
    }
  }

  private static String state(HostEntries entries, NodeName host) {
    var said = entries.status(host);
    return said == null ? "" : said.state();
  }

  /// A host is none any more.
  ///
  /// @return whether something is said of it
  boolean forget(NodeName host) {
    histories.remove(host);
    changed.remove(host);
    var said = published.remove(host);
    return said != null && !said.isEmpty();
  }

  /// The status that a former DC has written may not fit any more.
  void check(NodeName host) {
    changed.add(host);
  }

  /// The hosts of which something may have to be said.
  Set<NodeName> changes() {
    return new TreeSet<>(changed);
  }

  boolean hasChanges() {
    return !changed.isEmpty();
  }

  /// What was to be said of a host was refused.
  void refused(NodeName host) {
    published.remove(host);
    changed.add(host);
  }

  /// Whether the status says already that a host is fenced.
  boolean saysFenced(NodeName host) {
    return HostState.FENCED.name().equals(published.get(host));
  }

  /// The changes that bring the status of some hosts up to date.
  ///
  /// What plans take for proof, that a host is fenced, or that it is not any more, is said only once its
  /// record says the same: after a restart of the whole cluster there is nothing but the record.
  ///
  /// @param views the hosts to be told of; of the others something may still have to be said
  /// @param recorded the hosts whose records say that they are fenced
  /// @param settling the hosts that the decider may take for ineligible only because it is so new that it
  ///     has not asked yet; what a former one has said stands for that long
  List<CibOp> publish(
      Map<NodeName, HostView> views,
      Set<NodeName> recorded,
      long calendarAtZero,
      Predicate<NodeName> settling) {
    var changes = new ArrayList<CibOp>();
    for (var host : List.copyOf(changed)) {
      var view = views.get(host);
      if (view == null) {
        continue;
      }
      var before = published.getOrDefault(host, "");
      if (inherited.contains(host)
          && view.state() == HostState.INELIGIBLE
          && isForgotten(HostState.of(before))
          && settling.test(host)) {
        continue;
      }
      if ((view.state() == HostState.FENCED) != recorded.contains(host)) {
        continue;
      }
      changed.remove(host);
      var state = view.state() == HostState.DISABLED ? "" : view.state().name();
      if (!(state.isEmpty() && before.isEmpty())) {
        published.put(host, state);
        changes.add(CibOp.put("status", entry(view, state, calendarAtZero)));
      }
    }
    return changes;
  }

  /// Whether a host that was in a state is found out about anew by a new decider.
  private static boolean isForgotten(@Nullable HostState before) {
    return before != null && before.isManaged() && !before.isDurable();
  }

  /// The change that takes back what is said of a host that is none any more.
  static CibOp nothingOf(NodeName host) {
    return CibOp.put(
        "status",
        HistoryXml.node(CibNodeId.ofRemote(host), host)
            .attr(HistoryXml.REMOTE, "true")
            .attr(HostStatus.STATE, "")
            .build());
  }

  /// A host's entry with its state.
  static Element entry(HostView view, String state, long calendarAtZero) {
    var why = view.reason();
    return HistoryXml.node(CibNodeId.ofRemote(view.name()), view.name())
        .attr(HistoryXml.REMOTE, "true")
        .attr(HostStatus.STATE, state)
        .attr(HostStatus.SINCE, Math.floorDiv(calendarAtZero + view.since(), 1000L))
        .attr(HostStatus.WHY, OneLine.of(why, WHY_MAX))
        .build();
  }
}
