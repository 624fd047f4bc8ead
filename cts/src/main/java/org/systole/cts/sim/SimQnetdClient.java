package org.systole.cts.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.UpgradableStreams;
import org.systole.cts.sim.SimQnetd.Message;

/// A node's connection to the simulated qnetd: both ends and the line between them. Each direction
/// keeps its order; what a cut line holds back arrives when it is mended.
final class SimQnetdClient implements UpgradableStreams.Stream {
  /// What is on its way in one direction.
  private final class Line {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean moving;

    void add(Runnable arrival) {
      waiting.add(arrival);
      if (!moving) {
        moving = true;
        server.queue().after(server.delay(), this::move);
      }
    }

    private void move() {
      if (!server.reaches(process.node())) {
        server.queue().after(server.retry(), this::move);
        return;
      }
      var next = waiting.poll();
      if (next != null) {
        next.run();
      }
      moving = !waiting.isEmpty();
      if (moving) {
        server.queue().after(server.delay() / 4, this::move);
      }
    }
  }

  private final SimQnetd server;
  private final SimProcess process;
  private final UpgradableStreams.Handler handler;
  private final long number;
  private final Line toServer = new Line();
  private final Line toNode = new Line();
  private boolean closed; // for the node
  private boolean accepted;
  private long id;
  private long heartbeat;
  private long heardAt;

  // what the rules know of it
  byte[] ring = new byte[12];
  byte[] tieBreaker = new byte[5];
  TreeSet<Long> configured = new TreeSet<>();
  TreeSet<Long> members = new TreeSet<>();
  int heuristics;
  boolean keepsActive;
  int lastVote; // for lms: 0 is new
  int sending; // for ffsplit: 0 nothing, 1 a yes, 2 a no
  long voteNumber;

  SimQnetdClient(
      SimQnetd server, SimProcess process, UpgradableStreams.Handler handler, long number) {
    this.server = server;
    this.process = process;
    this.handler = handler;
    this.number = number;
    this.heardAt = server.queue().now();
  }

  SimNode node() {
    return process.node();
  }

  long id() {
    return id;
  }

  boolean isAccepted() {
    return accepted;
  }

  boolean isDead() {
    return !process.isAlive() && process.node().isPowered();
  }

  boolean isSilent(long now) {
    return accepted && now - heardAt > heartbeat * 3 / 2;
  }

  // ---- the node's end

  @Override
  public void send(byte[] bytes) {
    if (!closed) {
      toServer.add(() -> arrived(bytes));
    }
  }

  @Override
  public void secure(Duration within) {
    server
        .queue()
        .after(server.delay(), process, () -> handler.secured(this, true));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      toServer.add(() -> server.drop(this, "it hangs up"));
      server.queue().after(0, process, () -> handler.closed("closed here"));
    }
  }

  // ---- the server's end

  void hangUp() {
    toNode.add(
        () ->
            server
                .queue()
                .after(
                    0,
                    process,
                    () -> {
                      if (!closed) {
                        closed = true;
                        handler.closed("the server has closed the connection");
                      }
                    }));
  }

  void tell(Message message) {
    var bytes = message.bytes();
    toNode.add(
        () ->
            server
                .queue()
                .after(
                    0,
                    process,
                    () -> {
                      if (!closed) {
                        handler.received(this, bytes);
                      }
                    }));
  }

  /// A vote that was not asked for.
  void vote(int vote) {
    voteNumber++;
    lastSaid = vote;
    tell(Message.of(14).with32(0, voteNumber).with(13, ring).with(19, (byte) vote));
  }

  private @Nullable Integer lastSaid;

  @Nullable Integer lastSaid() {
    return lastSaid;
  }

  private void arrived(byte[] bytes) {
    if (!server.isUp() || !server.clients().contains(this)) {
      hangUp(); // it was forgotten
      return;
    }
    heardAt = server.queue().now();
    var in = ByteBuffer.wrap(bytes);
    var kind = in.getShort() & 0xffff;
    var body = Arrays.copyOfRange(bytes, 6, bytes.length);
    handle(Message.read(kind, body));
  }

  private void handle(Message it) {
    switch (it.kind()) {
      case 0 -> tell(answer(it, 1).with(2, (byte) 1).with(3, (byte) 1));
      case 2 -> {} // the encryption is not simulated
      case 3 -> introduced(it);
      case 6 -> {
        keepsActive = it.number(23) == 1;
        tell(answer(it, 7).with(23, it.value(23)));
      }
      case 8 -> tell(answer(it, 9));
      case 10 -> list(it);
      case 12 -> replied(it, 13, SimQnetdRules.asked(server, this), 0);
      case 15 -> SimQnetdRules.confirmed(server, this, it.number(0));
      case 16 -> {
        heuristics = (int) it.number(22);
        replied(it, 17, SimQnetdRules.changed(server, this), 22);
      }
      default -> throw new IllegalStateException("message " + it.kind() + " to qnetd");
    }
  }

  private static Message answer(Message it, int kind) {
    return Message.of(kind).with(0, it.value(0));
  }

  private void introduced(Message it) {
    var duplicate = server.hasNode(it.number(9));
    id = it.number(9);
    heartbeat = it.number(12) * 1_000_000;
    tieBreaker = it.value(21);
    accepted = !duplicate;
    var reply =
        answer(it, 4)
            .with(6, (byte) 0, (byte) (duplicate ? 17 : 0))
            .with32(7, 1 << 15)
            .with32(8, 1 << 15)
            .with(10, new byte[] {0, 1, 0, 3})
            .with(5, new byte[] {0, 22, 0, 23});
    tell(reply);
  }

  private void list(Message it) {
    var nodes = new TreeSet<Long>();
    for (var option : it.options()) {
      if (option.key() == 17) {
        nodes.add(Message.read(0, option.value()).number(9));
      }
    }
    switch ((int) it.number(18)) {
      case 0, 1 -> {
        configured = nodes;
        replied(it, 11, members.isEmpty() ? 3 : SimQnetdRules.changed(server, this), 18);
      }
      case 2 -> {
        members = nodes;
        ring = it.value(13);
        heuristics = (int) it.number(22);
        replied(it, 11, SimQnetdRules.changed(server, this), 18);
      }
      default -> replied(it, 11, server.isLms() ? SimQnetdRules.asked(server, this) : 5, 18);
    }
  }

  /// @param kept an option of the question that the answer repeats, 0 for none
  private void replied(Message it, int kind, int vote, int kept) {
    var reply = answer(it, kind).with(13, ring).with(19, (byte) vote);
    tell(kept == 0 ? reply : reply.with(kept, it.value(kept)));
  }

  @Override
  public String toString() {
    return "%s of %s, connection %d".formatted(Arrays.toString(ring), node().name(), number);
  }
}
