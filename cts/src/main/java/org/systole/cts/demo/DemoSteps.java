package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Predicate;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// Steps of a story: each is done, seen to have worked, and told with its time.
final class DemoSteps {
  static final Duration LIMIT = Duration.ofSeconds(90);

  /// A step that was not seen to work.
  static final class Failed extends Exception {
    Failed(String what) {
      super(what);
    }
  }

  /// Something to do that may fail.
  interface Action {
    void run() throws IOException, Failed;
  }

  private final LocalCluster cluster;
  private final ClusterView view;
  private final PrintStream out;

  DemoSteps(LocalCluster cluster, ClusterView view, PrintStream out) {
    this.cluster = cluster;
    this.view = view;
    this.out = out;
  }

  /// @param status the command whose output is shown where the story ends
  /// @return whether every step was seen to work
  boolean tell(Action story, String... status) throws IOException {
    var begin = System.nanoTime();
    try {
      story.run();
    } catch (Failed e) {
      out.println("FAILED: " + e.getMessage());
      if (view.now() != null) {
        show(status);
      }
      return false;
    }
    out.printf("done in %.1f s%n", (System.nanoTime() - begin) / 1e9);
    return true;
  }

  private void show(String... arguments) throws IOException {
    for (var node : cluster.nodes()) {
      var status = node.run("crm_mon", arguments);
      if (status.ok()) {
        out.println(status.output());
        return;
      }
    }
  }

  void step(String what, Action action, Predicate<ClusterView.Snapshot> wanted)
      throws IOException, Failed {
    var begin = System.nanoTime();
    action.run();
    if (view.await(wanted, LIMIT) == null) {
      throw new Failed("not seen within %d s: %s".formatted(LIMIT.toSeconds(), what));
    }
    report(what, begin);
  }

  /// As [#step], for what starts the nodes: if one ends by itself the story ends at once.
  void start(String what, Action action, Predicate<ClusterView.Snapshot> wanted)
      throws IOException, Failed {
    var begin = System.nanoTime();
    action.run();
    try {
      if (view.awaitWhileAllRun(wanted, LIMIT) == null) {
        throw new Failed("not seen within %d s: %s".formatted(LIMIT.toSeconds(), what));
      }
    } catch (ClusterView.NodeEnded e) {
      throw new Failed(e.getMessage());
    }
    report(what, begin);
  }

  void report(String what, long beginNanos) {
    out.printf("%6.1f s  %s%n", (System.nanoTime() - beginNanos) / 1e9, what);
    out.flush();
  }

  static void check(LocalNode.Outcome outcome, String what) throws Failed {
    if (!outcome.ok()) {
      throw new Failed(
          "cannot %s: exit status %d: %s"
              .formatted(what, outcome.status(), outcome.output().strip()));
    }
  }
}
