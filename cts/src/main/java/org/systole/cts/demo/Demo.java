package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;

/// The program behind `./systole demo` and its companions.
public final class Demo {
  private static final int NODES = 3;
  private static final int TOKEN_MILLIS = 1000;
  private static final int USAGE = 64;
  private static final Duration STOP = Duration.ofSeconds(60);
  private static final Duration START = Duration.ofSeconds(60);

  private final LocalCluster cluster;
  private final PrintStream out;
  private final PrintStream errors;

  private Demo(LocalCluster cluster, PrintStream out, PrintStream errors) {
    this.cluster = cluster;
    this.out = out;
    this.errors = errors;
  }

  /// @param args nothing, `--auto`, `--kill NODE`, `--start NODE` or `--stop`
  public static void main(String[] args) {
    System.exit(run(System.getenv(), System.out, System.err, args));
  }

  /// @return the exit status
  private static int run(
      Map<String, String> environment, PrintStream out, PrintStream errors, String... args) {
    var home = environment.get(Layout.HOME);
    var dir = environment.get("SYSTOLE_DEMO");
    if (home == null || dir == null) {
      errors.println("demo: to be started with ./systole demo");
      return USAGE;
    }
    var cluster = LocalCluster.onLoopback(Path.of(home), Path.of(dir), NODES);
    try {
      return new Demo(cluster, out, errors).run(List.of(args));
    } catch (IOException e) {
      errors.println("demo: " + e.getMessage());
      return 1;
    }
  }

  private int run(List<String> args) throws IOException {
    return switch (args) {
      case List<String> it when it.isEmpty() -> show();
      case List<String> it when it.equals(List.of("--auto")) -> auto();
      case List<String> it when it.equals(List.of("--stop")) -> stop();
      case List<String> it when it.size() == 2 && it.getFirst().equals("--kill") -> {
        cluster.node(it.getLast()).kill();
        yield 0;
      }
      case List<String> it when it.size() == 2 && it.getFirst().equals("--start") ->
          start(it.getLast());
      default -> {
        errors.println("demo: usage: demo [--auto | --stop | --kill NODE | --start NODE]");
        yield USAGE;
      }
    };
  }

  private int start(String name) throws IOException {
    var node = cluster.node(name);
    if (node.isRunning()) {
      errors.println("demo: " + name + " is running already");
      return 1;
    }
    node.start();
    return 0;
  }

  private boolean refuseIfRunning() {
    for (var node : cluster.nodes()) {
      if (node.isRunning()) {
        errors.println(
            "demo: %s is still running; './systole stop' ends the demonstration before"
                .formatted(node.name()));
        return true;
      }
    }
    return false;
  }

  private int auto() throws IOException {
    if (refuseIfRunning()) {
      return 1;
    }
    cluster.prepare("demo", TOKEN_MILLIS);
    var told = false;
    try {
      told = new DemoStory(cluster, out).tell();
    } finally {
      for (var node : cluster.nodes()) {
        node.kill();
      }
      if (told) {
        cluster.removeFiles();
      } else {
        errors.println("demo: logs are in " + cluster.dir() + "/node*/var/log/pacemaker");
      }
    }
    return told ? 0 : 1;
  }

  private int show() throws IOException {
    if (refuseIfRunning()) {
      return 1;
    }
    cluster.prepare("demo", TOKEN_MILLIS);
    out.println("Starting node1, node2 and node3 (their trees are in " + cluster.dir() + ") ...");
    for (var node : cluster.nodes()) {
      node.start();
    }
    var view = new ClusterView(cluster.nodes());
    if (view.await(it -> it.dc() != null, START) == null) {
      errors.println(
          "demo: no DC within %d s; the logs in %s/node*/var/log/pacemaker tell why"
              .formatted(START.toSeconds(), cluster.dir()));
      return 1;
    }
    var text = DemoConfiguration.text().replace("@DIRECTORY@", cluster.dir().toString());
    var loaded = cluster.nodes().getFirst().configure(text);
    if (!loaded.ok()) {
      errors.println("demo: cannot load the configuration: " + loaded.output());
      return 1;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::stopQuietly));
    new DemoScreen(cluster, view, out).show();
    return 0;
  }

  private void stopQuietly() {
    try {
      out.println("\nStopping the cluster ...");
      cluster.stop(STOP);
      cluster.removeFiles();
    } catch (IOException e) {
      errors.println("demo: " + e.getMessage());
    }
  }

  private int stop() throws IOException {
    out.println("Stopping node1, node2 and node3 ...");
    var late = cluster.stop(STOP);
    late.forEach(it -> errors.println("demo: " + it + " did not stop by itself and was killed"));
    cluster.removeFiles();
    return late.isEmpty() ? 0 : 1;
  }
}
