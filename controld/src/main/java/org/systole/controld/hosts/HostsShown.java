package org.systole.controld.hosts;

import java.util.ArrayList;
import java.util.List;
import org.systole.controld.client.CtlMessage;
import org.systole.hostha.Decider;
import org.systole.hostha.HostView;
import org.systole.hostha.cib.HostSetup;

/// The hosts as commands are told of them.
final class HostsShown {
  /// How many moves a message may carry, each of a few hundred characters: what is longer than a frame is not sent.
  private static final int MOVES_MAX = 20_000;

  private static final long MILLIS = 1000;

  private final Decider decider;
  private final HostSetup setup;
  private final HostBoard board;
  private final long calendarAtZero;

  HostsShown(Decider decider, HostSetup setup, HostBoard board, long calendarAtZero) {
    this.decider = decider;
    this.setup = setup;
    this.board = board;
    this.calendarAtZero = calendarAtZero;
  }

  CtlMessage.Hosts answer(CtlMessage.HostsQuery query, List<String> doubts) {
    var hosts = new ArrayList<CtlMessage.HaHost>();
    var left = Boolean.TRUE.equals(query.brief()) ? 0 : MOVES_MAX;
    for (var view : decider.views()) {
      if (query.host() == null || query.host().equals(view.name())) {
        var moves = left > 0 ? board.history(view.name()) : List.<CtlMessage.HostMove>of();
        left -= moves.size();
        hosts.add(host(view, moves));
      }
    }
    var queues = new ArrayList<CtlMessage.HaQueue>();
    for (var queue : decider.queues()) {
      queues.add(
          new CtlMessage.HaQueue(
              queue.kind().text(), queue.waiting(), queue.running(), queue.refused()));
    }
    return new CtlMessage.Hosts(hosts, queues, doubts);
  }

  private CtlMessage.HaHost host(HostView view, List<CtlMessage.HostMove> moves) {
    var entry = setup.configuration().hosts().get(view.name());
    var at = entry == null ? null : entry.partition();
    return new CtlMessage.HaHost(
        view.name(),
        at == null ? "" : at,
        view.state().name(),
        seconds(view.since()),
        view.reason(),
        view.power() == null ? "" : view.power().name(),
        view.attempts(),
        view.looks(),
        view.failures(),
        view.blind(),
        view.maintenance(),
        view.held(),
        moves,
        view.power() == null ? null : seconds(view.powerAt()));
  }

  private long seconds(long millis) {
    return Math.floorDiv(calendarAtZero + millis, MILLIS);
  }
}
