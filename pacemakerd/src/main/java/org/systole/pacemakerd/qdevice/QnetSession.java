package org.systole.pacemakerd.qdevice;

import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.QuorumDevice;
import org.systole.common.cluster.QuorumDevice.Algorithm;
import org.systole.common.cluster.QuorumDevice.TieBreaker;
import org.systole.common.cluster.QuorumDevice.Tls;
import org.systole.common.values.NodeId;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;
import org.systole.pacemakerd.qdevice.QnetMessage.BadMessage;
import org.systole.pacemakerd.qdevice.QnetMessage.Key;
import org.systole.pacemakerd.qdevice.QnetMessage.Kind;
import org.systole.pacemakerd.qdevice.QnetMessage.Ring;

/// One connection to the server, from the first greeting to its end.
///
/// Every question has a number, and when it was asked is kept: an answer is worth what the world
/// was when it was asked for.
final class QnetSession {
  private static final int MESSAGE_MAX = 1 << 15;
  private static final int MESSAGE_LIMIT = 1 << 20; // whatever the server says it sends
  private static final int OPEN_QUESTIONS = 256;

  private static final int LIST_CONFIGURED = 0;
  private static final int LIST_SIDE = 2;
  private static final int LIST_QUORUM = 3;
  private static final int MEMBER = 1;
  private static final int DEAD = 2;

  /// Whose connection it is.
  interface Listener {
    /// The server has taken this node in.
    void accepted(boolean encrypted);

    void heard();

    /// The server gives its vote to the side it was last told of.
    ///
    /// @param asked when the question was sent, or the last one that was answered before
    void gave(Ring ring, long asked);

    /// The server has answered; what it gave on this connection it has not taken back.
    void confirmed(long asked);

    /// @return how long the vote may still be in use here
    Duration refused(Ring ring);

    void undecided(Ring ring);

    /// The last call.
    void closed(String why);
  }

  private enum Stage {
    CONNECTING,
    GREETED,
    SECURING,
    INTRODUCED,
    ACCEPTED,
    CLOSED
  }

  private final World world;
  private final ClusterConfig config;
  private final QuorumDevice device;
  private final NodeId local;
  private final DeviceTiming timing;
  private final Listener listener;
  private final TreeMap<Long, Long> asked = new TreeMap<>(); // question -> when
  private QnetFrames frames = new QnetFrames(MESSAGE_MAX);
  private UpgradableStreams.@Nullable Stream stream;
  private Stage stage = Stage.CONNECTING;
  private @Nullable String why;
  private @Nullable Ring told;
  private long last; // question
  private long answered; // when the last answered question was asked
  private long heard; // when
  private boolean encrypted;
  private boolean clientProved;
  private World.@Nullable Timer timer;

  QnetSession(
      World world,
      ClusterConfig config,
      QuorumDevice device,
      NodeId local,
      DeviceTiming timing,
      Listener listener) {
    this.world = world;
    this.config = config;
    this.device = device;
    this.local = local;
    this.timing = timing;
    this.listener = listener;
  }

  boolean isAccepted() {
    return stage == Stage.ACCEPTED;
  }

  boolean isOpen() {
    return stream != null && stage != Stage.CLOSED;
  }

  boolean isEncrypted() {
    return encrypted;
  }

  boolean isClientProved() {
    return clientProved;
  }

  void connect(UpgradableStreams streams, UpgradableStreams.Target target) {
    var within = timing.connecting();
    timer =
        world.after(
            within, () -> close("nothing came of it in %d ms".formatted(within.toMillis())));
    streams.connect(target, within, new FromStream());
  }

  /// Ends it; [Listener#closed] follows.
  void close(String reason) {
    if (stage == Stage.CLOSED) {
      return;
    }
    var it = stream;
    if (why == null) {
      why = reason;
    }
    if (it == null) {
      end(reason);
    } else {
      it.close();
    }
  }

  private void end(String reason) {
    if (stage == Stage.CLOSED) {
      return;
    }
    stage = Stage.CLOSED;
    if (timer != null) {
      timer.cancel();
    }
    listener.closed(why == null ? reason : why);
  }

  private final class FromStream implements UpgradableStreams.Handler {
    @Override
    public void opened(UpgradableStreams.Stream opened) {
      if (stage == Stage.CLOSED) {
        opened.close(); // given up meanwhile
        return;
      }
      stream = opened;
      stage = Stage.GREETED;
      send(QnetMessage.of(Kind.PREINIT).text(Key.CLUSTER_NAME, config.name()));
    }

    @Override
    public void secured(UpgradableStreams.Stream secured, boolean proved) {
      encrypted = true;
      clientProved = proved;
      if (stage == Stage.SECURING) {
        introduce();
      }
    }

    @Override
    public void received(UpgradableStreams.Stream from, byte[] bytes) {
      frames.add(bytes);
      try {
        for (var it = frames.next(); it != null && isOpen(); it = frames.next()) {
          handle(it);
        }
      } catch (BadMessage e) {
        close("it does not speak as a qnetd does: " + e.getMessage());
      }
    }

    @Override
    public void closed(String reason) {
      end(reason);
    }
  }

  // ---- what is said

  /// @return the question's number
  private long send(QnetMessage message) {
    var number = ++last;
    message.number32(Key.SEQUENCE, number);
    asked.put(number, world.elapsedNanos());
    if (asked.size() > OPEN_QUESTIONS) {
      asked.pollFirstEntry();
    }
    write(message);
    return number;
  }

  private void write(QnetMessage message) {
    var it = stream;
    if (it != null) {
      it.send(message.encode());
    }
  }

  private void introduce() {
    stage = Stage.INTRODUCED;
    var net = device.net();
    var tie =
        switch (net.tieBreaker()) {
          case TieBreaker.Lowest() -> new byte[] {1, 0, 0, 0, 0};
          case TieBreaker.Highest() -> new byte[] {2, 0, 0, 0, 0};
          case TieBreaker.Node(var id) ->
              java.nio.ByteBuffer.allocate(5).put((byte) 3).putInt(id.number()).array();
        };
    send(
        QnetMessage.of(Kind.INIT)
            .below(Key.SUPPORTED_MESSAGES, Kind.COUNT)
            .below(Key.SUPPORTED_OPTIONS, Key.COUNT)
            .number32(Key.NODE_ID, local.number())
            .number16(Key.ALGORITHM, algorithm())
            .number32(Key.HEARTBEAT, timing.heartbeat().toMillis())
            .bytes(Key.TIE_BREAKER, tie)
            .ring(new Ring(local.number(), 0)));
  }

  private int algorithm() {
    return switch (device.net().algorithm()) {
      case FFSPLIT -> 1;
      case LMS -> 3;
    };
  }

  /// Tells the server which side this node is on.
  void side(Side side, Heuristics.Result result) {
    if (stage != Stage.ACCEPTED) {
      return;
    }
    told = side.ring();
    var message =
        QnetMessage.of(Kind.NODE_LIST).number8(Key.LIST_KIND, LIST_SIDE).ring(side.ring());
    side.nodes().forEach(it -> message.node(it.number(), 0));
    if (result != Heuristics.Result.UNDEFINED) {
      message.number8(Key.HEURISTICS, result.code());
    }
    send(message);
  }

  void heuristics(Heuristics.Result result) {
    if (stage == Stage.ACCEPTED && told != null) {
      send(QnetMessage.of(Kind.HEURISTICS_CHANGE).number8(Key.HEURISTICS, result.code()));
    }
  }

  /// For those who look at the server.
  void quorum(boolean quorate, List<NodeId> members) {
    if (stage != Stage.ACCEPTED || told == null || members.isEmpty()) {
      return;
    }
    var message =
        QnetMessage.of(Kind.NODE_LIST)
            .number8(Key.LIST_KIND, LIST_QUORUM)
            .number8(Key.QUORATE, quorate ? 1 : 0);
    for (var node : config.nodes()) {
      message.node(node.id().number(), members.contains(node.id()) ? MEMBER : DEAD);
    }
    send(message);
  }

  private void poll() {
    if (stage != Stage.ACCEPTED) {
      return;
    }
    if (world.elapsedNanos() - heard > timing.silence().toNanos()) {
      close("nothing was heard for %d ms".formatted(timing.silence().toMillis()));
      return;
    }
    var asks = device.net().algorithm() == Algorithm.LMS && told != null;
    send(QnetMessage.of(asks ? Kind.ASK_FOR_VOTE : Kind.ECHO_REQUEST));
    timer = world.after(timing.poll(), this::poll);
  }

  // ---- what is heard

  private void handle(QnetMessage it) throws BadMessage {
    heard = world.elapsedNanos();
    listener.heard();
    if (it.kind() == Kind.SERVER_ERROR) {
      close(QnetErrors.text((int) it.number(Key.ERROR)));
      return;
    }
    switch (stage) {
      case GREETED -> greeted(it);
      case INTRODUCED -> introduced(it);
      case ACCEPTED -> later(it);
      case CONNECTING, SECURING, CLOSED -> throw unexpected(it);
    }
  }

  private static BadMessage unexpected(QnetMessage it) {
    return new BadMessage("message %d comes out of turn".formatted(it.kind()));
  }

  private void greeted(QnetMessage it) throws BadMessage {
    if (it.kind() != Kind.PREINIT_REPLY) {
      throw unexpected(it);
    }
    var theirs = (int) it.number(Key.TLS_SUPPORTED); // 0 no, 1 yes, 2 nothing else
    var ours = device.net().tls();
    if (theirs == 0 && ours == Tls.REQUIRED) {
      close("it does not encrypt, and tls is required here; start it with -s on");
    } else if (theirs == 2 && ours == Tls.OFF) {
      close("it wants encryption, and tls is off here; set tls in corosync.conf to on");
    } else if (theirs == 0 || ours == Tls.OFF) {
      introduce();
    } else {
      stage = Stage.SECURING;
      send(QnetMessage.of(Kind.STARTTLS));
      var to = stream;
      if (!frames.isEmpty()) {
        throw new BadMessage("it goes on in the clear");
      }
      if (to != null) {
        to.secure(timing.connecting());
      }
    }
  }

  private void introduced(QnetMessage it) throws BadMessage {
    if (it.kind() != Kind.INIT_REPLY) {
      throw unexpected(it);
    }
    var error = (int) it.number(Key.ERROR);
    if (error != 0) {
      close(QnetErrors.text(error));
      return;
    }
    if (!it.lists(Key.ALGORITHMS, algorithm())) {
      close("it does not know the algorithm " + device.net().algorithm().word());
      return;
    }
    var heuristics = device.heuristics().mode() != QuorumDevice.Mode.OFF;
    if (heuristics && !it.lists(Key.SUPPORTED_OPTIONS, Key.HEURISTICS)) {
      close("it does not know heuristics; set their mode to off, or use a newer qnetd");
      return;
    }
    frames = resized((int) Math.min(it.number(Key.REPLY_MAX), MESSAGE_LIMIT));
    accept(it.lists(Key.SUPPORTED_OPTIONS, Key.KEEP_ACTIVE_PARTITION));
  }

  /// What has come already is kept.
  private QnetFrames resized(int max) {
    return frames.resized(Math.max(max, MESSAGE_MAX));
  }

  private void accept(boolean knowsKeeping) {
    stage = Stage.ACCEPTED;
    answered = world.elapsedNanos();
    asked.clear();
    if (timer != null) {
      timer.cancel();
    }
    if (knowsKeeping && device.net().algorithm() == Algorithm.FFSPLIT) {
      send(
          QnetMessage.of(Kind.SET_OPTION)
              .number8(Key.KEEP_ACTIVE_PARTITION, device.net().keepActivePartition() ? 1 : 0));
    }
    var configured = QnetMessage.of(Kind.NODE_LIST).number8(Key.LIST_KIND, LIST_CONFIGURED);
    config.nodes().forEach(it -> configured.node(it.id().number(), 0));
    send(configured);
    listener.accepted(encrypted);
    poll();
  }

  private void later(QnetMessage it) throws BadMessage {
    switch (it.kind()) {
      case Kind.SET_OPTION_REPLY -> answer(it);
      case Kind.ECHO_REPLY -> listener.confirmed(answer(it));
      case Kind.NODE_LIST_REPLY, Kind.ASK_FOR_VOTE_REPLY, Kind.HEURISTICS_CHANGE_REPLY ->
          vote(it, answer(it));
      case Kind.VOTE_INFO -> {
        var inUse = vote(it, answered);
        var number = it.number(Key.SEQUENCE);
        if (inUse.isPositive()) {
          world.after(inUse, () -> heardVote(number));
        } else {
          heardVote(number);
        }
      }
      default -> throw unexpected(it);
    }
  }

  /// The server gives its vote to another side only after this.
  private void heardVote(long number) {
    if (stage == Stage.ACCEPTED) {
      write(QnetMessage.of(Kind.VOTE_INFO_REPLY).number32(Key.SEQUENCE, number));
    }
  }

  /// @return when the question was sent
  private long answer(QnetMessage it) throws BadMessage {
    var number = it.number(Key.SEQUENCE);
    var at = asked.get(number);
    if (at == null) {
      throw new BadMessage("it answers question %d, which is not open".formatted(number));
    }
    asked.headMap(number, true).clear();
    answered = at;
    return at;
  }

  /// @return how long what the server took back may still be in use here
  private Duration vote(QnetMessage it, long at) throws BadMessage {
    var ring = it.ring();
    switch ((int) it.number(Key.VOTE)) {
      case 1 -> {
        if (ring.equals(told)) {
          listener.gave(ring, at);
        }
      }
      case 2 -> {
        return listener.refused(ring);
      }
      case 3, 4 -> {
        if (ring.equals(told)) {
          listener.undecided(ring);
        }
      }
      case 5 -> listener.confirmed(at);
      default -> throw new BadMessage("vote %d is unknown".formatted(it.number(Key.VOTE)));
    }
    return Duration.ZERO;
  }
}
