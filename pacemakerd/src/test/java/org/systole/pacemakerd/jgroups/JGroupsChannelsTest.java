package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;

/// The transport on the loopback device. Strangers connect to its ports.
class JGroupsChannelsTest {
  private static final Path FILE = Path.of("corosync.conf");
  private static final byte[] SECRET = new byte[256];
  private static final int OFFSET = 100;
  private static final int CROWD = 700; // more than may wait at the two ports of a node's address
  private static final int SECONDS = 60;

  @TempDir private Path root;

  private RealWorld world;
  private ClusterConfig config;
  private String text;
  private final List<Channels.Channel> open = new ArrayList<>();

  /// What one node hears.
  private static final class Ear implements Channels.Listener {
    final BlockingQueue<Channels.View> views = new LinkedBlockingQueue<>();
    final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<Address> ended = new LinkedBlockingQueue<>();
    volatile @Nullable Address self;
    private volatile @Nullable String why;
    private final List<Channels.View> seen = new CopyOnWriteArrayList<>();

    @Override
    public void opened(Address address) {
      self = address;
    }

    @Override
    public void view(Channels.View view) {
      views.add(view);
    }

    @Override
    public void message(Address from, byte[] message) {
      messages.add(new String(message, StandardCharsets.UTF_8));
    }

    @Override
    public void silent(Address peer, boolean silent) {}

    @Override
    public void ended(Address peer) {
      ended.add(peer);
    }

    @Override
    public void closed(String why) {
      this.why = why;
    }

    Channels.View await(Predicate<Channels.View> wanted) throws InterruptedException {
      while (true) {
        var view = views.poll(SECONDS, TimeUnit.SECONDS);
        assertNotNull(view, "no such view within the time, but " + seen + ", ended: " + why);
        seen.add(view);
        if (wanted.test(view)) {
          return view;
        }
      }
    }
  }

  @BeforeEach
  void aWorld() throws Exception {
    var layout = new Layout(root, root);
    // connections may log after the end of a test, when its directory is gone
    var environment = Map.of("SYSTOLE_NODE", "a", "PCMK_logfile", "none");
    world = RealWorld.create(layout, environment, "test", "link");
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(() -> {}));
    int port;
    try (var free = new ServerSocket(0)) {
      // below those that the system gives to connections
      port = free.getLocalPort() % 12_000 + 20_000;
    }
    text =
            """
            totem {
              version: 2
              cluster_name: test
              crypto_cipher: aes256
              crypto_hash: sha256
              token: 5000
              interface {
                linknumber: 0
                mcastport: %d
              }
            }
            nodelist {
              node {
                ring0_addr: 127.0.1.1
                name: a
                nodeid: 1
              }
              node {
                ring0_addr: 127.0.1.2
                name: b
                nodeid: 2
              }
            }
            """
            .formatted(port);
    config = ClusterConfig.parse("corosync.conf", text);
  }

  @AfterEach
  void closeAll() {
    open.forEach(Channels.Channel::close);
  }

  private Channels.Channel start(int node, byte[] secret, Ear ear) {
    return open(channels(node, secret, FILE), ear);
  }

  private Channels.Channel open(JGroupsChannels channels, Ear ear) {
    var channel = channels.open(ear);
    open.add(channel);
    return channel;
  }

  private JGroupsChannels channels(int node, byte[] secret, Path keyFile) {
    var key = ClusterKey.of(secret, "test");
    return new JGroupsChannels(world, root.resolve(FILE), config, config.nodes().get(node), key, keyFile);
  }

  @Test
  void nodesWithTheKeyTalkAndTheEndOfOneIsSeenAtOnce() throws Exception {
    var a = new Ear();
    var b = new Ear();
    var first = start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    var second = start(1, SECRET, b);
    a.await(it -> it.members().size() == 2);
    var both = b.await(it -> it.members().size() == 2);
    var other = both.members().stream().filter(it -> !it.equals(b.self)).findFirst().orElseThrow();
    second.send(other, "hello".getBytes(StandardCharsets.UTF_8));
    assertEquals("hello", a.messages.poll(SECONDS, TimeUnit.SECONDS));
    first.broadcast("all".getBytes(StandardCharsets.UTF_8));
    assertEquals("all", b.messages.poll(SECONDS, TimeUnit.SECONDS));
  }

  /// It is well, and says so when the transport asks whether it is dead.
  @Test
  void whoDoubtsTheFirstOfTheViewGoesOnWithoutItAndIsTakenInAgain() throws Exception {
    var a = new Ear();
    var b = new Ear();
    start(0, SECRET, a);
    var first = a.await(it -> it.members().size() == 1).members().getFirst();
    var second = start(1, SECRET, b);
    var both = b.await(it -> it.members().size() == 2);
    assertEquals(first, both.members().getFirst());

    second.doubt(first);

    var alone = b.await(it -> it.members().size() == 1);
    assertTrue(alone.id().number() > both.id().number());
    b.await(it -> it.members().size() == 2);
    a.await(it -> it.members().size() == 2 && it.id().number() > alone.id().number());
  }

  /// The second one is well with the first, and never leads the third one's view.
  @Test
  void whoDoubtsAllBeforeItGoesOnAloneAndIsTakenInAgain() throws Exception {
    config = ClusterConfig.parse("corosync.conf", text.replace("nodelist {\n", "nodelist {\n  node {\n    ring0_addr: 127.0.1.3\n    name: c\n    nodeid: 3\n  }\n"));
    var a = new Ear();
    var b = new Ear();
    var c = new Ear();
    start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    start(1, SECRET, b);
    b.await(it -> it.members().size() == 2);
    var third = start(2, SECRET, c);
    var all = c.await(it -> it.members().size() == 3);

    third.doubt(all.members().get(0));
    third.doubt(all.members().get(1));

    var alone = c.await(it -> it.members().size() == 1);
    a.await(it -> it.members().size() == 3 && it.id().number() > alone.id().number());
    b.await(it -> it.members().size() == 3 && it.id().number() > alone.id().number());
  }

  /// With a second link, which goes first.
  private static ClusterConfig withSecondLink(String text) throws Exception {
    return ClusterConfig.parse(
        "corosync.conf",
        text.replaceAll("ring0_addr: 127.0.1.(.)", "$0\n    ring1_addr: 127.0.2.$1")
            .replace("token: ", "interface {\n linknumber: 1\n knet_link_priority: 5\n}\ntoken: "));
  }

  private static Channels.Network network(ClusterConfig config) {
    return new Channels.Network(
        config.nodes().stream().map(ClusterConfig.Node::addresses).toList(),
        config.priorities(),
        config.tokenMillis());
  }

  private static void await(String what, BooleanSupplier is) throws InterruptedException {
    var end = System.nanoTime() + SECONDS * 1_000_000_000L;
    while (!is.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, what);
      Thread.sleep(20);
    }
  }

  private static String up(Channels.Channel channel) {
    return channel.links().stream()
        .filter(Channels.LinkState::up)
        .map(it -> Integer.toString(it.link()))
        .collect(Collectors.joining(" "));
  }

  @Test
  void aLinkOfTwoThatIsTakenAwayCostsNothing() throws Exception {
    var one = config;
    config = withSecondLink(text);
    var a = new Ear();
    var b = new Ear();
    var first = start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    var second = start(1, SECRET, b);
    a.await(it -> it.members().size() == 2);
    b.await(it -> it.members().size() == 2);
    await("both links are up", () -> up(first).equals("0 1") && up(second).equals("0 1"));

    first.use(network(one));
    for (var count = 0; count < 100; count++) {
      second.broadcast(("b" + count).getBytes(StandardCharsets.UTF_8));
      first.broadcast(("a" + count).getBytes(StandardCharsets.UTF_8));
      Thread.sleep(5);
    }
    await("it is noticed", () -> up(second).equals("0") && up(first).isEmpty());
    await("all arrives there", () -> a.messages.contains("b99"));
    await("all arrives here", () -> b.messages.contains("a99"));
    for (var ear : List.of(a, b)) {
      assertEquals(200, ear.messages.size(), "each once");
      assertTrue(ear.ended.isEmpty());
      assertEquals(List.of(), List.copyOf(ear.views));
    }

    first.use(network(config));
    await("it is back", () -> up(first).equals("0 1") && up(second).equals("0 1"));
    assertEquals(List.of(), List.copyOf(a.views));
  }

  @Test
  void aPortThatAnotherProgramHasIsNamed() throws Exception {
    for (var port : List.of(config.port(), config.port() + OFFSET)) {
      try (var other = new ServerSocket()) {
        other.bind(new InetSocketAddress("127.0.1.1", port));
        var ear = new Ear();
        start(0, SECRET, ear);
        await("it ends", () -> ear.why != null);
        assertTrue(
            String.valueOf(ear.why).contains("port %d of 127.0.1.1 cannot be had".formatted(port)),
            ear.why);
      }
    }
  }

  @Test
  void aPeerWithAnotherKeyStaysAlone() throws Exception {
    var a = new Ear();
    var b = new Ear();
    start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    start(1, new byte[257], b);
    assertEquals(1, b.await(_ -> true).members().size());
    assertEquals(List.of(), List.copyOf(a.views));
  }

  @Test
  void aUserWhoHoldsConnectionsOpenDoesNotKeepTheNodeOut() throws Exception {
    var a = new Ear();
    start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    var crowd = new ArrayList<Thread>();
    for (var count = 0; count < CROWD; count++) {
      var port = config.port() + count % 2 * OFFSET;
      crowd.add(Thread.ofVirtual().start(() -> standInTheWay(port)));
    }
    try {
      assertEquals(null, a.views.poll(1, TimeUnit.SECONDS), "they are no members");
      var b = new Ear();
      start(1, SECRET, b);
      b.await(it -> it.members().size() == 2);
      a.await(it -> it.members().size() == 2);
    } finally {
      crowd.forEach(Thread::interrupt);
      for (var one : crowd) {
        assertTrue(one.join(Duration.ofSeconds(SECONDS)), "it goes on");
      }
    }
  }

  /// Connects from b's address and sends nothing; connects again whenever it is cut off.
  private static void standInTheWay(int port) {
    while (!Thread.currentThread().isInterrupted()) {
      try (var silent = new Socket()) {
        silent.bind(new InetSocketAddress("127.0.1.2", 0));
        silent.connect(new InetSocketAddress("127.0.1.1", port), 5_000);
        silent.getInputStream().read();
      } catch (java.io.IOException e) {
        // refused or cut off: connect again
      }
      java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
    }
  }

  @Test
  void strangersLearnNothingAndHoldUpNoNode() throws Exception {
    var a = new Ear();
    start(0, SECRET, a);
    a.await(it -> it.members().size() == 1);
    var strangers = new ArrayList<Socket>();
    for (var port : List.of(config.port(), config.port() + OFFSET)) {
      for (var i = 0; i < 100; i++) {
        var stranger = new Socket();
        stranger.connect(new InetSocketAddress("127.0.1.1", port), 5_000);
        strangers.add(stranger);
        if (i == 0) { // the transport would read a frame of 2 GiB, the guard garbage
          stranger.getOutputStream().write(new byte[] {0x7f, -1, -1, -1, 'b', 'e', 'l', 'a'});
          stranger.setSoTimeout(SECONDS * 1000);
          assertEquals(-1, stranger.getInputStream().read(), "it is told nothing");
        }
      }
    }
    var b = new Ear();
    start(1, SECRET, b);
    b.await(it -> it.members().size() == 2);
    a.await(it -> it.members().size() == 2);
    assertTrue(a.ended.isEmpty());
    for (var stranger : strangers) {
      stranger.close();
    }
    assertEquals(
        null,
        a.ended.poll(1, TimeUnit.SECONDS),
        "the end of a stranger's connection is not the end of a process");
    assertEquals(List.of(), List.copyOf(a.views));
  }

  private static byte[] another() {
    var secret = new byte[256];
    secret[9] = 1;
    return secret;
  }

  /// What a channel tells of the files, or a null for nothing within the time.
  private Channels.Configuration read(JGroupsChannels channels) throws InterruptedException {
    var found = new LinkedBlockingQueue<Channels.Configuration>();
    world.post(() -> channels.configuration(found::add));
    return Objects.requireNonNull(found.poll(SECONDS, TimeUnit.SECONDS), "nothing is read");
  }

  private void onLoop(Runnable task) throws InterruptedException {
    var done = new CountDownLatch(1);
    world.post(
        () -> {
          task.run();
          done.countDown();
        });
    assertTrue(done.await(SECONDS, TimeUnit.SECONDS));
  }

  /// Whether one who connects to `a` and shows this key is let in.
  private boolean admits(byte[] secret) {
    var sockets =
        new GuardedSockets(
            new Handshake(new KeyRing(ClusterKey.of(secret, "test"))), Set.of(), world.log());
    try (var stranger = sockets.createSocket("test")) {
      stranger.connect(new InetSocketAddress("127.0.1.1", config.port() + OFFSET), 5_000);
      return true;
    } catch (java.io.IOException e) {
      return false;
    }
  }

  private void talk(int from, Ear a, Ear b) throws InterruptedException {
    open.get(0).broadcast(("a" + from).getBytes(StandardCharsets.UTF_8));
    open.get(1).broadcast(("b" + from).getBytes(StandardCharsets.UTF_8));
    await("a hears b" + from, () -> a.messages.contains("b" + from));
    await("b hears a" + from, () -> b.messages.contains("a" + from));
  }

  @Test
  void theKeyIsChangedWhileNodesTalkAndTheFormerOneIsNoLongerGoodForAnything() throws Exception {
    changeTheKey();
  }

  @Test
  void theKeyIsChangedWithTwoLinks() throws Exception {
    config = withSecondLink(text);
    changeTheKey();
    for (var channel : open) {
      await("both links are up", () -> up(channel).equals("0 1"));
    }
  }

  private void changeTheKey() throws Exception {
    var file = Files.write(root.resolve("authkey"), SECRET);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(root.resolve("corosync.conf"), text);
    var a = new Ear();
    var b = new Ear();
    var ofA = channels(0, SECRET, file);
    var ofB = channels(1, SECRET, file);
    open(ofA, a);
    a.await(it -> it.members().size() == 1);
    open(ofB, b);
    a.await(it -> it.members().size() == 2);
    b.await(it -> it.members().size() == 2);
    assertEquals(ofA.key(), read(ofA).key(), "nothing is new yet");

    Files.write(file, another());
    var next = read(ofA).key();
    assertEquals(next, read(ofB).key());
    assertFalse(admits(another()), "what is on disk is not accepted by itself");
    onLoop(() -> assertTrue(ofA.acceptKey(Objects.requireNonNull(next))));
    onLoop(() -> assertTrue(ofB.acceptKey(Objects.requireNonNull(next))));
    talk(1, a, b);
    assertTrue(admits(SECRET));
    onLoop(() -> ofA.useKey(Objects.requireNonNull(next)));
    talk(2, a, b);
    await("b hears it, and speaks with it too", () -> next.equals(ofB.key()));
    talk(3, a, b);
    assertTrue(admits(SECRET) && admits(another()), "both, for a while");
    await("the former one is refused", () -> !admits(SECRET));
    for (var count = 4; count < 100; count++) {
      talk(count, a, b);
      Thread.sleep(10); // connections of the former key are closed meanwhile
    }
    assertTrue(admits(another()));
    for (var ear : List.of(a, b)) {
      assertTrue(ear.ended.isEmpty(), "nobody is taken for gone");
      assertEquals(List.of(), List.copyOf(ear.views));
      assertEquals(198, ear.messages.size(), "each once");
    }
    assertNotNull(read(ofA).text());
    Files.write(file, SECRET);
    var back = Objects.requireNonNull(read(ofA).problem());
    assertTrue(back.contains("was replaced before"), back);
  }

  @Test
  void aProcessThatStartsWithTheNewKeyJoinsThoseThatChangedToIt() throws Exception {
    var file = Files.write(root.resolve("authkey"), another());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(root.resolve("corosync.conf"), text);
    var a = new Ear();
    var ofA = channels(0, SECRET, file);
    open(ofA, a);
    a.await(it -> it.members().size() == 1);
    var next = Objects.requireNonNull(read(ofA).key());
    onLoop(() -> assertTrue(ofA.acceptKey(next)));
    onLoop(() -> ofA.useKey(next));
    var b = new Ear();
    start(1, another(), b);
    a.await(it -> it.members().size() == 2);
    b.await(it -> it.members().size() == 2);
    talk(1, a, b);
  }

  @Test
  void aKeyFileThatCannotBeUsedIsAProblemOfTheWhole() throws Exception {
    var file = Files.write(root.resolve("authkey"), new byte[0]);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(root.resolve("corosync.conf"), text);
    var channels = channels(0, SECRET, file);
    assertTrue(problem(channels).contains("has 0 bytes"));
    Files.write(file, another());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertTrue(problem(channels).contains("can be read by every user"));
    Files.delete(file);
    assertTrue(problem(channels).contains("make one with"));
  }

  private String problem(JGroupsChannels channels) throws InterruptedException {
    var found = read(channels);
    assertNull(found.text());
    assertNull(found.key());
    return Objects.requireNonNull(found.problem());
  }
}
