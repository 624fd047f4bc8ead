package org.systole.controld.remote;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostStatus;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.io.PeerMessage.AgentRan;
import org.systole.controld.io.PeerMessage.RunAgent;
import org.systole.execd.client.remote.RemoteExecutor;

/// What a DC asks of hosts: whether they answer, and what an agent says there.
///
/// It goes over the member's connection to the host. Where there is none because it was lost, one is
/// made for the request alone: the resource's own is made anew only once the host is known to be well.
public final class HostRequests {
  private static final int VISITS_MAX = 200;
  private static final Duration SOON = Duration.ofMillis(250);

  private final World world;
  private final RemoteHost host;
  private final Connections connections;
  private final AgentRuns runs;
  private final Map<NodeName, Visit> visits = new LinkedHashMap<>();
  private final Map<Asking, Integer> asking = new HashMap<>(); // how many runs of a name wait for their end on a host

  private record Asking(NodeName node, ResourceId name) {}

  public HostRequests(World world, RemoteHost host, Connections connections, AgentRuns runs) {
    this.world = world;
    this.host = host;
    this.connections = connections;
    this.runs = runs;
  }

  /// Does what a DC asks for.
  ///
  /// @param done told once
  public void run(RunAgent asked, Consumer<AgentRan> done) {
    var until = world.nanoTime() + Duration.ofMillis(asked.timeoutMillis()).toNanos();
    run(
        asked,
        until,
        answer -> {
          if (answer.reached()) {
            done.accept(answer);
          } else {
            onceRecorded(asked.node(), until, () -> done.accept(answer));
          }
        });
  }

  /// That a node was not reached is told only after the CIB says that its connection was stopped, if it was: a host that is
  /// taken out in order would be suspected otherwise, by who has not read yet that it was.
  private void onceRecorded(NodeName node, long until, Runnable then) {
    if (isStopBeingRecorded(node) && world.nanoTime() < until) {
      world.after(SOON, () -> onceRecorded(node, until, then));
    } else {
      then.run();
    }
  }

  private boolean isStopBeingRecorded(NodeName node) {
    var connection = connections.of(node);
    var said = HostStatus.of(host.cib(), node);
    return connection != null
        && connection.isIdle()
        && host.nodeName().equals(RemoteRecords.connection(host.cib(), node))
        && (said == null || !said.lost());
  }

  private void run(RunAgent asked, long until, Consumer<AgentRan> done) {
    var connection = connections.of(asked.node());
    if (connection != null && (connection.isOpening() || visits.containsKey(asked.node()))) {
      // a second connection would take the node over from the one that is just being made
      if (world.nanoTime() < until) {
        world.after(SOON, () -> run(asked, until, done));
      } else {
        done.accept(unreached(asked, "a connection to it was still being made"));
      }
    } else if (connection != null && connection.remote() != null) {
      connection.check(
          Duration.ofMillis(asked.timeoutMillis()),
          (executor, problem) -> {
            if (executor == null) {
              done.accept(unreached(asked, problem));
            } else {
              reached(asked, executor, done);
            }
          });
    } else if (asked.server() == null) {
      done.accept(
          unreached(asked, host.nodeName() + " has no connection to " + asked.node()));
    } else if (visits.size() >= VISITS_MAX || visits.containsKey(asked.node())) {
      done.accept(unreached(asked, "too many attempts to connect are under way"));
    } else {
      var visit = new Visit(asked, done);
      visits.put(asked.node(), visit);
      visit.begin(asked.server());
    }
  }

  /// Whether a node is being asked over a connection of its own.
  public boolean isVisiting(NodeName node) {
    return visits.containsKey(node);
  }

  private static AgentRan unreached(RunAgent asked, String why) {
    return new AgentRan(asked.number(), false, 1, ExecStatus.NOT_CONNECTED, why, "");
  }

  private void reached(RunAgent asked, RemoteExecutor executor, Consumer<AgentRan> done) {
    var call = asked.call();
    if (call == null) {
      done.accept(new AgentRan(asked.number(), true, 0, ExecStatus.DONE, "", ""));
      return;
    }
    var about = call.parameters().get("host");
    var name =
        ResourceId.of("host-ha-" + call.action() + (about == null ? "" : "-" + about));
    if (name == null) {
      done.accept(unreached(asked, "the host has no valid name"));
      return;
    }
    // forgetting what is known by a name would cancel what waits to be run by it
    asking.merge(new Asking(asked.node(), name), 1, Integer::sum);
    runs.run(
        executor,
        asked.node(),
        name,
        call,
        Duration.ofMillis(asked.timeoutMillis()),
        result -> {
          if (asking.merge(new Asking(asked.node(), name), -1, HostRequests::left) == null) {
            executor.forget(name, _ -> {});
          }
          done.accept(answer(asked, result));
        });
  }

  private static @Nullable Integer left(int before, int more) {
    return before + more == 0 ? null : Integer.valueOf(before + more);
  }

  private static AgentRan answer(RunAgent asked, OperationResult result) {
    return new AgentRan(
        asked.number(),
        result.status() != ExecStatus.NOT_CONNECTED,
        result.rc(),
        result.status(),
        result.exitReason(),
        result.output());
  }

  /// A connection for one request.
  private final class Visit implements RemoteExecutor.Listener {
    private final RunAgent asked;
    private @Nullable Consumer<AgentRan> done;
    private @Nullable RemoteExecutor executor;

    Visit(RunAgent asked, Consumer<AgentRan> done) {
      this.asked = asked;
      this.done = done;
    }

    void begin(String server) {
      var mine =
          new RemoteExecutor(
              world, host.network(), server, asked.port(), host.nodeName().text(), this);
      executor = mine;
      mine.open(Duration.ofMillis(asked.timeoutMillis()));
    }

    @Override
    public void connected(RemoteExecutor.Greeting greeting) {
      if (executor != null) {
        reached(asked, executor, this::end);
      }
    }

    private void end(AgentRan answer) {
      var waiting = done;
      done = null;
      if (waiting != null) {
        visits.remove(asked.node(), this);
        waiting.accept(answer);
        if (executor != null) {
          executor.close();
        }
      }
    }

    @Override
    public void disconnected(String why) {
      end(unreached(asked, why));
    }

    @Override
    public void result(OperationResult result) {
      runs.took(asked.node(), result);
    }

    @Override
    public void otherClient() {
      // whoever it is: this one only asks
    }

    @Override
    public void forwarded(Element message) {
      // for the connection that has the node
    }
  }
}
