package org.systole.cts.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.systole.common.wire.Ping;
import org.systole.cts.Protocols;
import org.systole.cts.Protocols.Spoken;
import org.systole.cts.local.LocalNode;

/// Nonsense for the local sockets of all daemons. Each try is made from its number and the seed
/// alone, so it can be made again.
///
/// Safe for use by several threads.
final class SocketFuzz {
  /// A try whose outcome is not as it must be.
  static final class Wrong extends Exception {
    private static final long serialVersionUID = 1L;

    Wrong(String what) {
      super(what);
    }
  }

  private static final Duration HANDLED = Duration.ofSeconds(15);
  private static final Duration ANSWERED = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofMillis(20);
  private static final int GUEST_LONG = 80 << 10; // a little more than most sockets take
  private static final int LONG = 4 << 20;
  private static final int CROWD = 150;

  /// What does as it is told: of the cluster's own users these would end or change the cluster.
  private static final Set<String> ORDERS =
      Set.of(
          "PacemakerdMessage.Shutdown",
          "CtlMessage.Shutdown",
          "CibMessage.SetPrimary",
          "CibMessage.SetSecondary",
          "FenceMessage.Confirm",
          "LinkMessage.Join");

  private static final List<Spoken> SPOKEN =
      Protocols.all().stream().filter(it -> !it.socket().isEmpty()).toList();

  private record Kind(Spoken spoken, Class<? extends Record> type) {
    boolean isRequest() {
      return java.util.stream.Stream.of(type.getInterfaces())
          .anyMatch(it -> it.getSimpleName().equals("Request"));
    }
  }

  private static final List<Kind> KINDS =
      SPOKEN.stream()
          .flatMap(it -> it.types().stream().map(type -> new Kind(it, type)))
          .toList();
  private static final List<Kind> REQUESTS = KINDS.stream().filter(Kind::isRequest).toList();

  private final List<LocalNode> nodes;
  private final List<String> secrets;
  private final boolean guest;
  private final Figures figures;

  /// @param secrets no answer to a guest may have
  /// @param guest whether the threads that try are a member of the cluster's group
  SocketFuzz(List<LocalNode> nodes, List<String> secrets, boolean guest, Figures figures) {
    this.nodes = nodes;
    this.secrets = secrets;
    this.guest = guest;
    this.figures = figures;
  }

  /// One try.
  ///
  /// @return what it was
  String attempt(RandomGenerator random) throws Wrong, IOException {
    var node = nodes.get(random.nextInt(nodes.size()));
    var kind = kind(random);
    var spoken = kind.spoken();
    var type = kind.type();
    var longest = guest ? GUEST_LONG : LONG;
    var nonsense = new Nonsense(random, longest);
    var message = nonsense.of(spoken, type);
    var where = node.name() + " " + spoken.socket() + " " + message.what();
    figures.count(spoken.socket() + ".sock", spoken + "." + type.getSimpleName());
    try (var talk = Talk.to(node.layout().socket(spoken.socket()))) {
      switch (random.nextInt(40)) {
        case 0 -> slowly(talk, message.frame(), random);
        case 1 -> lying(talk, message.frame(), random);
        case 2 -> halfOpen(talk, message.frame(), random);
        case 3 -> notReading(talk, message.frame(), random);
        case 4 -> garbage(talk, nonsense, where);
        case 5 -> crowd(node, spoken, random);
        default -> ask(talk, message, where);
      }
    } catch (java.net.ConnectException e) {
      throw new Wrong(where + ": nobody listens: " + e.getMessage());
    }
    return where;
  }

  /// Requests mostly: who says something else is cut off, whatever it is.
  private Kind kind(RandomGenerator random) {
    while (true) {
      var from = random.nextInt(4) == 0 ? KINDS : REQUESTS;
      var kind = from.get(random.nextInt(from.size()));
      var order = ORDERS.contains(kind.spoken() + "." + kind.type().getSimpleName());
      // the kernel lets no member in
      var outside = List.of("sched", "secret").contains(kind.spoken().socket());
      if (guest ? !outside : !order) {
        return kind;
      }
    }
  }

  /// Says it and waits until it has been dealt with: an answer, or the end.
  private void ask(Talk talk, Nonsense.Message message, String where) throws IOException, Wrong {
    talk.say(Talk.framed(message.frame()), HANDLED);
    talk.say(Talk.framed(Ping.request()), HANDLED);
    var heard = new ArrayList<byte[]>();
    var handled = hear(talk, HANDLED, heard);
    if (!handled) {
      throw new Wrong(where + ": not dealt with in " + HANDLED.toSeconds() + " s");
    }
    if (message.answered() && heard.isEmpty() && !talk.isEnded()) {
      var answer = talk.hear(ANSWERED);
      if (answer == null && !talk.isEnded()) {
        throw new Wrong(where + ": no answer in " + ANSWERED.toSeconds() + " s");
      }
      if (answer != null) {
        heard.add(answer);
      }
    }
    figures.answered(!talk.isEnded());
    for (var answer : heard) {
      check(answer, where);
    }
  }

  /// @return whether the other end came to the ping, or has ended the connection
  private static boolean hear(Talk talk, Duration limit, List<byte[]> heard) throws IOException {
    var deadline = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < deadline) {
      var frame = talk.hear(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      if (frame == null) {
        return talk.isEnded();
      }
      if (Ping.isAnswer(frame)) {
        return true;
      }
      if (Ping.busy(frame) == null) {
        heard.add(frame);
      }
    }
    return false;
  }

  private void check(byte[] answer, String where) throws Wrong {
    var text = new String(answer, StandardCharsets.ISO_8859_1);
    for (var bad : List.of("\tat ", "java.lang.", "NullPointer", "Exception:")) {
      if (text.contains(bad) && !where.contains(bad)) {
        throw new Wrong("%s: the answer has \"%s\": %s".formatted(where, bad, head(text)));
      }
    }
    if (guest) {
      for (var secret : secrets) {
        if (text.contains(secret)) {
          throw new Wrong(where + ": the answer has a secret: " + head(text));
        }
      }
    }
  }

  private static String head(String text) {
    return text.substring(0, Math.min(text.length(), 500));
  }

  private void slowly(Talk talk, byte[] frame, RandomGenerator random) throws IOException {
    figures.manner("slowly");
    var bytes = Talk.framed(frame);
    var step = Math.max(1, bytes.length / 30);
    for (var at = 0; at < bytes.length; at += step) {
      talk.say(java.util.Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + step)), HANDLED);
      talk.hear(MOMENT);
    }
  }

  private void lying(Talk talk, byte[] frame, RandomGenerator random) throws IOException {
    figures.manner("a length that lies");
    var bytes = Talk.framed(frame);
    var lengths = new int[] {0, -1, 1, frame.length + 1, 64 << 20, (64 << 20) + 1, 1 << 31};
    java.nio.ByteBuffer.wrap(bytes).putInt(lengths[random.nextInt(lengths.length)]);
    talk.say(bytes, HANDLED);
    talk.hear(MOMENT);
  }

  /// Half a frame, and then the connection stands for a while or ends.
  private void halfOpen(Talk talk, byte[] frame, RandomGenerator random) throws IOException {
    figures.manner("half a frame");
    var bytes = Talk.framed(frame);
    talk.say(java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)), HANDLED);
    talk.hear(Duration.ofMillis(random.nextInt(300)));
  }

  /// Asks a hundred times, and reads nothing of the answers for a while.
  private void notReading(Talk talk, byte[] frame, RandomGenerator random) throws IOException {
    figures.manner("asking without reading");
    var bytes = Talk.framed(frame);
    for (var left = Math.min(100, LONG / bytes.length); left > 0; left--) {
      if (!talk.say(bytes, Duration.ofMillis(300))) {
        break;
      }
    }
    talk.hear(Duration.ofMillis(random.nextInt(300)));
  }

  private void garbage(Talk talk, Nonsense nonsense, String where) throws IOException, Wrong {
    figures.manner("garbage");
    ask(talk, new Nonsense.Message("garbage", nonsense.garbage(), false), where + " (garbage)");
  }

  /// Very many connections at once, which say nothing.
  private void crowd(LocalNode node, Spoken spoken, RandomGenerator random) throws IOException {
    figures.manner("a crowd of silent connections");
    var crowd = new ArrayList<Talk>();
    try {
      for (var count = random.nextInt(1, CROWD); count > 0; count--) {
        crowd.add(Talk.to(node.layout().socket(spoken.socket())));
      }
      crowd.getLast().hear(MOMENT);
    } catch (IOException e) {
      figures.manner("a crowd that is not let in");
    } finally {
      crowd.forEach(Talk::close);
    }
  }

  /// The listeners there are.
  static Set<String> listeners() {
    var found = new java.util.TreeSet<String>();
    SPOKEN.forEach(it -> found.add(it.socket() + ".sock"));
    return found;
  }

  /// The requests that clients can make, beside those that nobody else may try.
  static Set<String> requests() {
    var found = new java.util.TreeSet<String>();
    REQUESTS.forEach(it -> found.add(it.spoken() + "." + it.type().getSimpleName()));
    found.removeAll(ORDERS);
    return found;
  }
}
