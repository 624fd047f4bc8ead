package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalHost;
import org.systole.cts.local.LocalNode;

/// The program behind `./systole demo` and its companions.
public final class Demo {
  /// Where the nodes' trees are, in the environment.
  static final String DIRECTORY = "SYSTOLE_DEMO";

  private static final int NODES = 3;
  private static final int TOKEN_MILLIS = 1000;
  private static final int USAGE = 64;
  private static final Duration STOP = Duration.ofSeconds(60);
  private static final Duration START = Duration.ofSeconds(60);

  private static final String HINTS =
      """
      In another terminal: ./systole on node2 crm_mon -1     ./systole kill node1
                           ./systole start node1             ./systole stop""";

  private static final String ROLE_HINTS =
      """
      In another terminal: ./systole on node1 crm_role --waits
                           rm, then touch, the file "disk" in a node's tree, and see what moves""";

  private static final String HOST_HINTS =
      """
      In another terminal: ./systole crash host1             it stands still, its power is on
                           ./systole cut host2               it does not answer, but writes; ./systole mend host2
                           ./systole kill host3              its power is gone; ./systole start host3
                           ./systole on node1 crm_hostha --show host1""";

  private final LocalCluster cluster;
  private final DemoHosts hosts;
  private final PrintStream out;
  private final PrintStream errors;

  private Demo(LocalCluster cluster, DemoHosts hosts, PrintStream out, PrintStream errors) {
    this.cluster = cluster;
    this.hosts = hosts;
    this.out = out;
    this.errors = errors;
  }

  /// @param args nothing, `--auto`, `hosts`, `hosts --auto`, `roles`, `roles --auto`, `--stop`, or `--kill`, `--start`, `--crash`,
  ///     `--cut`, `--mend` with the name of a node or host
  public static void main(String[] args) {
    System.exit(run(System.getenv(), System.out, System.err, args));
  }

  /// @return the exit status
  private static int run(
      Map<String, String> environment, PrintStream out, PrintStream errors, String... args) {
    var home = environment.get(Layout.HOME);
    var dir = environment.get(DIRECTORY);
    if (home == null || dir == null) {
      errors.println("demo: to be started with ./systole demo");
      return USAGE;
    }
    var cluster = LocalCluster.onLoopback(Path.of(home), Path.of(dir), NODES);
    var hosts = new DemoHosts(cluster, Path.of(home));
    try {
      return new Demo(cluster, hosts, out, errors).run(List.of(args));
    } catch (IOException | IllegalArgumentException e) {
      errors.println("demo: " + e.getMessage());
      return 1;
    }
  }

  private int run(List<String> args) throws IOException {
    return switch (String.join(" ", args)) {
      case "" -> alone(List.of(), () -> show(false));
      case "--auto" -> alone(List.of(), () -> auto(false));
      case "hosts" -> alone(hosts.all(), () -> show(true));
      case "hosts --auto" -> alone(hosts.all(), () -> auto(true));
      case "roles" -> alone(List.of(), () -> roles(false));
      case "roles --auto" -> alone(List.of(), () -> roles(true));
      case "--stop" -> stop();
      default -> args.size() == 2 ? toOne(args.getFirst(), args.getLast()) : usage();
    };
  }

  private int usage() {
    errors.println(
        "demo: usage: demo [hosts | roles] [--auto] | --stop | --kill NODE | --start NODE"
            + " | --crash HOST | --cut HOST | --mend HOST");
    return USAGE;
  }

  private int toOne(String what, String name) throws IOException {
    switch (what) {
      case "--kill" -> node(name).kill();
      case "--start" -> {
        return start(name);
      }
      case "--crash" -> host(name).crash();
      case "--cut" -> host(name).cutOff();
      case "--mend" -> host(name).goOn();
      default -> {
        return usage();
      }
    }
    return 0;
  }

  private LocalNode node(String name) {
    var host = hosts.named(name);
    return host == null ? cluster.node(name) : host.node();
  }

  private LocalHost host(String name) {
    var host = hosts.named(name);
    if (host == null || !host.node().isRunning()) {
      throw new IllegalArgumentException(
          "no host %s is running; './systole demo hosts' has host1 to host%d"
              .formatted(name, DemoHosts.COUNT));
    }
    return host;
  }

  private int start(String name) throws IOException {
    var node = node(name);
    if (node.isRunning()) {
      errors.println("demo: " + name + " is running already");
      return 1;
    }
    node.start();
    return 0;
  }

  /// One of the things to show.
  private interface Show {
    /// @return the exit status
    int run() throws IOException;
  }

  /// Two demonstrations on one machine would be in each other's way.
  private int alone(List<LocalHost> withHosts, Show show) throws IOException {
    if (refuseIfRunning()) {
      return 1;
    }
    try (var _ = DemoPlaces.take(cluster, withHosts)) {
      return show.run();
    } catch (DemoPlaces.InUse e) {
      errors.println("demo: " + e.getMessage());
      return 1;
    }
  }

  private boolean refuseIfRunning() {
    var all = new ArrayList<>(cluster.nodes());
    hosts.all().forEach(it -> all.add(it.node()));
    for (var node : all) {
      if (node.isRunning()) {
        errors.println(
            "demo: %s is still running; './systole stop' ends the demonstration before"
                .formatted(node.name()));
        return true;
      }
    }
    return false;
  }

  private void prepare(boolean withHosts) throws IOException {
    cluster.prepare("demo", TOKEN_MILLIS);
    hosts.removeFiles();
    if (withHosts) {
      hosts.prepare();
    }
  }

  private int auto(boolean withHosts) throws IOException {
    prepare(withHosts);
    var told = false;
    try {
      told =
          withHosts
              ? new DemoHostStory(cluster, hosts, out).tell()
              : new DemoStory(cluster, out).tell();
    } finally {
      killAll();
      if (told) {
        cluster.removeFiles();
        hosts.removeFiles();
      } else {
        errors.println("demo: logs are in " + cluster.dir() + "/*/var/log/pacemaker");
      }
    }
    return told ? 0 : 1;
  }

  /// The story of roles. Without `--auto` the cluster stays when it has ended.
  private int roles(boolean toTheEnd) throws IOException {
    prepare(false);
    var told = false;
    var kept = false;
    try {
      told = new DemoRoleStory(cluster, out).tell(toTheEnd);
      kept = told && !toTheEnd;
    } finally {
      if (!kept) {
        for (var node : cluster.nodes()) {
          node.kill();
        }
      }
      if (!told) {
        errors.println("demo: logs are in " + cluster.dir() + "/*/var/log/pacemaker");
      }
    }
    if (kept) {
      Runtime.getRuntime().addShutdownHook(new Thread(this::stopQuietly));
      var view = new ClusterView(cluster.nodes());
      new DemoScreen(cluster, view, out, List.of("-1", "-r", "--include=roles"), ROLE_HINTS).show();
    } else if (told) {
      cluster.removeFiles();
    }
    return told ? 0 : 1;
  }

  private int show(boolean withHosts) throws IOException {
    prepare(withHosts);
    out.println(
        "Starting node1, node2 and node3%s (their trees are in %s) ..."
            .formatted(withHosts ? ", host1, host2 and host3" : "", cluster.dir()));
    for (var node : cluster.nodes()) {
      node.start();
    }
    if (withHosts) {
      hosts.start();
    }
    var view = new ClusterView(cluster.nodes());
    var why = notStarted(view, withHosts);
    if (why != null) {
      errors.println("demo: " + why);
      killAll();
      return 1;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopQuietly));
    var status = withHosts ? List.of("-1", "-r", "--include=hosts") : List.of("-1", "-r");
    new DemoScreen(cluster, view, out, status, withHosts ? HOST_HINTS : HINTS).show();
    return 0;
  }

  /// Why the cluster does not come up with its configuration, null if it does.
  private @Nullable String notStarted(ClusterView view, boolean withHosts) throws IOException {
    try {
      if (view.awaitWhileAllRun(it -> it.dc() != null, START) == null) {
        return "no DC within %d s; the logs in %s/node*/var/log/pacemaker tell why"
            .formatted(START.toSeconds(), cluster.dir());
      }
    } catch (ClusterView.NodeEnded e) {
      return e.getMessage();
    }
    var loaded = withHosts ? DemoHostStory.configure(cluster) : configure();
    return loaded.ok() ? null : "cannot load the configuration: " + loaded.output();
  }

  private void killAll() throws IOException {
    for (var node : cluster.nodes()) {
      node.kill();
    }
    hosts.kill();
  }

  private LocalNode.Outcome configure() throws IOException {
    var text =
        DemoConfiguration.text("configuration.xml")
            .replace("@DIRECTORY@", cluster.dir().toString());
    return cluster.nodes().getFirst().configure(text);
  }

  private void stopQuietly() {
    try {
      out.println("\nStopping the cluster ...");
      cluster.stop(STOP);
      hosts.kill();
      cluster.removeFiles();
      hosts.removeFiles();
    } catch (IOException e) {
      errors.println("demo: " + e.getMessage());
    }
  }

  private int stop() throws IOException {
    out.println("Stopping node1, node2 and node3 ...");
    var late = cluster.stop(STOP);
    late.forEach(it -> errors.println("demo: " + it + " did not stop by itself and was killed"));
    hosts.kill();
    cluster.removeFiles();
    hosts.removeFiles();
    return late.isEmpty() ? 0 : 1;
  }
}
