package org.systole.execd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.ResourceId;
import org.systole.common.values.Version;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.ServerHandler;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteReply;
import org.systole.execd.client.remote.RemoteRequest;
import org.systole.execd.client.remote.RemoteXml;
import org.systole.execd.client.remote.StartedResource;

/// The executor's clients over the network: controllers of the cluster that this node is a remote
/// node of. Results are told to all of them, so that the node can be handed from one to another.
final class RemoteClients implements ServerHandler {
  /// How long recurring operations go on without anybody to hear of them: a connection that is lost
  /// and made again in that time has lost nothing.
  static final Duration GRACE = Duration.ofMinutes(1);

  /// How long a connection stays after a newer one has taken the node over. A member closes its own within seconds. One that has lost its
  /// power does not, and where something was told to it since, the network says so only after a quarter of an hour.
  static final Duration OVERTAKEN = Duration.ofMinutes(2);

  private static final int MISSED_MAX = 100;

  private static final String OLDEST_UNDERSTOOD = "1";

  /// A result that was told before a client had registered.
  private record Missed(ResourceId resource, byte[] told) {}

  private final World world;
  private final Executor executor;
  private final RemoteStop stop;
  private final RemoteCommands commands;
  private final @Nullable String startState;
  private final Duration returnsWithin;
  private final long begun;
  private final String process; // tells this one from those before and after it
  private final StartedHere started;
  private final List<Session> sessions = new ArrayList<>(); // registered ones, the newest last
  private final List<Session> coming = new ArrayList<>(); // that have not registered yet
  private final Map<ResourceId, AgentName> agents = new TreeMap<>();
  private final Map<ResourceId, Boolean> dropRecurring = new TreeMap<>();
  private @Nullable Session newest; // provider, connected or not
  private long events; // which came first
  private World.@Nullable Timer grace;

  /// @param startState the state the node is to have when it joins the cluster, null for the usual
  /// @param returnsWithin in what time this daemon is there again where it ends unasked; zero if nobody knows
  RemoteClients(
      World world,
      Executor executor,
      RemoteStop stop,
      RemoteCommands commands,
      @Nullable String startState,
      Duration returnsWithin) {
    this.world = world;
    this.executor = executor;
    this.stop = stop;
    this.commands = commands;
    this.startState = startState;
    this.returnsWithin = returnsWithin;
    this.begun = world.nanoTime();
    this.process = Long.toHexString(world.random().nextLong());
    this.started = new StartedHere(world);
    executor.listen(
        result -> {
          started.ended(result);
          tell(result);
        });
  }

  @Override
  public ConnectionHandler accept(Connection connection) {
    return new Session(connection);
  }

  /// Whether something may run here, as far as this executor, and those before it, have started it.
  boolean mayRunSomething() {
    return !started.all().isEmpty();
  }

  private void tell(Element message) {
    if (!sessions.isEmpty()) {
      send(RemoteXml.bytes(RemoteXml.told(message)));
    }
  }

  private void send(byte[] told) {
    List.copyOf(sessions).forEach(session -> session.connection.send(told));
  }

  /// Tells a result. Who had the node hears nothing more of it once another has connected, for all that this one
  /// knows, so the other one is told of all that has ended since it did.
  private void tell(OperationResult result) {
    if (sessions.isEmpty() && coming.isEmpty()) {
      return;
    }
    var told = RemoteXml.bytes(RemoteXml.told(RemoteXml.notice(result)));
    send(told);
    coming.forEach(it -> it.miss(new Missed(result.resource(), told), result.request().recurs()));
  }

  private void came(Session session) {
    coming.remove(session);
    sessions.remove(session);
    sessions.add(session);
    if (grace != null) {
      grace.cancel();
      grace = null;
    }
    executor.reportAnew();
  }

  private void went(Session session, String why) {
    if (coming.remove(session) || !sessions.remove(session)) {
      return;
    }
    world.log().notice("The cluster's connection %s is gone: %s".formatted(session.name, why));
    commands.gone(session.connection);
    stop.gone(session.connection);
    if (sessions.isEmpty()) {
      grace = world.after(GRACE, this::dropRecurring);
    }
  }

  private void dropRecurring() {
    grace = null;
    world.log().notice("No cluster has come back: recurring operations end");
    dropRecurring.forEach(
        (resource, drop) -> {
          if (drop) {
            executor.cancelRecurring(resource);
          }
        });
  }

  /// Registers a client.
  private Element register(Session session, RemoteRequest.Register request) {
    var understood = Version.compare(request.version(), OLDEST_UNDERSTOOD) >= 0;
    if (understood) {
      session.name = "%s (%s)".formatted(request.client(), session.connection.peer().user());
      came(session);
      if (request.isProvider()) {
        stop.came(session.connection);
        takenOver(newest, session);
        newest = session;
        tellWhoDoesNotKnow(session);
      }
      world.log().notice("Serving the cluster's connection " + session.name);
    } else {
      world
          .log()
          .error(
              "Refusing %s: it speaks version \"%s\" of the protocol, needed is %s at least"
                  .formatted(
                      session.connection.peer().user(), request.version(), OLDEST_UNDERSTOOD));
    }
    var code = understood ? RemoteReply.DONE : RemoteReply.BAD_PROTOCOL;
    var reply =
        RemoteXml.registered(
            executor.nextCallId(),
            code,
            session.token,
            Duration.ofNanos(world.nanoTime() - begun),
            startState,
            returnsWithin);
    return understood
        ? StartedResource.in(RemoteExecutor.Greeting.saying(reply, process), started.all())
        : reply;
  }

  private void takenOver(@Nullable Session before, Session by) {
    if (before != null && before != by) {
      world.after(OVERTAKEN, () -> endOvertaken(before));
    }
  }

  private void endOvertaken(Session session) {
    if (session != newest && sessions.contains(session)) {
      world.log().warning("Ending the connection of %s: the node was taken over from it long ago".formatted(session.name));
      session.connection.abandon();
    }
  }

  /// Who registered while a connection was open that has the node now has not heard that it came.
  private void tellWhoDoesNotKnow(Session newer) {
    var bytes = RemoteXml.bytes(RemoteXml.told(RemoteXml.newClient()));
    for (var session : List.copyOf(sessions)) {
      if (session.registered > newer.opened) {
        session.connection.send(bytes);
      }
    }
    newer.registered = ++events;
  }

  private Element addResource(RemoteRequest.AddResource request) {
    var before = agents.put(request.resource(), request.agent());
    dropRecurring.put(request.resource(), request.dropRecurring());
    var arriving = request.arriving();
    if (arriving != null) {
      started.arrives(new StartedResource(request.resource(), request.agent(), arriving.parameters(), arriving.source()));
    }
    if (before != null && !before.equals(request.agent())) {
      executor.forget(request.resource()); // it is another resource under the same name
    }
    return done(RemoteXml.ADD, RemoteReply.DONE, request.resource());
  }

  private Element dropResource(ResourceId resource) {
    var busy = executor.isBusy(resource);
    agents.remove(resource);
    dropRecurring.remove(resource);
    coming.forEach(it -> it.missNothingOf(resource));
    executor.forget(resource);
    var code = busy ? RemoteReply.IN_PROGRESS : RemoteReply.DONE;
    return done(RemoteXml.DROP, code, resource);
  }

  /// A reply that all clients hear of as well.
  private Element done(String operation, int code, @Nullable ResourceId resource) {
    var call = executor.nextCallId();
    world.post(() -> tell(RemoteXml.notice(operation, code, call, resource))); // after the reply
    return reply(code, call);
  }

  private static Element reply(int code, long call) {
    return RemoteXml.reply("execd_handle_request", code, call).build();
  }

  private Element refusal(int code) {
    return reply(code, executor.nextCallId());
  }

  private Element describe(ResourceId resource) {
    var agent = agents.get(resource);
    return agent == null
        ? refusal(RemoteReply.NO_RESOURCE)
        : RemoteXml.description(executor.nextCallId(), resource, agent);
  }

  /// Only the newest provider has operations begun or ended, and resources named or forgotten. What an
  /// older one had asked for may have been under way on the network for long, and the cluster counts on it
  /// no more: a monitor that it ends would be missed by nobody.
  private boolean isOverdue(Session session, @Nullable RemoteRequest request) {
    var what =
        switch (request) {
          case RemoteRequest.Execute it -> it.operation() + " of " + it.resource();
          case RemoteRequest.Cancel it -> "the end of %s of %s".formatted(it.operation(), it.resource());
          case RemoteRequest.AddResource it -> "a name for " + it.resource();
          case RemoteRequest.DropResource it -> "that %s is forgotten".formatted(it.resource());
          case null, default -> null;
        };
    if (what == null || newest == null || newest == session) {
      return false;
    }
    world
        .log()
        .warning(
            "Refusing %s, asked for by %s: the node was taken over from it"
                .formatted(what, session.name));
    return true;
  }

  private Element execute(RemoteRequest.Execute it) {
    var agent = agents.get(it.resource());
    if (agent == null) {
      return refusal(RemoteReply.NO_RESOURCE);
    }
    var request =
        new OperationRequest(
            it.resource(),
            agent,
            it.operation(),
            it.intervalMillis(),
            it.timeoutMillis(),
            it.startDelayMillis(),
            it.parameters(),
            it.key());
    var before = executor.askedBefore(request);
    if (before > 0) {
      world.log().info("%s is asked for again, and not done twice (call %d)".formatted(request.key(), before));
      return reply(Math.toIntExact(before), before);
    }
    return switch (executor.execute(new ExecMessage.Execute(request, it.onlyChanges()))) {
      case ExecMessage.Accepted(var call) -> {
        started.asked(request);
        yield reply(Math.toIntExact(call), call);
      }
      case ExecMessage.Refused(var why) -> {
        world.log().warning("Refusing %s: %s".formatted(request.key(), why));
        yield refusal(RemoteReply.INVALID);
      }
      case ExecMessage.Reply _ -> refusal(RemoteReply.INVALID);
    };
  }

  private Element cancel(RemoteRequest.Cancel it) {
    if (!agents.containsKey(it.resource())) {
      return refusal(RemoteReply.NO_RESOURCE);
    }
    var answer = executor.cancel(it.resource(), it.operation(), it.intervalMillis());
    return refusal(answer.found() ? RemoteReply.DONE : RemoteReply.NOT_SUPPORTED);
  }

  private Element recurring(@Nullable ResourceId resource) {
    if (resource != null && !agents.containsKey(resource)) {
      return refusal(RemoteReply.NO_RESOURCE);
    }
    var state = executor.state(resource == null ? "" : resource.text());
    return RemoteXml.recurring(executor.nextCallId(), state.resources());
  }

  /// One connection.
  private final class Session implements ConnectionHandler {
    private final Connection connection;
    private final String token =
        new UUID(world.random().nextLong(), world.random().nextLong()).toString();
    private String name = "";
    private long opened;
    private long registered;
    private final Deque<Missed> missed = new ArrayDeque<>();

    Session(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void opened(Connection with) {
      opened = ++events;
      coming.add(this);
      tell(RemoteXml.newClient());
    }

    /// What does not recur is asked for once all that was before is known: that need not be told, and would be taken for
    /// later than what is known by then.
    private void miss(Missed result, boolean recurs) {
      if (!recurs) {
        missNothingOf(result.resource());
      }
      if (missed.size() == MISSED_MAX) {
        missed.removeFirst();
      }
      missed.add(result);
    }

    private void missNothingOf(ResourceId resource) {
      missed.removeIf(it -> it.resource().equals(resource));
    }

    private void catchUp() {
      if (sessions.contains(this)) {
        missed.forEach(it -> connection.send(it.told()));
        missed.clear();
      }
    }

    @Override
    public void received(Connection from, byte[] frame) {
      Element message;
      try {
        message = RemoteXml.parse(frame);
      } catch (XmlException e) {
        world
            .log()
            .error("Closing the connection of %s: %s".formatted(from.peer().user(), e.getMessage()));
        from.close();
        return;
      }
      var reply = answer(RemoteXml.requestIn(message));
      if (reply != null) {
        from.send(RemoteXml.bytes(RemoteXml.reply(reply, RemoteXml.messageId(message))));
        catchUp(); // it understands results once it is registered
      }
    }

    /// @return null for a request that is not answered
    private @Nullable Element answer(@Nullable RemoteRequest request) {
      if (request instanceof RemoteRequest.Register it) {
        return register(this, it);
      }
      if (!sessions.contains(this)) {
        return refusal(RemoteReply.BAD_PROTOCOL);
      }
      if (isOverdue(this, request)) {
        return refusal(RemoteReply.INVALID);
      }
      return switch (request) {
        case null -> refusal(RemoteReply.INVALID);
        case RemoteRequest.Register it -> register(this, it);
        case RemoteRequest.AddResource it -> addResource(it);
        case RemoteRequest.DescribeResource(var resource) -> describe(resource);
        case RemoteRequest.DropResource(var resource) -> dropResource(resource);
        case RemoteRequest.Execute it -> execute(it);
        case RemoteRequest.Cancel it -> cancel(it);
        case RemoteRequest.ListRecurring(var resource) -> recurring(resource);
        case RemoteRequest.Poke() -> done(RemoteXml.POKE, RemoteReply.DONE, null);
        case RemoteRequest.Check _ -> null; // there is no watchdog here that could disagree
        case RemoteRequest.Forward(var message) -> {
          if (!stop.forwarded(message)) {
            commands.forwarded(connection, message);
          }
          yield refusal(RemoteReply.DONE);
        }
        case RemoteRequest.Unknown(var word) -> {
          world.log().warning("Not understood from %s: %s".formatted(name, word));
          yield refusal(RemoteReply.NOT_SUPPORTED);
        }
      };
    }

    @Override
    public void closed(Connection was, String why) {
      went(this, why);
    }
  }
}
