package org.systole.cts.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
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

  DemoScreen(LocalCluster cluster, ClusterView view, PrintStream out) {
    this.cluster = cluster;
    this.view = view;
    this.out = out;
  }

  /// Shows until the process is told to end, or no node is left.
  void show() throws IOException {
    var shown = "";
    while (cluster.nodes().stream().anyMatch(LocalNode::isRunning)) {
      var status = status();
      if (!status.equals(shown)) {
        out.print(CLEAR + status);
        out.println(
            """

            In another terminal: ./systole on node2 crm_mon -1     ./systole kill node1
                                 ./systole start node1             ./systole stop
            Ctrl-C ends the demonstration.\
            """);
        out.flush();
        shown = status;
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

  private String status() throws IOException {
    for (var node : cluster.nodes()) {
      if (!node.isRunning()) {
        continue;
      }
      var answer = node.run("crm_mon", "-1", "-r");
      if (answer.ok()) {
        return "As seen from " + node.name() + ":\n\n" + answer.output();
      }
    }
    return "No node answers.\n";
  }
}
