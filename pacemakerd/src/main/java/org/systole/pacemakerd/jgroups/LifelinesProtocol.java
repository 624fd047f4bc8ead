package org.systole.pacemakerd.jgroups;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
/// A closed connection is only a suspicion. The process has ended if afterwards no process, or
/// another one, listens there. Connections begin with the same handshake as all between nodes, so a
/// stranger can neither open one nor pass for a member.
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

  private enum Found {
    OPEN,
    /// No process listens, or another one does.
    GONE,
    UNKNOWN
  }

  private final InetAddress address;
  private final int port;
  private final int offset;
  private final SocketFactory sockets;
  private final Consumer<Address> ended;
  private final Map<Address, Line> lines = new ConcurrentHashMap<>();
  private final Set<Socket> served = ConcurrentHashMap.newKeySet();
  private @Nullable ServerSocket server;
  private volatile boolean leaving;

  /// @param port the transport's; the lifelines' is `offset` above it, on every node
  /// @param ended given a member whose process has ended
  LifelinesProtocol(
      InetAddress address, int port, int offset, SocketFactory sockets, Consumer<Address> ended) {
    this.address = address;
    this.port = port;
    this.offset = offset;
    this.sockets = sockets;
    this.ended = ended;
  }

  @Override
  public void start() throws Exception {
    super.start();
    var listening = sockets.createServerSocket("lifelines");
    listening.setReuseAddress(true);
    listening.bind(new InetSocketAddress(address, port + offset));
    server = listening;
    Thread.ofVirtual().name("lifelines").start(() -> serve(listening));
  }

  @Override
  public void stop() {
    leaving = true;
    Util.close(server);
    lines.values().forEach(Line::close);
    lines.clear();
    served.forEach(Util::close);
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

  private void follow(View view) {
    lines
        .entrySet()
        .removeIf(
            it -> {
              if (view.containsMember(it.getKey())) {
                return false;
              }
              it.getValue().close();
              return true;
            });
    for (var member : view.getMembers()) {
      if (!member.equals(local_addr)) {
        lines.computeIfAbsent(
            member,
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
        served.add(socket);
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
      while (found && in.read() >= 0) {
        continue;
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

  /// The connection to one member.
  private final class Line {
    private final Address member;
    private volatile boolean closed;
    private volatile @Nullable Socket socket;

    Line(Address member) {
      this.member = member;
    }

    void close() {
      closed = true;
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
        if (found == Found.GONE) {
          suspect();
        }
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }

    private Found open() {
      var physical = (IpAddress) down_prot.down(new Event(Event.GET_PHYSICAL_ADDRESS, member));
      if (physical == null) {
        return Found.UNKNOWN;
      }
      var to = new InetSocketAddress(physical.getIpAddress(), physical.getPort() + offset);
      try {
        var opening = sockets.createSocket("lifeline");
        socket = opening;
        opening.bind(new InetSocketAddress(address, 0));
        opening.connect(to, CONNECT_MILLIS);
        opening.setSoTimeout(ANSWER_MILLIS);
        opening.setKeepAlive(true);
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
        return refused ? Found.GONE : Found.UNKNOWN;
      } catch (IOException e) {
        Util.close(socket);
        return Found.UNKNOWN;
      }
    }

    /// Waits until the connection is closed, and finds out why. It may be open again then.
    private Found hold() {
      var held = socket;
      try {
        while (held != null && held.getInputStream().read() >= 0) {
          continue;
        }
      } catch (IOException e) {
        log.debug("the lifeline to %s broke: %s", member, e.getMessage());
      }
      Util.close(held);
      var found = Found.UNKNOWN;
      for (var check = 0; check < CHECKS && found == Found.UNKNOWN && !isOver(); check++) {
        found = open();
        if (found == Found.UNKNOWN) {
          LockSupport.parkNanos(SOON_NANOS);
        }
      }
      if (found == Found.GONE && !isOver()) {
        ended.accept(member);
      }
      return found;
    }

    private void suspect() {
      var suspects = new ArrayList<>(List.of(member));
      up_prot.up(new Event(Event.SUSPECT, suspects));
      down_prot.down(new Event(Event.SUSPECT, suspects));
    }
  }
}
