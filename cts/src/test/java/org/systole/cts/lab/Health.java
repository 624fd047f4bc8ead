package org.systole.cts.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibMessage;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.demo.ClusterView.Snapshot;
import org.systole.tools.demo.LocalNode;

/// Whether a cluster of the lab is as it is to be: all nodes in it and of one mind, every resource
/// where it belongs by all accounts, and nothing left to do.
final class Health {
  /// Resources of the lab's configuration that run on one node only.
  static final List<String> EXCLUSIVE = List.of("first", "second", "third");

  private static final String CLONE = "everywhere-clone";
  private static final Duration ANSWER = Duration.ofSeconds(5);

  private Health() {}

  /// Starts all nodes and gives them the lab's configuration.
  static void begin(Lab lab) throws IOException {
    for (var node : lab.nodes()) {
      node.start();
    }
    lab.await("a DC and all nodes online", it -> isComplete(lab, it));
    configure(lab);
  }

  static void configure(Lab lab) throws IOException {
    var names = lab.nodes().stream().map(LocalNode::name).toList();
    var text =
        LabHome.text("witnesses.xml")
            .replace("@DIRECTORY@", lab.dir().toString())
            .replace("@NODES@", String.join(" ", names))
            .replace("@DELAY@", lab.shape().fencingDelay());
    var loaded =
        lab.nodes()
            .getFirst()
            .runWithInput(
                text, "cibadmin", "--modify", "--allow-create", "-o", "configuration", "-p");
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
  }

  /// A DC, and all nodes members whose state is known.
  static boolean isComplete(Lab lab, Snapshot seen) {
    return seen.dc() != null
        && seen.online().size() == lab.nodes().size()
        && seen.status().nodes.stream().noneMatch(it -> it.unclean);
  }

  static boolean isWhole(Lab lab, Snapshot seen) {
    return isComplete(lab, seen)
        && !seen.isPending()
        && EXCLUSIVE.stream().allMatch(it -> seen.activeOn(it).size() == 1)
        && seen.activeOn("power").size() == 1
        && seen.activeOn(CLONE).size() == lab.nodes().size();
  }

  /// Waits until all is well. What is wrong until then is told if it stays so.
  static Snapshot await(Lab lab) throws IOException {
    var why = new String[] {"nothing was seen"};
    var seen = new Snapshot[1];
    try {
      Lab.awaitProcess(
          "all nodes of one mind",
          () -> {
            seen[0] =
                lab.await("all nodes online and all resources active", it -> isWhole(lab, it));
            why[0] = complaint(lab, seen[0]);
            return why[0].isEmpty();
          });
    } catch (LabFailure e) {
      throw new LabFailure(e.getMessage() + "; at last: " + why[0]);
    }
    return seen[0];
  }

  /// What is not as it is to be, empty if all is well.
  private static String complaint(Lab lab, Snapshot seen) {
    try {
      for (var resource : EXCLUSIVE) {
        var holders = lab.evidence().holders(resource);
        if (!holders.equals(new TreeSet<>(seen.activeOn(resource)))) {
          return "%s runs on %s by its agent's evidence, on %s by the cluster's"
              .formatted(resource, holders, seen.activeOn(resource));
        }
      }
      var busy = busy(lab.node(String.valueOf(seen.dc())));
      return busy.isEmpty() ? disagreement(lab) : busy;
    } catch (IOException | CibException e) {
      return "%s".formatted(e.getMessage());
    }
  }

  private static String busy(LocalNode dc) throws IOException {
    try (var controller = CtlConnection.open(dc.layout(), ANSWER)) {
      return controller.ask(new CtlMessage.WorkQuery()) instanceof CtlMessage.Work work
              && work.idle()
              && work.state().equals("S_IDLE")
          ? ""
          : dc.name() + ", the DC, is not idle";
    }
  }

  /// Whether all nodes have the same CIB and the same primary.
  private static String disagreement(Lab lab) throws IOException, CibException {
    var told = new ArrayList<String>();
    var minds = new TreeSet<String>();
    for (var node : lab.nodes()) {
      var status = status(node);
      minds.add(status.digest() + " " + status.primaryId());
      told.add("%s: %s".formatted(node.name(), status));
    }
    return minds.size() == 1 ? "" : "the CIBs differ: " + told;
  }

  private static CibMessage.Status status(LocalNode node) throws IOException, CibException {
    try (var cib = CibConnection.open(node.layout(), "lab", ANSWER)) {
      return cib.status();
    }
  }

  /// The nodes that hold the resource by its agent's evidence are just one of these.
  static boolean runsOnOneOf(Lab lab, String resource, List<String> nodes) {
    try {
      var holders = lab.evidence().holders(resource);
      return holders.size() == 1 && nodes.containsAll(holders);
    } catch (IOException e) {
      return false;
    }
  }
}
