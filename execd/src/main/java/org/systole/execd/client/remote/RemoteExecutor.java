package org.systole.execd.client.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.Numbers;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.NodeExecutor;

/// A controller's way to the executor of a remote node. Lives on the owner's loop. It connects once:
/// whether and when to try again is for the cluster to decide.
public final class RemoteExecutor implements NodeExecutor {
  private static final Duration ANSWER = Duration.ofSeconds(30);
  private static final int CALLS_MAX = 10_000;
  private static final int ASKED_MAX = 300;

  private static final String OUTPUT = "lrmd_rsc_output";
  private static final String TOO_MUCH = "it tells too much of what others have named";

  /// Of what waits for the agent that it is of, by the memory it takes.
  private static final long UNNAMED_MAX = 8L << 20;

  /// Of the names of resources and agents that others have named, in characters: they are kept as long as the connection.
  private static final long OTHERS_MAX = 1L << 20;

  /// What the remote node said of itself.
  ///
  /// @param version of the protocol that it speaks
  /// @param uptimeSeconds how long its executor has run; -1 if it does not say
  /// @param startState the state it wants to have when it joins the cluster, null for the usual
  /// @param returnsWithin in what time its executor is there again where it ends unasked, zero if it does not
  ///     say. One that says so ends, before it serves anybody, what the one before left under way.
  /// @param started what it has started and may run
  /// @param process tells its executor from those before and after it; empty if it does not say
  public record Greeting(
      String version,
      long uptimeSeconds,
      @Nullable String startState,
      Duration returnsWithin,
      List<StartedResource> started,
      String process) {
    private static final String PROCESS = "systole_process";
    private static final int PROCESS_MAX = 64; // characters; it is kept in the CIB

    /// A reply that also tells which process of an executor it is, where Pacemaker's controllers overlook it.
    public static Element saying(Element reply, String process) {
      return reply.with(PROCESS, process);
    }

    private static String processIn(Element reply) {
      var said = reply.get(PROCESS, "");
      return said.length() > PROCESS_MAX ? "" : said;
    }
  }

  /// What the owner hears.
  public interface Listener {
    /// The connection is there, and operations can be asked for.
    void connected(Greeting greeting);

    /// The connection is lost, or never came about. Calls that were out have been answered. The last
    /// call.
    void disconnected(String why);

    /// What came of an operation, whichever process asked for it.
    void result(OperationResult result);

    /// Another client has connected: the node is being handed over, or taken.
    void otherClient();

    /// A command on the remote node, or its stop, wants something.
    ///
    /// @param message a `lrmd_ipc_proxy`
    void forwarded(Element message);
  }

  private record Call(Consumer<@Nullable RemoteReply> done, World.Timer timer) {}

  private final World world;
  private final SecureStreams streams;
  private final String server;
  private final int port;
  private final String name;
  private final Listener listener;
  private final Map<Integer, Call> calls = new LinkedHashMap<>();
  private final Map<ResourceId, AgentName> agents = new TreeMap<>();
  private final Map<ResourceId, AgentName> named = new TreeMap<>(); // by this client
  private final Map<ResourceId, Long> executions = new TreeMap<>(); // the number of the last one that was asked for
  private long lastExecution; // of all resources: a number does not come again when a resource was forgotten
  private final Set<ResourceId> ending = new TreeSet<>(); // forgotten while an operation was under way
  private @Nullable Connection connection;
  private World.@Nullable Timer patience;
  private boolean ready;
  private boolean ended;
  private boolean overdue; // an answer is, so its request may still be under way
  private int lastId;
  private final Map<ResourceId, List<Element>> unnamed = new TreeMap<>(); // told of resources whose agent is asked for
  private long unnamedWeight;
  private long othersLength;
  private int toBeAsked; // so much is still heard of resources that others have named

  /// @param name how this client is to be called in the remote node's log
  public RemoteExecutor(
      World world,
      SecureStreams streams,
      String server,
      int port,
      String name,
      Listener listener) {
    this.world = world;
    this.streams = streams;
    this.server = server;
    this.port = port;
    this.name = name;
    this.listener = listener;
  }

  /// Connects; to be called once.
  ///
  /// @param within how long it may take until the executor has answered
  public void open(Duration within) {
    patience = world.after(within, () -> end("it did not answer in time"));
    streams.connect(server, port, within, new Handler());
  }

  @Override
  public boolean isConnected() {
    return ready;
  }

  /// Ends the connection. What runs on the remote node goes on; what was asked for and has not arrived
  /// there is not begun: the cluster may have it done elsewhere by then.
  public void close() {
    end("closed");
  }

  @Override
  public void execute(OperationRequest operation, Consumer<ExecMessage.Reply> done) {
    var resource = operation.resource();
    agents.put(resource, operation.agent());
    executions.put(resource, ++lastExecution);
    ending.remove(resource);
    if (!operation.agent().equals(named.get(resource))) {
      name(new RemoteRequest.AddResource(resource, operation.agent(), true, null));
    }
    call(
        new RemoteRequest.Execute(
            resource,
            operation.operation(),
            operation.intervalMillis(),
            operation.timeoutMillis(),
            operation.startDelayMillis(),
            operation.parameters(),
            operation.transitionKey(),
            true),
        reply ->
            done.accept(
                reply != null && reply.code() > 0
                    ? new ExecMessage.Accepted(reply.code())
                    : refused(reply)));
  }

  private void name(RemoteRequest.AddResource request) {
    named.put(request.resource(), request.agent());
    call(
        request,
        reply -> {
          if (reply == null || reply.code() != RemoteReply.DONE) {
            named.remove(request.resource());
          }
        });
  }

  @Override
  public void cancel(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      Consumer<ExecMessage.Reply> done) {
    call(
        new RemoteRequest.Cancel(resource, operation, intervalMillis),
        reply ->
            done.accept(
                switch (reply == null ? RemoteReply.INVALID : reply.code()) {
                  case RemoteReply.DONE -> new ExecMessage.Cancelled(true, false);
                  case RemoteReply.NO_RESOURCE, RemoteReply.NOT_SUPPORTED ->
                      new ExecMessage.Cancelled(false, false);
                  default -> refused(reply);
                }));
  }

  @Override
  public void forget(ResourceId resource, Consumer<ExecMessage.Reply> done) {
    named.remove(resource);
    var before = executions.get(resource);
    call(
        new RemoteRequest.DropResource(resource),
        reply ->
            done.accept(
                switch (reply == null ? RemoteReply.INVALID : reply.code()) {
                  case RemoteReply.DONE, RemoteReply.NO_RESOURCE -> {
                    if (Objects.equals(before, executions.get(resource)) && !ending.contains(resource)) {
                      agents.remove(resource);
                      executions.remove(resource);
                    }
                    yield new ExecMessage.Ok();
                  }
                  // its agent stays known: what is under way ends, and somebody waits for its result, however often it is forgotten
                  case RemoteReply.IN_PROGRESS -> {
                    ending.add(resource);
                    yield new ExecMessage.Ok();
                  }
                  default -> refused(reply);
                }));
  }

  /// Asks whether the executor is there.
  ///
  /// @param done told once: [ExecMessage.Ok], or [ExecMessage.Refused] with what is wrong
  public void poke(Duration within, Consumer<ExecMessage.Reply> done) {
    call(
        new RemoteRequest.Poke(),
        within,
        reply ->
            done.accept(
                reply != null && reply.code() == RemoteReply.DONE
                    ? new ExecMessage.Ok()
                    : refused(reply)));
  }

  /// Says which agent a resource has that another client has named: its results are understood from
  /// now on.
  public void presume(ResourceId resource, AgentName agent) {
    agents.putIfAbsent(resource, agent);
  }

  /// Says that a resource is about to be moved there live, and with what: whoever is connected later is told that it may run so.
  public void arrives(ResourceId resource, AgentName agent, RemoteRequest.Arriving how) {
    agents.put(resource, agent);
    name(new RemoteRequest.AddResource(resource, agent, true, how));
  }

  /// The node was handed on to this client: it is to hear what came of all that the one before asked for, also of
  /// resources that it has not heard of itself.
  public void hearOfOthers() {
    toBeAsked = ASKED_MAX;
  }

  /// Asks for the agent of a resource that another client may have named.
  ///
  /// @param done told once; null if there is none, or no answer
  public void describe(ResourceId resource, Consumer<@Nullable AgentName> done) {
    call(
        new RemoteRequest.DescribeResource(resource),
        reply -> {
          var agent = reply == null ? null : RemoteXml.agentIn(reply.xml());
          if (agent != null && agents.putIfAbsent(resource, agent) == null) {
            othersLength += resource.text().length() + agent.toString().length();
          }
          if (othersLength > OTHERS_MAX) {
            end(TOO_MUCH);
          }
          done.accept(agent);
        });
  }

  /// Asks which operations recur on the remote node, and which are under way.
  ///
  /// @param done told once; null if there was no answer, as from a daemon that does not know the question
  public void goesOn(Consumer<@Nullable GoingOn> done) {
    call(
        new RemoteRequest.ListRecurring(null),
        reply ->
            done.accept(
                reply == null || reply.code() != RemoteReply.DONE
                    ? null
                    : GoingOn.of(reply.xml())));
  }

  /// Sends something to a command on the remote node, or about its stop.
  ///
  /// @param message a `lrmd_ipc_proxy`
  public void forward(Element message) {
    forward(message, () -> {});
  }

  /// Sends something to a command on the remote node.
  ///
  /// @param taken run once the remote node has it, or never will
  public void forward(Element message, Runnable taken) {
    call(new RemoteRequest.Forward(message), _ -> taken.run());
  }

  private static ExecMessage.Refused refused(@Nullable RemoteReply reply) {
    return new ExecMessage.Refused(reply == null ? "the remote node did not answer" : reply.why());
  }

  private void call(RemoteRequest request, Consumer<@Nullable RemoteReply> done) {
    call(request, ANSWER, done);
  }

  private void call(
      RemoteRequest request, Duration within, Consumer<@Nullable RemoteReply> done) {
    var to = connection;
    if (to == null || calls.size() >= CALLS_MAX) {
      world.post(() -> done.accept(null));
      return;
    }
    lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
    var id = lastId;
    calls.put(id, new Call(done, world.after(within, () -> giveUp(id))));
    to.send(RemoteXml.bytes(RemoteXml.request(request, id)));
  }

  private void giveUp(int id) {
    overdue = true;
    finish(id, null);
  }

  private void finish(int id, @Nullable RemoteReply reply) {
    var call = calls.remove(id);
    if (call != null) {
      call.timer().cancel();
      call.done().accept(reply);
    }
  }

  private void registered(@Nullable RemoteReply reply) {
    if (ended) {
      return;
    }
    if (reply == null || reply.code() != RemoteReply.DONE) {
      end(reply == null ? "it did not answer" : "it refuses this node: " + reply.why());
      return;
    }
    if (patience != null) {
      patience.cancel();
    }
    ready = true;
    var xml = reply.xml();
    listener.connected(
        new Greeting(
            xml.get(RemoteXml.PROTOCOL, "1.0"),
            Numbers.whole(xml.get(RemoteXml.UPTIME), -1),
            xml.get(RemoteXml.START_STATE),
            Duration.ofSeconds(Math.max(0, Numbers.integer(xml.get(RemoteXml.RETURNS), 0))),
            StartedResource.of(xml),
            Greeting.processIn(xml)));
  }

  private void end(String why) {
    if (ended) {
      return;
    }
    ended = true;
    ready = false;
    if (patience != null) {
      patience.cancel();
    }
    var was = connection;
    connection = null;
    if (was != null && calls.isEmpty() && !overdue) {
      was.close();
    } else if (was != null) {
      was.abandon();
    }
    world.post(() -> listener.disconnected(why)); // before what is made of these answers
    for (var id : new ArrayList<>(calls.keySet())) {
      finish(id, null);
    }
  }

  private void told(Element message) {
    if (message.is(RemoteXml.PROXY) || message.has(RemoteXml.PROXY_SESSION)) {
      listener.forwarded(message);
      return;
    }
    switch (message.get(RemoteXml.OPERATION, "")) {
      case RemoteXml.NEW_CLIENT -> listener.otherClient();
      case RemoteXml.EXECUTE -> {
        var resource = ResourceId.of(message.get(RemoteXml.RESOURCE));
        var agent = resource == null ? null : agents.get(resource);
        if (resource != null && (agent == null && toBeAsked > 0 || unnamed.containsKey(resource))) {
          toBeAsked--;
          askForAgent(resource, withoutMuchOutput(message));
        } else {
          told(message, resource, agent);
        }
      }
      default -> {} // what clients did, which this one knows of itself
    }
  }

  private static Element withoutMuchOutput(Element message) {
    var output = message.get(OUTPUT, "");
    return output.length() <= RemoteXml.OUTPUT_MAX
        ? message
        : message.with(OUTPUT, output.substring(0, RemoteXml.OUTPUT_MAX));
  }

  /// What is told of a resource meanwhile waits, too, so that all is heard in order.
  private void askForAgent(ResourceId resource, Element message) {
    unnamedWeight += Weight.of(message);
    if (unnamedWeight > UNNAMED_MAX) {
      end(TOO_MUCH);
      return;
    }
    var before = unnamed.get(resource);
    if (before != null) {
      before.add(message);
      return;
    }
    unnamed.put(resource, new ArrayList<>(List.of(message)));
    describe(
        resource,
        found -> {
          var all = unnamed.remove(resource);
          if (all != null) {
            unnamedWeight -= all.stream().mapToLong(Weight::of).sum();
            all.forEach(it -> told(it, resource, found));
          }
        });
  }

  private void told(Element message, @Nullable ResourceId resource, @Nullable AgentName agent) {
    var result = agent == null ? null : RemoteXml.resultIn(message, agent);
    if (result == null || ended) {
      world.log().info("A result from %s that was not asked for: %s".formatted(server, resource));
    } else {
      listener.result(result);
    }
  }

  private final class Handler implements ConnectionHandler {
    @Override
    public void opened(Connection opened) {
      if (ended) {
        opened.close();
        return;
      }
      connection = opened;
      call(
          new RemoteRequest.Register(name, RemoteXml.VERSION, true), RemoteExecutor.this::registered);
    }

    @Override
    public void received(Connection from, byte[] frame) {
      if (ended) {
        return;
      }
      Element message;
      try {
        message = RemoteXml.parse(frame);
      } catch (XmlException e) {
        end("it sends what is not understood: " + e.getMessage());
        return;
      }
      if (RemoteXml.isReply(message)) {
        var reply = RemoteXml.replyIn(message);
        if (reply != null) {
          finish(RemoteXml.messageId(message), reply);
        }
      } else if (RemoteXml.isTold(message)) {
        told(message);
      }
    }

    @Override
    public void closed(Connection was, String why) {
      end(why);
    }
  }
}
