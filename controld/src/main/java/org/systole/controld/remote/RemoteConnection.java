package org.systole.controld.remote;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.MetadataCache;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteXml;

/// One resource of the agent `ocf:pacemaker:remote`, as far as this member has to do with it: the
/// connection to the remote node of its name.
///
/// Its operations end by [#ended]. A connection that is lost stays lost until the cluster stops and
/// starts the resource: until then nobody knows what the node runs.
final class RemoteConnection {
  static final int DEFAULT_PORT = 3121;

  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration ATTEMPT_MAX = Duration.ofSeconds(10);
  private static final Duration START_DEFAULT = Duration.ofSeconds(60);
  private static final Duration POKE = Duration.ofSeconds(20);

  /// An operation that was asked for.
  ///
  /// @param call its number
  record Asked(OperationRequest request, long call) {
    boolean is(Task task) {
      return request.is(task);
    }
  }

  /// A recurring monitor.
  private static final class Monitor {
    final Asked asked;
    World.@Nullable Timer timer;
    @Nullable Boolean well; // what was told last; null for nothing

    Monitor(Asked asked) {
      this.asked = asked;
    }
  }

  /// A start that is under way.
  private static final class Opening {
    final Asked asked;
    final long deadline;
    World.@Nullable Timer retry;
    boolean recording;

    Opening(Asked asked, long deadline) {
      this.asked = asked;
      this.deadline = deadline;
    }
  }

  private final World world;
  private final RemoteHost host;
  private final MetadataCache metadata;
  private final NodeName node;
  private final ResourceId resource;
  private final Consumer<OperationResult> ended;
  private final LongSupplier calls;
  private final Runnable lostUnwatched;
  private final Map<String, Monitor> monitors = new LinkedHashMap<>();
  private @Nullable Opening opening;
  private @Nullable Attempt attempt;
  private @Nullable RemoteNode remote; // while it is connected
  private boolean givenAway; // another member is to take it over

  /// @param ended told of each operation's end
  /// @param calls numbers for results that change
  /// @param lostUnwatched called when the connection is lost and no monitor could tell
  RemoteConnection(
      World world,
      RemoteHost host,
      MetadataCache metadata,
      ResourceId resource,
      NodeName node,
      Consumer<OperationResult> ended,
      LongSupplier calls,
      Runnable lostUnwatched) {
    this.world = world;
    this.host = host;
    this.metadata = metadata;
    this.resource = resource;
    this.node = node;
    this.ended = ended;
    this.calls = calls;
    this.lostUnwatched = lostUnwatched;
  }

  /// The node, if it is connected; null if not.
  @Nullable RemoteNode remote() {
    return remote;
  }

  /// See [RemoteNode#restore]. While it is being opened its entry is just being written.
  void restore(Element cib) {
    if (remote != null && opening == null && !givenAway) {
      remote.restore(cib);
    }
  }

  /// Whether there is nothing to be remembered of it.
  boolean isIdle() {
    return opening == null && attempt == null && monitors.isEmpty();
  }

  void execute(Asked asked) {
    switch (asked.request().task()) {
      case START, MIGRATE_FROM -> open(asked);
      case STOP -> stop(asked);
      case MONITOR -> monitor(asked);
      case MIGRATE_TO -> {
        end();
        givenAway = remote != null;
        end(asked, remote != null, "the node is not connected to this member");
      }
      case RELOAD, RELOAD_AGENT -> end(asked, OcfCode.OK, ExecStatus.DONE, "");
      case null, default ->
          end(asked, OcfCode.UNIMPLEMENTED, ExecStatus.DONE, "a connection cannot do that");
    }
  }

  private void end(Asked asked, boolean well, String why) {
    if (well) {
      end(asked, OcfCode.OK, ExecStatus.DONE, "");
    } else {
      end(asked, OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, why);
    }
  }

  private void end(Asked asked, OcfCode code, ExecStatus status, String why) {
    var now = world.now().getEpochSecond();
    var result =
        OperationResult.made(asked.request(), code, status, why, now).withCallId(asked.call());
    world.post(() -> ended.accept(result));
  }

  // Start

  private void open(Asked asked) {
    if (opening != null) {
      giveUpOpening("another start was asked for");
    }
    givenAway = false;
    if (remote != null) {
      end(asked, true, "");
      return;
    }
    var timeout = asked.request().timeoutMillis();
    var within = timeout > 0 ? Duration.ofMillis(timeout) : START_DEFAULT;
    opening = new Opening(asked, world.nanoTime() + within.toNanos());
    connect(opening);
  }

  private void connect(Opening by) {
    var left = Duration.ofNanos(by.deadline - world.nanoTime());
    var parameters = by.asked.request().parameters();
    var server = parameters.getOrDefault("addr", parameters.getOrDefault("server", ""));
    var port = Numbers.integer(parameters.get("port"), DEFAULT_PORT);
    var now = new Attempt(by);
    now.executor =
        new RemoteExecutor(
            world,
            host.network(),
            server.isEmpty() ? node.text() : server,
            port,
            host.nodeName().text(),
            now);
    attempt = now;
    now.executor.open(left.compareTo(ATTEMPT_MAX) < 0 ? left : ATTEMPT_MAX);
  }

  private void failed(Opening by, String why) {
    var left = Duration.ofNanos(by.deadline - world.nanoTime());
    if (by != opening) {
      return;
    }
    if (left.compareTo(RETRY) > 0) {
      world.log().info("Cannot connect to %s, trying again: %s".formatted(node, why));
      by.retry = world.after(RETRY, () -> connect(by));
      return;
    }
    opening = null;
    end(by.asked, OcfCode.UNKNOWN_ERROR, ExecStatus.TIMEOUT, why);
  }

  private void opened(Opening by, RemoteExecutor executor, RemoteExecutor.Greeting greeting) {
    world
        .log()
        .notice("Connected to remote node %s (protocol %s)".formatted(node, greeting.version()));
    var now = new RemoteNode(world, host, node, executor, metadata);
    by.recording = true;
    remote = now;
    Runnable done =
        () -> {
          if (opening == by && remote == now) {
            opening = null;
            end(by.asked, true, "");
          }
        };
    if (by.asked.is(Task.START)) {
      host.forgetAttributes(node);
      var up = RemoteRecords.up(node, host.nodeName(), world.now().getEpochSecond());
      StartStates.apply(world, host, node, greeting.startState(), () -> host.write(up, done));
    } else {
      now.adopt();
      host.write(RemoteRecords.taken(node, host.nodeName()), done);
    }
  }

  private void giveUpOpening(String why) {
    var was = opening;
    opening = null;
    if (was != null) {
      if (was.retry != null) {
        was.retry.cancel();
      }
      close();
      end(was.asked, false, why);
    }
  }

  private void close() {
    var was = attempt;
    var node = remote;
    attempt = null;
    remote = null;
    if (node != null) {
      node.runner().abandon("the connection to the remote node was closed");
    }
    if (was != null && was.executor != null) {
      was.executor.close();
    }
  }

  // Stop

  private void stop(Asked asked) {
    giveUpOpening("it was stopped before it was there");
    end();
    var taken = givenAway && (remote == null || RemoteRecords.isTaken(host.cib(), node, host.nodeName()));
    givenAway = false;
    if (taken) {
      remote = null; // what is under way there is the other member's now
      close();
      end(asked, true, "");
      return;
    }
    close();
    host.forgetAttributes(node);
    host.write(RemoteRecords.down(node), () -> end(asked, true, ""));
  }

  private void end() {
    List.copyOf(monitors.keySet()).forEach(this::cancel);
  }

  private static void quiet(Monitor monitor) {
    if (monitor.timer != null) {
      monitor.timer.cancel();
    }
  }

  /// Forgets what recurs. The connection stays.
  void forget() {
    monitors.values().forEach(RemoteConnection::quiet);
    monitors.clear();
  }

  // Monitor

  private void monitor(Asked asked) {
    if (!asked.request().recurs()) {
      end(
          asked,
          remote != null && opening == null ? OcfCode.OK : OcfCode.NOT_RUNNING,
          ExecStatus.DONE,
          "");
      return;
    }
    var before = monitors.remove(asked.request().kind());
    if (before != null) {
      quiet(before);
    }
    var monitor = new Monitor(asked);
    monitors.put(asked.request().kind(), monitor);
    look(monitor);
  }

  private void look(Monitor monitor) {
    var which = attempt;
    var executor = which == null || remote == null ? null : which.executor;
    if (which == null || executor == null) {
      seen(monitor, false, "the node is not connected");
      return;
    }
    var timeout = monitor.asked.request().timeoutMillis();
    executor.poke(
        timeout > 0 ? Duration.ofMillis(timeout) : POKE,
        answer -> {
          if (monitors.containsValue(monitor)) {
            switch (answer) {
              case ExecMessage.Ok _ -> seen(monitor, true, "");
              case ExecMessage.Refused(var why) -> breakOff(which, why);
              case ExecMessage.Reply other -> breakOff(which, "it answered " + other);
            }
          }
        });
  }

  private void seen(Monitor monitor, boolean well, String why) {
    if (monitor.well == null || monitor.well != well) {
      // a number of its own, or a failure within a second of a success could pass for the older
      var call = monitor.well == null ? monitor.asked.call() : calls.getAsLong();
      monitor.well = well;
      end(new Asked(monitor.asked.request(), call), well, why);
    }
    quiet(monitor);
    monitor.timer =
        world.after(
            Duration.ofMillis(monitor.asked.request().intervalMillis()), () -> look(monitor));
  }

  /// Ends a recurring monitor.
  ///
  /// @return whether there was one
  boolean cancel(String kind) {
    var monitor = monitors.remove(kind);
    if (monitor == null) {
      return false;
    }
    quiet(monitor);
    end(monitor.asked, OcfCode.OK, ExecStatus.CANCELLED, "");
    return true;
  }

  // Loss

  private void lost(Attempt which, String why) {
    if (attempt != which) {
      return;
    }
    attempt = null;
    var was = remote;
    var by = opening;
    remote = null;
    if (was == null) {
      if (by != null) {
        failed(by, why);
      }
      return;
    }
    was.runner().abandon("the connection to the remote node was lost: " + why);
    world.log().error("Lost the connection to remote node %s: %s".formatted(node, why));
    if (by != null) {
      opening = null;
      end(by.asked, false, "lost again at once: " + why);
    } else if (monitors.isEmpty()) {
      lostUnwatched.run();
    } else {
      List.copyOf(monitors.values()).forEach(it -> seen(it, false, "lost: " + why));
    }
  }

  /// Another member has connected. It was meant to, or this one has been given up by the cluster:
  /// two must not use the node at the same time.
  private void overtaken(Attempt which) {
    if (attempt != which || remote == null || opening != null) {
      return;
    }
    if (givenAway) {
      remote = null;
      close();
      return;
    }
    world.log().warning("Another member has connected to remote node " + node);
    breakOff(which, "another member has connected to the node");
  }

  /// A node that does not answer is as one that is not there: nothing under way is waited for.
  private void breakOff(Attempt which, String why) {
    var closing = which.executor;
    lost(which, why);
    if (closing != null) {
      closing.close();
    }
  }

  /// The remote node's own executor was asked to end: the cluster is to stop what runs there.
  private void wantsToStop(Attempt which) {
    var executor = which.executor;
    if (attempt != which || executor == null) {
      return;
    }
    world.log().notice("Remote node %s is asked to stop".formatted(node));
    executor.forward(
        Element.of(
            RemoteXml.PROXY,
            RemoteXml.PROXY_OPERATION,
            RemoteXml.STOP_AGREED,
            RemoteXml.PROXY_SESSION,
            "0"));
    host.setAttribute("shutdown", node, String.valueOf(world.now().getEpochSecond()));
  }

  /// One connection, from the attempt to make it until it is gone.
  private final class Attempt implements RemoteExecutor.Listener {
    private final Opening by;
    private @Nullable RemoteExecutor executor;

    Attempt(Opening by) {
      this.by = by;
    }

    @Override
    public void connected(RemoteExecutor.Greeting greeting) {
      if (attempt == this && opening == by && executor != null) {
        opened(by, executor, greeting);
      }
    }

    @Override
    public void disconnected(String why) {
      lost(this, why);
    }

    @Override
    public void result(OperationResult result) {
      if (attempt == this && remote != null) {
        remote.runner().result(result);
      }
    }

    @Override
    public void otherClient() {
      overtaken(this);
    }

    @Override
    public void forwarded(Element message) {
      if (RemoteXml.STOP_ASKED.equals(message.get(RemoteXml.PROXY_OPERATION))) {
        wantsToStop(this);
      } else if (attempt == this && executor != null) {
        refuse(executor, message);
      }
    }

    /// Commands on the remote node are not served: their connection is ended.
    private void refuse(RemoteExecutor executor, Element message) {
      var session = message.get(RemoteXml.PROXY_SESSION);
      if (session != null && !RemoteXml.PROXY_END.equals(message.get(RemoteXml.PROXY_OPERATION))) {
        executor.forward(
            Element.of(
                RemoteXml.PROXY,
                RemoteXml.PROXY_OPERATION,
                RemoteXml.PROXY_END,
                RemoteXml.PROXY_SESSION,
                session));
      }
    }
  }
}
