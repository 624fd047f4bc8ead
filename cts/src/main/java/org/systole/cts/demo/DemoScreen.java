package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.systole.cts.local.ClusterView;
import org.systole.cts.local.LocalCluster;
import org.systole.cts.local.LocalNode;

/// The status of the cluster on the terminal, drawn anew whenever something changes, by whichever
/// node is there to ask.
final class DemoScreen {
  private static final String CLEAR = "\033[H\033[2J";
  private static final Duration AT_LEAST_EVERY = Duration.ofSeconds(10);

  private final LocalCluster cluster;
  private final ClusterView view;
  private final PrintStream out;
  private final List<String> status;
  private final String hints;

  /// @param status arguments of crm_mon
  /// @param hints what can be done in another terminal
  DemoScreen(
      LocalCluster cluster,
      ClusterView view,
      PrintStream out,
      List<String> status,
      String hints) {
    this.cluster = cluster;
    this.view = view;
    this.out = out;
    this.status = status;
    this.hints = hints;
  }

  /// Shows until the process is told to end, or no node is left.
  void show() throws IOException {
    var shown = "";
    while (cluster.nodes().stream().anyMatch(LocalNode::isRunning)) {
      var now = now();
      if (!now.equals(shown)) {
        out.print(CLEAR + now);
        out.println("\n" + hints + "\nCtrl-C ends the demonstration.");
        out.flush();
        shown = now;
      }
      awaitChange();
    }
  }

  private void awaitChange() {
    var before = view.now();
    if (before != null) {
      view.await(it -> !it.cib().equals(before.cib()), AT_LEAST_EVERY);
    }
  }

  private String now() throws IOException {
    for (var node : cluster.nodes()) {
      if (!node.isRunning()) {
        continue;
      }
      var answer = node.run("crm_mon", status.toArray(String[]::new));
      if (answer.ok()) {
        return "As seen from " + node.name() + ":\n\n" + answer.output();
      }
    }
    return "No node answers.\n";
  }
}
