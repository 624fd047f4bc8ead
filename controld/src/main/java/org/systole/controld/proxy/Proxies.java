package org.systole.controld.proxy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyWindow;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.RemoteXml;
import org.systole.execd.client.remote.Weight;

/// The commands of one remote node, as far as they have come over its present connection. What they
/// ask is done one by one, each in a turn of the loop: a node that asks without end holds up nobody.
public final class Proxies {
  /// Our daemons that commands may ask, by their sockets. What a request needs is for the daemon to
  /// know; the executor of the remote node itself is asked there.
  private static final Set<String> SOCKETS =
      Set.of("attr", "cib", "ctl", "fence", "link", "pacemakerd");

  static final int SESSIONS_MAX = 200;
  static final int REQUESTS_MAX = 1000;
  static final long WAITING_MAX = 64L << 20;

  /// Of bytes that daemons have not taken yet, or not answered, of all sessions.
  static final long UNTAKEN_MAX = 48L << 20;

  private static final int NAME_MAX = 64;

  /// The way to the remote node.
  @FunctionalInterface
  public interface Way {
    /// @param taken run once the node has the message, or never will
    void send(Element message, Runnable taken);
  }

  private record Request(Element message, long weight) {
    String session() {
      return message.get(RemoteXml.PROXY_SESSION, "");
    }
  }

  private final World world;
  private final NodeName node;
  private final ProxyRoom room;
  private final Way way;
  private final ProxyWindow window;
  private final GroupLookups lookups;
  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private final Deque<Request> requests = new ArrayDeque<>();
  private long waiting; // their weight
  private long untaken; // as last looked at
  private boolean isOver;

  /// @param room of all nodes of this member
  public Proxies(World world, NodeName node, ProxyRoom room, Way way) {
    this.world = world;
    this.node = node;
    this.room = room;
    this.way = way;
    this.window = new ProxyWindow(this::onItsWay);
    this.lookups = new GroupLookups(world);
  }

  private void onItsWay(String session, Element message, int size) {
    way.send(message, () -> taken(session, size));
  }

  private void taken(String session, int size) {
    if (!isOver) {
      window.taken(session, size);
      keep();
    }
  }

  /// A command there begins, asks or ends.
  ///
  /// @param message a `lrmd_ipc_proxy`
  public void forwarded(Element message) {
    var id = message.get(RemoteXml.PROXY_SESSION, "");
    if (isOver || id.isEmpty() || id.length() > NAME_MAX) {
      return;
    }
    switch (message.get(RemoteXml.PROXY_OPERATION, "")) {
      case ProxyXml.NEW -> begin(id, message);
      case ProxyXml.REQUEST -> take(message);
      case RemoteXml.PROXY_END -> close(id);
      default ->
          world
              .log()
              .info(
                  "Ignoring what remote node %s says for a command: it is not understood"
                      .formatted(node));
    }
  }

  /// The connection is gone, or was given away.
  public void end() {
    isOver = true;
    requests.clear();
    List.copyOf(sessions.keySet()).forEach(this::close);
    room.holds(this, 0);
  }

  private void begin(String id, Element message) {
    var before = sessions.containsKey(id);
    var server = message.get(ProxyXml.SERVER, "");
    if (before || sessions.size() >= SESSIONS_MAX) {
      world
          .log()
          .warning(
              "Refusing a command of remote node %s: %s"
                  .formatted(node, before ? "it came twice" : "there are too many"));
      refuse(id);
      return;
    }
    var outlet = new Session(id);
    var session = open(outlet, server, message);
    if (session == null) {
      world.log().info("Remote node %s asks for \"%s\", which is not served".formatted(node, server));
      refuse(id);
      return;
    }
    outlet.session = session;
    sessions.put(id, outlet);
    if (session instanceof OwnSession) {
      outlet.sendNow(ProxyXml.taken(id, message.textLength()));
    }
  }

  private @Nullable ProxySession open(Outlet outlet, String server, Element message) {
    var user = message.get(ProxyXml.USER, "");
    if (server.startsWith(ProxyXml.OWN)) {
      var socket = server.substring(ProxyXml.OWN.length());
      return SOCKETS.contains(socket) && !user.isEmpty()
          ? new OwnSession(outlet, socket, remoteUser(user, ProxyXml.groupsIn(message)))
          : null;
    }
    return switch (server) { // Pacemaker's names of its daemons
      case "cib_ro" -> new StockCib(outlet, node, true);
      case "cib_rw", "cib_shm" -> new StockCib(outlet, node, false);
      case "attrd" -> new StockAttributes(outlet, node);
      case "crmd" -> new StockController(outlet, node);
      case "stonith-ng" -> new StockFencer(outlet, node);
      default -> null;
    };
  }

  private Connection.Credentials remoteUser(String user, List<String> groups) {
    return new Connection.Credentials(user, groups, false, node);
  }

  private void refuse(String id) {
    way.send(ProxyXml.end(id), () -> {});
  }

  private void take(Element message) {
    var weight = Weight.of(message);
    if (requests.size() >= REQUESTS_MAX || waiting + weight > WAITING_MAX) {
      endAll("they ask for too much");
      return;
    }
    requests.add(new Request(message, weight));
    waiting += weight;
    if (requests.size() == 1) {
      world.post(this::next);
    }
    keep();
  }

  /// Ends the commands of this node, for it makes this member keep too much.
  void endAll(String why) {
    world
        .log()
        .warning("Ending all commands of remote node %s: %s".formatted(node, why));
    requests.forEach(it -> refuse(it.session()));
    requests.clear();
    waiting = 0;
    List.copyOf(sessions.values()).forEach(it -> it.end("too much is asked"));
    account();
  }

  /// Says anew what is kept for this node, as daemons have it by now.
  void account() {
    untaken = untaken();
    keep();
  }

  private void keep() {
    if (!isOver) {
      room.holds(this, waiting + untaken + window.kept());
    }
  }

  private void next() {
    var request = requests.poll();
    if (request == null) {
      return;
    }
    waiting -= request.weight();
    var id = request.session();
    var session = sessions.get(id);
    if (session == null) {
      refuse(id);
    } else if (session.session != null) {
      session.session.request(request.message());
      untaken = untaken();
      if (untaken > UNTAKEN_MAX) {
        session.end("more is asked than the daemons take");
      }
    }
    keep();
    if (!requests.isEmpty()) {
      world.post(this::next);
    }
  }

  private long untaken() {
    return sessions.values().stream()
        .mapToLong(it -> it.session == null ? 0 : it.session.untaken())
        .sum();
  }

  private void close(String id) {
    var session = sessions.remove(id);
    if (session != null) {
      window.forget(id);
      lookups.forget(id);
      if (session.session != null) {
        session.session.close();
      }
      account();
    }
  }

  /// A session as it is known here.
  private final class Session implements Outlet {
    private final String id;
    private @Nullable ProxySession session;

    Session(String id) {
      this.id = id;
    }

    @Override
    public World world() {
      return world;
    }

    @Override
    public String session() {
      return id;
    }

    @Override
    public void groupsOf(String user, Consumer<List<String>> done) {
      lookups.of(id, user, done);
    }

    private boolean isThere() {
      return !isOver && sessions.get(id) == this;
    }

    @Override
    public void send(Element message) {
      if (!isThere()) {
        return;
      }
      if (message.textLength() >= RemoteXml.LENGTH_MAX || !window.offer(id, message)) {
        world
            .log()
            .warning(
                "Ending a command of remote node %s: what it is to be told is too long, or it does not read"
                    .formatted(node));
        end("too much for it");
      }
      keep();
    }

    @Override
    public void sendNow(Element message) {
      if (isThere()) {
        way.send(message, () -> {});
      }
    }

    @Override
    public void end(String why) {
      if (isThere()) {
        world.log().info("A command of remote node %s has ended: %s".formatted(node, why));
        close(id);
        refuse(id);
      }
    }
  }
}
