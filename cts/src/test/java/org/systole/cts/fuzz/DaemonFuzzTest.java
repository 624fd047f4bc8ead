package org.systole.cts.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.systole.cts.lab.LabHome;

/// Every listener of a running cluster is given nonsense, for a minute unless `-Dfuzz.seconds` says
/// otherwise. `-Dfuzz.seed` begins elsewhere, `-Dfuzz.first` with another try of that seed.
///
/// Whatever comes in: no daemon ends, each request is answered or refused in time, those who mean
/// well are served, and no log and no answer has a secret or a stack trace.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class DaemonFuzzTest {
  private static final int VISITORS = 9; // their port, from the cluster's
  private static final int PARTS = 8; // each kind of enemy has the same time
  private static final int THREADS = 3;
  private static final int ENOUGH = 2_000; // tries, for each request to be among them
  private static final int STRAY_MAX = 20; // problems to be told
  private static final long HELD_MAX = 900 << 10; // KiB a process with a heap of 512 MiB may hold
  private static final Duration WATCH = Duration.ofMillis(500);
  private static final Duration SERVED = Duration.ofSeconds(20);
  private static final Duration WHOLE = Duration.ofSeconds(60);

  private final long seed = Long.getLong("fuzz.seed", 1);
  private final long first = Long.getLong("fuzz.first", 0);
  private final Duration part =
      Duration.ofMillis(Long.getLong("fuzz.seconds", 60) * 1000 / PARTS);
  private final List<String> problems = Collections.synchronizedList(new ArrayList<>());
  private FuzzedCluster cluster;
  private Map<String, Long> daemons;
  private RemoteHosts remotes;
  private int well;

  /// One try, made from random numbers alone.
  interface Attempt {
    String make(RandomGenerator random) throws Exception;
  }

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  @BeforeAll
  void start() throws IOException {
    var home = LabHome.distribution();
    needs("root".equals(System.getProperty("user.name")), "being others needs root");
    needs(
        Files.exists(home.resolve("sbin/pacemakerd")),
        "needs the packaged program in " + home + "; 'mvn verify' makes it");
    needs(
        gid("haclient") >= 0 && uid("hacluster") >= 0,
        "needs the user hacluster and the group haclient");
    cluster = FuzzedCluster.make(home, random(seed));
    cluster.start();
    daemons = cluster.daemons();
    assertEquals(14, daemons.size(), daemons::toString);
  }

  /// Who has asked for just this is told that it cannot be; `mvn verify` goes on without.
  private static void needs(boolean is, String what) {
    if (Boolean.getBoolean("fuzz.asked")) {
      assertTrue(is, what);
    }
    assumeTrue(is, what);
  }

  private static int gid(String group) throws IOException {
    return number("/etc/group", group);
  }

  private static int uid(String user) throws IOException {
    return number("/etc/passwd", user);
  }

  private static int number(String file, String name) throws IOException {
    try (var lines = Files.lines(Path.of(file))) {
      return lines
          .map(it -> it.split(":"))
          .filter(it -> it.length > 2 && it[0].equals(name))
          .mapToInt(it -> Integer.parseInt(it[2]))
          .findFirst()
          .orElse(-1);
    }
  }

  @AfterAll
  void stop() throws IOException {
    if (remotes != null) {
      remotes.close();
    }
    if (cluster != null) {
      cluster.close();
      if (well == PARTS) {
        cluster.removeFiles();
      } else {
        System.out.println("fuzz: the nodes' files are in " + cluster.dir());
      }
    }
  }

  @Test
  @Order(1)
  void membersOfTheGroup() throws Exception {
    var figures = new Figures();
    var fuzz = new SocketFuzz(cluster.ours(), cluster.secrets(), true, figures);
    var user = uid("nobody");
    var group = gid("haclient");
    fuzz.attempt(random(seed)); // what it takes is loaded while the thread may read everything
    run("members", fuzz::attempt, () -> Clothes.put(user, group), true);
    System.out.println("fuzz: members of the group: " + figures);
    assertEquals(SocketFuzz.listeners().size() - 2, figures.listeners().size(), "but sched and secret");
  }

  @Test
  @Order(2)
  void theClustersOwnUser() throws Exception {
    var figures = new Figures();
    var fuzz = new SocketFuzz(cluster.ours(), cluster.secrets(), false, figures);
    run("own", fuzz::attempt, () -> {}, true);
    System.out.println("fuzz: the cluster's own user: " + figures);
    assertEquals(SocketFuzz.listeners(), figures.listeners());
    if (figures.tries() > ENOUGH) {
      var left = SocketFuzz.requests();
      left.removeAll(figures.types());
      assertEquals(Set.of(), left, "each request was tried");
    }
  }

  @Test
  @Order(3)
  void strangersAtThePorts() throws Exception {
    var figures = new Figures();
    run("network", new NetworkFuzz(cluster, figures)::attempt, () -> {}, true);
    System.out.println("fuzz: the ports: " + figures);
  }

  @Test
  @Order(4)
  void strangersAtThePortForOtherMachines() throws Exception {
    var figures = new Figures();
    var port =
        new VisitorPort(
            cluster.ours(), cluster.dir(), cluster.key(), cluster.port() + VISITORS, figures);
    run("port for others", port::attempt, () -> {}, true);
    System.out.println("fuzz: the port for commands of other machines: " + figures);
    port.awaitServed();
  }

  @Test
  @Order(7)
  void aNodeWhoseLinkSpeaksNonsense() throws Exception {
    var figures = new Figures();
    try (var hostile = new HostileLink(cluster, figures)) {
      assertTrue(hostile.awaitPeers(), "the others let it in");
      run("links", hostile::attempt, () -> {}, false);
    }
    System.out.println("fuzz: a link: " + figures);
  }

  @Test
  @Order(8)
  void aNodeWhoseDaemonsSpeakNonsense() throws Exception {
    var figures = new Figures();
    try (var hostile = new HostileDaemons(cluster, LabHome.distribution(), figures)) {
      assertEquals(4, hostile.protocols().size());
      run("peers", hostile::attempt, () -> {}, false);
    }
    System.out.println("fuzz: daemons of another node: " + figures);
  }

  @Test
  @Order(5)
  void strangersAndPeersAtARemoteNodesPort() throws Exception {
    var figures = new Figures();
    remotes = new RemoteHosts(cluster, LabHome.distribution(), random(seed));
    run("remote port", new RemotePort(remotes, figures)::attempt, () -> {}, true);
    System.out.println("fuzz: a remote node's port: " + figures);
    assertEquals(List.of(), remotes.problems(HELD_MAX), this::tell);
  }

  @Test
  @Order(6)
  void aRemoteHostThatSpeaksNonsense() throws Exception {
    assumeTrue(remotes != null, "there are no remote nodes");
    var figures = new Figures();
    try (var hostile = new HostileHost(cluster, remotes, figures);
        var _ = new FalseHost(remotes, figures, random(seed))) {
      remotes.awaitOnline(HostileHost.NAME);
      run("remote host", hostile::attempt, () -> {}, true);
    }
    System.out.println("fuzz: a remote host: " + figures);
    assertEquals(List.of(), remotes.problems(HELD_MAX), this::tell);
    for (var daemon : daemons.entrySet()) {
      var held = RemoteHosts.kilobytes(daemon.getValue());
      assertTrue(held < 2 * HELD_MAX, () -> "%s holds %d KiB".formatted(daemon.getKey(), held));
    }
  }

  /// Makes tries for this part's time, from some threads at once, beside clients who mean well.
  ///
  /// @param served whether those clients have to be served meanwhile
  private void run(String kind, Attempt attempt, Runnable dress, boolean served) throws Exception {
    problems.clear();
    var probes = new Probes(SERVED);
    var threads = new ArrayList<Thread>();
    var numbers = new AtomicLong(first);
    var end = System.nanoTime() + part.toNanos();
    var logged = cluster.logged();
    for (var count = 0; count < THREADS; count++) {
      threads.add(
          Thread.ofPlatform().start(() -> attempts(kind, attempt, dress, numbers, end)));
    }
    var prober = Thread.ofPlatform().daemon().start(() -> probes.run(cluster.ours()));
    watch(kind, end);
    for (var thread : threads) {
      thread.join(Duration.ofSeconds(90));
      if (thread.isAlive()) {
        problems.add(kind + ": a thread hangs: " + List.of(thread.getStackTrace()));
      }
    }
    prober.interrupt();
    prober.join(Duration.ofSeconds(30));
    if (served) {
      problems.addAll(probes.problems());
    }
    problems.addAll(cluster.complaints());
    System.out.printf(
        "fuzz: %s, seed %d: %d tries, %d questions beside them, slowest answers (ms) %s, log %d KiB%n",
        kind,
        seed,
        numbers.get() - first,
        probes.asked(),
        probes.slowest(),
        (cluster.logged() - logged) >> 10);
    assertTrue(cluster.awaitWhole(WHOLE), () -> kind + ": the cluster is not whole; " + tell());
    assertEquals(daemons, cluster.daemons(), () -> kind + ": a daemon ended; " + tell());
    assertEquals(List.of(), List.copyOf(problems), this::tell);
    well++;
  }

  private String tell() {
    var head = problems.subList(0, Math.min(problems.size(), STRAY_MAX));
    return "seed %d, logs in %s: %s"
        .formatted(seed, cluster.dir(), String.join(System.lineSeparator(), head));
  }

  private void attempts(
      String kind, Attempt attempt, Runnable dress, AtomicLong numbers, long end) {
    dress.run();
    while (System.nanoTime() < end && problems.size() < STRAY_MAX) {
      var number = numbers.getAndIncrement();
      try {
        attempt.make(random(seed * 1_000_003 + number));
      } catch (Exception e) {
        problems.add("%s %d: %s".formatted(kind, number, e));
      }
    }
  }

  private void watch(String kind, long end) throws InterruptedException {
    while (System.nanoTime() < end && problems.size() < STRAY_MAX) {
      Thread.sleep(WATCH);
      var now = cluster.daemons();
      if (!now.equals(daemons)) {
        problems.add(kind + ": the daemons were " + daemons + " and are " + now);
        return;
      }
    }
  }
}
