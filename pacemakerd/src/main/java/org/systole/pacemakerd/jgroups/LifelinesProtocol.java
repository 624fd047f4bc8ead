package org.systole.pacemakerd.jgroups;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// Notices at once when the process of another member ends: each member holds a connection to every
/// other one, on which only the process identifies itself, and the system closes it with the
/// process.
///
/// A closed connection is only a suspicion. The process has ended if afterwards another one listens
/// there, or none while the connection was closed in good order: only the system of the process's
/// own node does that. A firewall that begins to reject breaks connections and refuses new ones,
/// too, and the process behind it goes on. Connections begin with the same handshake as all between
/// nodes, so a stranger can neither open one nor pass for a member.
///
/// Where nodes have several links each has a connection of its own, over which the link is probed: a
/// byte goes out again and again, and comes back. (An older build reads them and says nothing.) Only
/// link 0 tells by a refused connection that a process has ended: the others may have been taken off
/// the other node's list.
final class LifelinesProtocol extends Protocol {
  private static final int CONNECT_MILLIS = 1_000;
  private static final int ANSWER_MILLIS = 2_000;
  private static final int ADDRESS_MAX = 64;
  private static final int LINES_MAX = 512;
  private static final long AGAIN_NANOS = 200_000_000L;
  private static final long SOON_NANOS = 20_000_000L;
  private static final int CHECKS = 5;
  private static final byte YES = 1;
  private static final byte NO = 2;
  private static final byte PROBE = 3;

  private enum Found {
    OPEN,
    /// Another process listens there.
    GONE,
    /// No process listens, or so a firewall says.
    REFUSED,
    UNKNOWN
  }

  private record Place(Address member, int link) {}

  private final PeerRoutes routes;
  private final int port;
  private final int offset;
  private final SocketFactory sockets;
  private final Consumer<Address> ended;
  private final Map<Place, Line> lines = new ConcurrentHashMap<>();
  private final Map<Socket, ServerSocket> served = new ConcurrentHashMap<>();
  private final Map<Integer, ServerSocket> servers = new ConcurrentHashMap<>();
  private volatile @Nullable View followed;
  private volatile boolean leaving;
  private volatile boolean stopped;

  /// @param port the transport's; the lifelines' is `offset` above it, on every node
  /// @param ended given a member whose process has ended
  LifelinesProtocol(
      PeerRoutes routes, int port, int offset, SocketFactory sockets, Consumer<Address> ended) {
    this.routes = routes;
    this.port = port;
    this.offset = offset;
    this.sockets = sockets;
    this.ended = ended;
  }

  @Override
  public void start() throws Exception {
    super.start();
    listen(0, own(0));
    links();
  }

  private InetAddress own(int link) {
    return Objects.requireNonNull(routes.own().get(link));
  }

  private void listen(int link, InetAddress on) throws IOException {
    var listening = sockets.createServerSocket("lifelines");
    try {
      listening.setReuseAddress(true);
      listening.bind(new InetSocketAddress(on, port + offset));
    } catch (IOException e) {
      listening.close();
      throw e instanceof BindException taken
          ? GuardedSockets.cannotServe(on, port + offset, taken)
          : e;
    }
    servers.put(link, listening);
    Thread.ofVirtual().name("lifelines").start(() -> serve(listening));
  }

  /// Goes by this node's links as they are by now.
  void links() {
    var own = routes.own();
    servers
        .entrySet()
        .removeIf(
            it -> {
              var stays = it.getValue().getInetAddress().equals(own.get(it.getKey()));
              if (!stays) {
                Util.close(it.getValue());
                served.forEach(
                    (socket, by) -> {
                      if (by == it.getValue()) {
                        Util.close(socket);
                      }
                    });
              }
              return !stays;
            });
    for (var it : own.entrySet()) {
      if (!servers.containsKey(it.getKey())) {
        Thread.ofVirtual().name("lifelines").start(() -> await(it.getKey(), it.getValue()));
      }
    }
    var view = followed;
    if (view != null) {
      lines.values().forEach(Line::anew);
      follow(view);
    }
  }

  /// The transport complains of an address that is not there.
  private void await(int link, InetAddress on) {
    while (!stopped && on.equals(routes.own().get(link)) && !servers.containsKey(link)) {
      try {
        listen(link, on);
      } catch (IOException e) {
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  @Override
  public void stop() {
    leaving = true;
    stopped = true;
    servers.values().forEach(Util::close);
    lines.values().forEach(Line::close);
    lines.clear();
    served.keySet().forEach(Util::close);
    super.stop();
  }

  @Override
  public Object down(Event event) {
    switch (event.getType()) {
      case Event.VIEW_CHANGE -> {
        var result = down_prot.down(event);
        follow(event.getArg());
        return result;
      }
      case Event.CONNECT, Event.CONNECT_WITH_STATE_TRANSFER -> leaving = false;
      case Event.DISCONNECT -> leaving = true;
      default -> {}
    }
    return down_prot.down(event);
  }

  private synchronized void follow(View view) {
    followed = view;
    var own = routes.own().keySet();
    lines
        .entrySet()
        .removeIf(
            it -> {
              if (view.containsMember(it.getKey().member) && own.contains(it.getKey().link)) {
                return false;
              }
              it.getValue().close();
              return true;
            });
    for (var member : view.getMembers()) {
      for (var link : member.equals(local_addr) ? Set.<Integer>of() : own) {
        lines.computeIfAbsent(
            new Place(member, link),
            it -> {
              var line = new Line(it);
              Thread.ofVirtual().name("lifeline").start(line::keep);
              return line;
            });
      }
    }
  }

  // For the others

  private void serve(ServerSocket listening) {
    while (!listening.isClosed()) {
      try {
        var socket = listening.accept();
        if (served.size() >= LINES_MAX) {
          socket.close();
          continue;
        }
        served.put(socket, listening);
        Thread.ofVirtual().name("lifeline-of-peer").start(() -> answer(socket));
      } catch (IOException e) {
        LockSupport.parkNanos(SOON_NANOS); // closed, or out of descriptors
      }
    }
  }

  /// Answers whether this is the process that is looked for, and then stays silent until the other
  /// end is gone.
  private void answer(Socket socket) {
    try (socket) {
      socket.setSoTimeout(ANSWER_MILLIS);
      var in = new DataInputStream(socket.getInputStream());
      var length = in.readUnsignedByte();
      var wanted = length > ADDRESS_MAX ? new byte[0] : in.readNBytes(length);
      var found = java.util.Arrays.equals(wanted, bytes(local_addr));
      socket.getOutputStream().write(found ? YES : NO);
      socket.setSoTimeout(0);
      socket.setKeepAlive(true);
      socket.setTcpNoDelay(true);
      for (var probe = found ? in.read() : -1; probe >= 0; probe = in.read()) {
        socket.getOutputStream().write(probe);
      }
    } catch (IOException e) {
      log.debug("a lifeline ended: %s", e.getMessage());
    } finally {
      served.remove(socket);
    }
  }

  private static byte[] bytes(Address address) throws IOException {
    var out = new java.io.ByteArrayOutputStream();
    Util.writeAddress(address, new DataOutputStream(out));
    return out.toByteArray();
  }

  /// The connection to one member by one link.
  private final class Line {
    private final Address member;
    private final int link;
    private volatile boolean closed;
    private volatile boolean answers; // the member's build answers probes
    private volatile @Nullable Socket socket;

    Line(Place place) {
      this.member = place.member;
      this.link = place.link;
    }

    void close() {
      closed = true;
      Util.close(socket);
    }

    /// Has the connection made anew: what it is for, besides the end of the process, changed.
    void anew() {
      Util.close(socket);
    }

    private boolean isOver() {
      return closed || leaving;
    }

    void keep() {
      while (!isOver()) {
        var found = open();
        while (found == Found.OPEN && !isOver()) {
          found = hold();
        }
        if (isOver()) {
          return;
        }
        if (found == Found.GONE || found == Found.REFUSED) {
          suspect();
        }
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }

    private PeerRoutes.@Nullable Route route() {
      var physical = physical();
      return physical == null ? null : routes.route(physical);
    }

    private @Nullable IpAddress physical() {
      return (IpAddress) down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member));
    }

    private @Nullable InetSocketAddress there() {
      var physical = physical();
      if (physical == null || link == 0) {
        return physical == null
            ? null
            : new InetSocketAddress(physical.getIpAddress(), physical.getPort() + offset);
      }
      var route = routes.route(physical);
      var address = route == null ? null : route.address(link);
      return address == null ? null : new InetSocketAddress(address, port + offset);
    }

    private Found open() {
      var to = there();
      var own = routes.own().get(link);
      if (to == null || own == null) {
        return Found.UNKNOWN;
      }
      var route = route();
      var patience =
          route == null ? CONNECT_MILLIS : (int) route.paths().timing().dead().toMillis();
      try {
        var opening = sockets.createSocket("lifeline");
        socket = opening;
        opening.bind(new InetSocketAddress(own, 0));
        opening.connect(to, patience);
        opening.setSoTimeout(ANSWER_MILLIS);
        opening.setKeepAlive(true);
        opening.setTcpNoDelay(true);
        var name = bytes(member);
        opening.getOutputStream().write(name.length);
        opening.getOutputStream().write(name);
        var answer = opening.getInputStream().read();
        opening.setSoTimeout(0);
        if (answer == YES) {
          return Found.OPEN;
        }
        opening.close();
        return answer == NO ? Found.GONE : Found.UNKNOWN;
      } catch (ConnectException e) {
        Util.close(socket);
        var refused = e.getMessage() != null && e.getMessage().contains("refused");
        return refused && link == 0 ? Found.REFUSED : Found.UNKNOWN;
      } catch (IOException e) {
        Util.close(socket);
        return Found.UNKNOWN;
      }
    }

    /// Waits until the connection is closed, and finds out why. It may be open again then.
    private Found hold() {
      var held = socket;
      var route = route();
      if (held != null && route != null) {
        route.paths().opened(link);
        Thread.ofVirtual().name("probe").start(() -> probe(held, route));
      }
      var inGoodOrder = false;
      try {
        while (held != null && held.getInputStream().read() >= 0) {
          answered(route);
        }
        inGoodOrder = true;
      } catch (IOException e) {
        log.debug("the lifeline to %s broke: %s", member, e.getMessage());
      }
      Util.close(held);
      if (route != null) {
        var before = route.paths().active();
        route.changed(route.paths().closed(link), before);
      }
      return isOver() ? Found.UNKNOWN : findOut(inGoodOrder);
    }

    /// @param inGoodOrder whether the connection was closed by the other end's system, not broken
    private Found findOut(boolean inGoodOrder) {
      var found = Found.UNKNOWN;
      for (var check = 0; check < CHECKS && found == Found.UNKNOWN && !isOver(); check++) {
        found = open();
        if (found == Found.UNKNOWN) {
          LockSupport.parkNanos(SOON_NANOS);
        }
      }
      if ((found == Found.GONE || found == Found.REFUSED && inGoodOrder) && !isOver()) {
        ended.accept(member);
      }
      return found;
    }

    private void answered(PeerRoutes.@Nullable Route route) {
      if (route != null) {
        answers = true;
        var before = route.paths().active();
        route.changed(route.paths().answered(link), before);
      }
    }

    private void probe(Socket by, PeerRoutes.Route route) {
      var paths = route.paths();
      try {
        while (!isOver() && !by.isClosed()) {
          var now = System.nanoTime();
          var before = paths.active();
          route.changed(paths.look(link, now), before);
          if (answers && paths.isDead(link, now)) {
            Util.close(by); // it is made anew: what waits in it is sent again ever more seldom
            return;
          }
          paths.probed(link, now);
          by.getOutputStream().write(PROBE);
          LockSupport.parkNanos(paths.timing().probe().toNanos());
        }
      } catch (IOException e) {
        log.debug("the link to %s broke: %s", member, e.getMessage());
        Util.close(by);
      }
    }

    private void suspect() {
      var suspects = new ArrayList<>(List.of(member));
      up_prot.up(new Event(Event.SUSPECT, suspects));
      down_prot.down(new Event(Event.SUSPECT, suspects));
    }
  }
}
