package org.systole.execd;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyWindow;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.RemoteXml;

/// Commands on this remote node: they find the sockets that a member's daemons would serve, and what
/// they say is passed to the member that connected last. A command's connection ends with that of its
/// member; a command that comes while there is none is told at once that the cluster is not there.
final class RemoteCommands {
  /// What a member's daemons serve for everybody. The executor of this node serves its own.
  private static final List<String> SOCKETS =
      List.of("attr", "cib", "ctl", "fence", "link", "pacemakerd");

  private static final int SESSIONS_MAX = 200;

  /// How much may wait for all commands together, which do not read what they are told; in bytes, of the 512 MiB
  /// that this daemon has.
  static final long UNREAD_MAX = 96L << 20;

  private final World world;
  private final RemoteStop members;
  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private final Map<Connection, ProxyWindow> windows = new LinkedHashMap<>();

  RemoteCommands(World world, RemoteStop members) {
    this.world = world;
    this.members = members;
  }

  void serve() {
    for (var socket : SOCKETS) {
      world.listen(socket, World.Access.GROUP, client -> new Session(socket, client));
    }
  }

  /// A member is gone, and with it what it did for commands.
  void gone(Connection member) {
    windows.remove(member);
    for (var session : List.copyOf(sessions.values())) {
      if (member.equals(session.member)) {
        session.end();
      }
    }
  }

  /// A member says something for a command.
  void forwarded(Connection member, Element message) {
    var id = message.get(RemoteXml.PROXY_SESSION, "");
    var session = sessions.get(id);
    var operation = message.get(RemoteXml.PROXY_OPERATION, "");
    if (operation.equals(ProxyXml.TAKEN)) {
      window(member).taken(id, ProxyXml.sizeIn(message)); // also of one that is over
      return;
    }
    if (operation.equals(RemoteXml.PROXY_END)) {
      window(member).ended(id);
    }
    if (session == null || !member.equals(session.member)) {
      if (!operation.equals(RemoteXml.PROXY_END)) {
        say(member, ProxyXml.end(id));
      }
      return;
    }
    switch (operation) {
      case ProxyXml.EVENT -> session.told(message);
      default -> session.end(); // its end, or what only a stock client would understand
    }
  }

  private ProxyWindow window(Connection member) {
    return windows.computeIfAbsent(
        member, to -> new ProxyWindow((session, message, _) -> goes(to, session, message)));
  }

  private void goes(Connection to, String session, Element message) {
    var its = sessions.get(session);
    if (its != null) {
      its.isKnownThere = true;
    }
    say(to, message);
  }

  /// Many commands that each read too little for long would be too much together. What one of them was just told is
  /// no more than what waits for the one that is cut off, so that one is enough.
  private void limitUnread() {
    Session most = null;
    var all = 0L;
    for (var each : sessions.values()) {
      all += each.client.unsent();
      if (most == null || each.client.unsent() > most.client.unsent()) {
        most = each;
      }
    }
    if (most != null && all > UNREAD_MAX) {
      most.cutOffUnread();
    }
  }

  private static void say(Connection member, Element message) {
    member.send(RemoteXml.bytes(RemoteXml.told(message)));
  }

  /// One command's connection.
  private final class Session implements ConnectionHandler {
    private final String id =
        new UUID(world.random().nextLong(), world.random().nextLong()).toString();
    private final String socket;
    private final Connection client;
    private @Nullable Connection member;
    private boolean isKnownThere; // its beginning is on its way to the member

    Session(String socket, Connection client) {
      this.socket = socket;
      this.client = client;
    }

    @Override
    public void opened(Connection connection) {
      var to = members.newest();
      if (to == null || sessions.size() >= SESSIONS_MAX) {
        if (to != null) {
          world.log().warning("Refusing a command: %d are connected".formatted(SESSIONS_MAX));
        }
        client.close();
        return;
      }
      member = to;
      sessions.put(id, this);
      var who = client.peer();
      ask(to, ProxyXml.begin(id, socket, who.user(), who.groups()));
    }

    /// Waits for its turn like all that is asked: who only comes and goes must not fill the connection.
    private void ask(Connection to, Element message) {
      if (message.textLength() >= RemoteXml.LENGTH_MAX || !window(to).offer(id, message)) {
        cutOff(to);
      }
    }

    private void cutOff(Connection to) {
      world
          .log()
          .warning(
              "Cutting off a command of user %s: it asks for too much at a time"
                  .formatted(client.peer().user()));
      leave(to);
      end();
    }

    @Override
    public void received(Connection connection, byte[] frame) {
      var to = member;
      if (to == null) {
        return;
      }
      if (frame.length > ProxyXml.REQUEST_MAX) {
        cutOff(to);
      } else {
        ask(to, ProxyXml.frame(ProxyXml.REQUEST, id, frame));
      }
    }

    private void told(Element message) {
      var frame = ProxyXml.frameIn(message);
      if (frame != null) {
        client.send(frame);
        limitUnread();
        return;
      }
      world.log().warning("The cluster answers a command with what is not understood");
      if (member != null) {
        leave(member);
      }
      end();
    }

    private void cutOffUnread() {
      world
          .log()
          .warning(
              "Cutting off a command of user %s: it does not read what it is told, and too much waits for all commands"
                  .formatted(client.peer().user()));
      if (member != null) {
        leave(member);
      }
      client.abandon();
      end();
    }

    private void leave(Connection from) {
      if (isKnownThere) {
        say(from, ProxyXml.end(id));
      }
    }

    private void end() {
      var was = member;
      member = null;
      sessions.remove(id);
      client.close();
      var window = was == null ? null : windows.get(was);
      if (window != null) {
        window.forget(id);
      }
    }

    @Override
    public void closed(Connection connection, String why) {
      if (member != null) {
        leave(member);
        end();
      }
    }
  }
}
