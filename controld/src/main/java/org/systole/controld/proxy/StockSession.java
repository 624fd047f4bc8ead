package org.systole.controld.proxy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;
import org.systole.common.world.Connection;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.Weight;

/// A stock command on the remote node, which speaks Pacemaker's own form to a daemon: what it asks is
/// asked of ours in its place, and the answer given in that form.
///
/// @param <Q> requests of our daemon
/// @param <R> its replies
/// @param <E> its events
abstract class StockSession<Q, R, E> implements ProxySession {
  private static final int WAITS_FOR_REPLY = 0x200;
  private static final int CALLS_MAX = 500;
  private static final int NAME_MAX = 256; // of a user, and of a program: they are kept as long as the session
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /// Something that the command asks.
  ///
  /// @param id by which it knows the reply
  /// @param flags of its connection
  /// @param weight of the message, which is kept until it is answered
  record Asked(int id, int flags, Element xml, long weight) {
    boolean waits() {
      return (flags & WAITS_FOR_REPLY) != 0;
    }
  }

  private record Call<R>(Consumer<R> done, World.Timer timer, long weight) {}

  private final Outlet outlet;
  private final NodeName node;
  private final String socketName;
  private final ClientProtocol<Q, R, E> protocol;
  private final Map<Long, Call<R>> calls = new LinkedHashMap<>();
  private final Deque<Asked> early = new ArrayDeque<>(); // until the user's groups are known
  private @Nullable String user;
  private @Nullable LocalSocket socket;
  private boolean isOver;
  private long kept; // weight of what is asked and not answered
  private long asking; // of what is just being asked
  private long lastCall;

  StockSession(
      Outlet outlet, NodeName node, String socketName, ClientProtocol<Q, R, E> protocol) {
    this.outlet = outlet;
    this.node = node;
    this.socketName = socketName;
    this.protocol = protocol;
  }

  /// Does what the command asks.
  abstract void asked(Asked asked);

  /// The daemon tells something of its own accord.
  abstract void told(E event);

  NodeName node() {
    return node;
  }

  /// A name that can be kept.
  static String cut(String name) {
    return name.length() > NAME_MAX ? name.substring(0, NAME_MAX) : name;
  }

  /// By which the command's end and this one name the session.
  String token() {
    return outlet.session();
  }

  @Override
  public void request(Element message) {
    var content = ProxyXml.contentIn(message);
    var who = message.get(ProxyXml.USER, "");
    if (content == null || who.isEmpty() || who.length() > NAME_MAX || user != null && !user.equals(who)) {
      outlet.end("it sends what is not understood");
      return;
    }
    var it =
        new Asked(
            Numbers.integer(message.get(ProxyXml.MESSAGE_ID), 0),
            Numbers.integer(message.get(ProxyXml.FLAGS), 0),
            content,
            Weight.of(message));
    if (user == null) {
      user = who;
      outlet.groupsOf(who, groups -> open(new Connection.Credentials(who, groups, false, node)));
    }
    if (socket == null) {
      early.add(it);
      kept += it.weight();
    } else {
      take(it);
    }
  }

  private void open(Connection.Credentials credentials) {
    if (isOver) {
      return;
    }
    socket =
        new LocalSocket(outlet.world(), socketName, credentials, this::received, this::end);
    for (var next = early.poll(); next != null && !isOver; next = early.poll()) {
      kept -= next.weight();
      take(next);
    }
  }

  private void take(Asked it) {
    asking = it.weight();
    asked(it);
    asking = 0;
  }

  /// Asks the daemon. A session whose daemon does not answer ends.
  final void ask(Q request, Consumer<R> done) {
    var to = socket;
    if (isOver || to == null) {
      return;
    }
    if (calls.size() >= CALLS_MAX) {
      end("it asks for too much at a time");
      return;
    }
    var id = ++lastCall;
    var timer = outlet.world().after(PATIENCE, () -> end("a daemon does not answer"));
    calls.put(id, new Call<>(done, timer, asking));
    kept += asking;
    asking = 0;
    to.send(protocol.request(id, request));
  }

  private void received(byte[] frame) {
    try {
      switch (protocol.saidIn(frame)) {
        case ClientProtocol.Said.Event<R, E>(var event) -> told(event);
        case ClientProtocol.Said.Reply<R, E>(var id, var reply) -> {
          var call = calls.remove(id);
          if (call != null) {
            call.timer().cancel();
            kept -= call.weight();
            call.done().accept(reply);
          }
        }
      }
    } catch (Protocol.ProtocolException e) {
      end(e.getMessage());
    }
  }

  /// Answers a request.
  final void respond(Asked asked, Element reply) {
    outlet.send(
        ProxyXml.of(ProxyXml.RESPONSE, outlet.session())
            .attr(ProxyXml.MESSAGE_ID, asked.id())
            .add(Element.builder(ProxyXml.CONTENT).add(reply).build())
            .build());
  }

  /// Says that a request has come, if the command waits for that.
  final void acknowledge(Asked asked, ExitStatus status) {
    if (asked.waits()) {
      respond(asked, Element.builder("ack").attr("status", status.code()).build());
    }
  }

  /// Tells the command something.
  final void tell(Element event) {
    outlet.send(
        ProxyXml.of(ProxyXml.EVENT, outlet.session())
            .add(Element.builder(ProxyXml.CONTENT).add(event).build())
            .build());
  }

  /// Ends the session from this side.
  final void end(String why) {
    if (!isOver) {
      outlet.end(why); // which closes it
    }
  }

  @Override
  public long untaken() {
    return kept + (socket == null ? 0 : socket.unsent());
  }

  @Override
  public void close() {
    isOver = true;
    early.clear();
    kept = 0;
    calls.values().forEach(it -> it.timer().cancel());
    calls.clear();
    if (socket != null) {
      socket.close();
    }
  }
}
