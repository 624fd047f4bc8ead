package org.systole.execd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.execd.client.ExecMessage;

/// Runs agents for their metadata. Agents run as root, and any member of the cluster's group may
/// ask for metadata. So one run of an agent serves all who ask meanwhile, and only a few agents run
/// at a time for members. The cluster's own requests do not wait for them.
///
/// Lives on the executor's loop.
final class MetadataRuns {
  /// How many agents run at a time for members.
  static final int MEMBERS_AT_ONCE = 4;

  /// How many requests may wait, for their turn or for one run.
  static final int WAITING_MAX = 64;

  /// The least time an agent is given, so that a client that shares a run does not suffer from one
  /// with a short timeout.
  static final Duration PATIENCE_MIN = Duration.ofSeconds(30);

  private static final Duration PATIENCE_MAX = Duration.ofMinutes(5);

  /// Carries out one run.
  @FunctionalInterface
  interface Agents {
    /// @param done called once, never from within this call
    void ask(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done);
  }

  private record Asker(
      AgentName agent, Duration timeout, boolean member, Consumer<ExecMessage.Metadata> done) {}

  private record Run(Duration timeout, boolean forMember, List<Asker> askers) {}

  private final Agents agents;
  private final Map<AgentName, Run> runs = new LinkedHashMap<>();
  private final Deque<Asker> waiting = new ArrayDeque<>();

  MetadataRuns(Agents agents) {
    this.agents = agents;
  }

  /// @param timeout how long the agent may take; at least half a minute and at most five are given
  /// @param member whether the request comes from outside the cluster's own daemons
  /// @param done told once
  void ask(AgentName agent, Duration timeout, boolean member, Consumer<ExecMessage.Metadata> done) {
    var patience = timeout.compareTo(PATIENCE_MIN) < 0 ? PATIENCE_MIN : timeout;
    var limit = patience.compareTo(PATIENCE_MAX) > 0 ? PATIENCE_MAX : patience;
    take(new Asker(agent, limit, member, done));
  }

  private void take(Asker asker) {
    var run = runs.get(asker.agent);
    if (run == null && (!asker.member || forMembers() < MEMBERS_AT_ONCE)) {
      start(asker);
      return;
    }
    var shares = run != null && run.timeout.compareTo(asker.timeout) >= 0;
    var queue = shares ? run.askers : waiting;
    if (asker.member && queue.size() >= WAITING_MAX) {
      asker.done.accept(
          new ExecMessage.Metadata(
              "",
              ExecStatus.ERROR,
              "too many agents are asked for their metadata; try again in a moment"));
      return;
    }
    queue.add(asker);
  }

  private long forMembers() {
    return runs.values().stream().filter(Run::forMember).count();
  }

  private void start(Asker asker) {
    var run = new Run(asker.timeout, asker.member, new ArrayList<>(List.of(asker)));
    runs.put(asker.agent, run);
    agents.ask(asker.agent, asker.timeout, answer -> ended(asker.agent, run, answer));
  }

  private void ended(AgentName agent, Run run, ExecMessage.Metadata answer) {
    runs.remove(agent);
    run.askers.forEach(it -> it.done.accept(answer));
    var next = List.copyOf(waiting);
    waiting.clear();
    next.forEach(this::take);
  }
}
