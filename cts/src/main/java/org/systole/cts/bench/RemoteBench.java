package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.systole.cts.farm.HostFarm;
import org.systole.cts.lab.LabNetwork;

/// What remote nodes cost three members: `./systole bench remote`. The hosts are in one process, or
/// each a daemon of its own.
public final class RemoteBench {
  private static final double REST = 60;
  private static final double OBSERVED = 60;
  private static final Duration LIMIT = Duration.ofMinutes(15);
  private static final double WHOLE = 3; // seconds in which nothing more happens

  private final Path home;
  private final boolean real;

  private RemoteBench(Path home, boolean real) {
    this.home = home;
    this.real = real;
  }

  public static void main(String[] args) throws IOException {
    var sizes = new ArrayList<Integer>();
    var real = false;
    for (var at = 0; at < args.length; at++) {
      if (args[at].equals("--real")) {
        real = true;
      } else if (args[at].matches("[1-9][0-9]{0,2}")) {
        sizes.add(Integer.valueOf(args[at]));
      } else {
        refuse("'" + args[at] + "' is not a number of hosts from 1 to 999, nor --real");
      }
    }
    var home = Path.of(System.getProperty("systole.home", "tools/target/systole"));
    if (!Files.isExecutable(home.resolve("sbin/pacemakerd"))) {
      refuse("there is no built program in " + home + "; run ./systole build");
    }
    var obstacle = LabNetwork.obstacle();
    if (!obstacle.isEmpty()) {
      refuse("it needs namespaces, so it has to run as root: " + obstacle);
    }
    if (sizes.isEmpty()) {
      sizes.addAll(real ? List.of(10) : List.of(10, 50, 100, 500));
    }
    var bench = new RemoteBench(home.toAbsolutePath(), real);
    var lines = new ArrayList<String>();
    for (var size : sizes) {
      lines.add(bench.measure(size));
    }
    System.out.println();
    System.out.println(HEAD);
    lines.forEach(System.out::println);
    System.exit(0);
  }

  private static void refuse(String why) {
    System.err.println("systole bench remote: " + why);
    System.err.println("usage: bench remote [--real] [HOSTS ...]");
    System.exit(64);
  }

  private static final String HEAD =
      """
      hosts  connected  started  cpu a member    of that controld  memory a member  host lost  member lost
                     s        s   % of a core                   %              MiB          s            s""";

  private void say(String format, Object... values) {
    System.out.printf(Locale.ROOT, format + "%n", values);
  }

  private String measure(int hosts) throws IOException {
    var remotes = new RemoteHosts(home, hosts, real);
    try (var cluster = BenchCluster.make(home, Bench.DISK, remotes.configuration().base())) {
      try (remotes) {
        return measure(cluster, remotes, hosts);
      } catch (IOException e) {
        System.out.print(cluster.evidence());
        throw e;
      }
    }
  }

  private String measure(BenchCluster cluster, RemoteHosts remotes, int hosts) throws IOException {
    remotes.start(cluster);
    cluster.start();
    cluster.settle(1, 2);
    var connected = connect(cluster, remotes, hosts);
    var started = startResources(cluster, remotes, hosts);
    Waiting.seconds(REST);
    var cost = observe(cluster, hosts);
    var hostLost = loseHost(remotes, hosts / 2 + 1, hosts);
    Waiting.seconds(10);
    var memberLost = loseMember(cluster, remotes);
    return String.format(
        Locale.ROOT,
        "%5d  %9.1f  %7.1f  %s  %9.2f  %11.2f",
        hosts,
        connected,
        started,
        cost,
        hostLost,
        memberLost);
  }

  private void load(BenchCluster cluster, String text) throws IOException {
    var file = cluster.dc().files().dir().resolve("load.xml");
    Files.writeString(file, text);
    cluster
        .dc()
        .run(
            "cibadmin",
            "--modify",
            "--allow-create",
            "-o",
            "configuration",
            "--xml-file",
            file.toString());
  }

  /// Tells what the members' programs have used since then, all members together.
  private void tellCost(String what, BenchCluster cluster, Map<String, Double> before)
      throws IOException {
    var all = cpuByProgram(cluster);
    all.replaceAll((name, value) -> value - before.getOrDefault(name, 0.0));
    say("  processor s to %s: %s", what, listed(all));
  }

  private static String listed(Map<String, Double> values) {
    return values.entrySet().stream()
        .map(it -> String.format(Locale.ROOT, "%s %.2f", it.getKey(), it.getValue()))
        .collect(Collectors.joining(", "));
  }

  private double connect(BenchCluster cluster, RemoteHosts remotes, int hosts) throws IOException {
    var before = cpuByProgram(cluster);
    var begun = BenchCluster.now();
    load(cluster, remotes.configuration().connections());
    Waiting.until(
        LIMIT,
        "all hosts connected",
        () -> hostsOf(remotes.connections(begun)).size() == hosts);
    var found = remotes.connections(begun);
    var first = found.stream().mapToDouble(HostFarm.Deed::at).min().orElseThrow();
    var last = found.stream().mapToDouble(HostFarm.Deed::at).max().orElseThrow();
    var online = awaitOnline(cluster, hosts);
    say(
        "%d hosts: first connection %.2f s after the command, last %.2f s, all online %.2f s",
        hosts, first - begun, last - begun, online - begun);
    tellCost("connect", cluster, before);
    return online - first;
  }

  private static double awaitOnline(BenchCluster cluster, int hosts) throws IOException {
    cluster.await(
        cluster.nodes(),
        hosts + " remote nodes online",
        it -> it.online().size() == hosts + BenchCluster.NODES);
    return BenchCluster.now();
  }

  private static Set<String> hostsOf(List<HostFarm.Deed> deeds) {
    var found = new HashSet<String>();
    deeds.forEach(it -> found.add(it.host()));
    return found;
  }

  private double startResources(BenchCluster cluster, RemoteHosts remotes, int hosts)
      throws IOException {
    Waiting.seconds(WHOLE);
    var before = cpuByProgram(cluster);
    var begun = BenchCluster.now();
    load(cluster, remotes.configuration().resources());
    var all = hosts * RemoteConfiguration.EACH;
    var starts = awaitStarts(remotes, begun, all);
    var last = starts.stream().mapToDouble(HostFarm.Deed::at).max().orElseThrow();
    say("%d resources started after %.2f s", all, last - begun);
    tellCost("start them", cluster, before);
    return last - begun;
  }

  private static List<HostFarm.Deed> awaitStarts(RemoteHosts remotes, double begun, int count)
      throws IOException {
    return Waiting.look(
        LIMIT,
        count + " resources started",
        () -> {
          Waiting.seconds(0.1);
          var found = remotes.starts(begun);
          var resources = new TreeSet<String>();
          found.forEach(it -> resources.add(it.resource()));
          return resources.size() >= count ? found : null;
        });
  }

  /// Processor time and memory over a minute of rest, the mean of the members.
  private String observe(BenchCluster cluster, int hosts) throws IOException {
    var before = new double[BenchCluster.NODES];
    var programs = cpuByProgram(cluster);
    for (var node : cluster.nodes()) {
      before[node.id() - 1] = node.cpuSeconds();
    }
    var begun = System.nanoTime();
    Waiting.seconds(OBSERVED);
    var seconds = (System.nanoTime() - begun) / 1e9;
    var cpu = 0.0;
    var memory = 0.0;
    for (var node : cluster.nodes()) {
      cpu += (node.cpuSeconds() - before[node.id() - 1]) / seconds * 100;
      memory += node.pssMebibytes();
    }
    var after = cpuByProgram(cluster);
    after.replaceAll(
        (name, value) ->
            (value - programs.getOrDefault(name, 0.0)) / seconds * 100 / BenchCluster.NODES);
    say("at rest, %% of a core for a member: %s", listed(after));
    return String.format(
        Locale.ROOT,
        "%12.2f  %18.2f  %15.0f",
        cpu / BenchCluster.NODES,
        after.getOrDefault("controld", 0.0),
        memory / BenchCluster.NODES);
  }

  private static TreeMap<String, Double> cpuByProgram(BenchCluster cluster) throws IOException {
    var all = new TreeMap<String, Double>();
    for (var node : cluster.nodes()) {
      node.cpuSecondsByProgram().forEach((name, value) -> all.merge(name, value, Double::sum));
    }
    return all;
  }

  /// From a host's loss until the last of its resources has finished `start` elsewhere.
  private double loseHost(RemoteHosts remotes, int number, int hosts) throws IOException {
    var begun = BenchCluster.now();
    remotes.lose(number);
    var starts = awaitStarts(remotes, begun, RemoteConfiguration.EACH);
    var last = starts.stream().mapToDouble(HostFarm.Deed::at).max().orElseThrow() - begun;
    say("host %d lost: its resources started elsewhere after %.2f s", number, last);
    remotes.comeBack(number);
    Waiting.until(
        LIMIT,
        "the host to have its resources back",
        () ->
            remotes.starts(begun).stream()
                    .filter(it -> it.host().equals(RemoteConfiguration.HOST + number))
                    .count()
                >= RemoteConfiguration.EACH);
    return last;
  }

  /// From the loss of a member that is not the DC until another has its last connection.
  private double loseMember(BenchCluster cluster, RemoteHosts remotes) throws IOException {
    var dc = cluster.dc();
    var victim =
        cluster.nodes().stream().filter(it -> !it.name().equals(dc.name())).findFirst().orElseThrow();
    var seen = cluster.await(List.of(dc), "a status", _ -> true);
    var mine = new TreeSet<String>();
    for (var number = 1; number <= remotes.configuration().hosts(); number++) {
      var host = RemoteConfiguration.HOST + number;
      if (seen.activeOn(host).equals(List.of(victim.name()))) {
        mine.add(host);
      }
    }
    var begun = BenchCluster.now();
    victim.kill();
    Waiting.until(
        LIMIT,
        "the victim's connections elsewhere",
        () -> hostsOf(remotes.connections(begun)).containsAll(mine));
    var last =
        remotes.connections(begun).stream()
            .filter(it -> mine.contains(it.host()))
            .mapToDouble(HostFarm.Deed::at)
            .max()
            .orElse(begun);
    say("member with %d connections killed: all made again after %.2f s", mine.size(), last - begun);
    var started = remotes.starts(begun).size();
    if (started > 0) {
      throw new IOException(started + " resources were started by the loss of a member");
    }
    return last - begun;
  }
}
