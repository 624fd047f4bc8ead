package org.systole.cts.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.systole.cts.local.ClusterView.Snapshot;
import org.systole.cts.local.LocalNode;

/// Whether a cluster of the lab is as it is to be: all nodes in it and of one mind, every resource
/// where it belongs by all accounts, and nothing left to do.
final class Health {
  /// Resources of the lab's configuration that run on one node only.
  static final List<String> EXCLUSIVE = List.of("first", "second", "third");

  /// A resource that runs on every node, and its clone.
  static final String CLONED = "everywhere";

  static final String CLONE = "everywhere-clone";

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
    var loaded = lab.nodes().getFirst().configure(text);
    LabFailure.unless(loaded.ok(), "cibadmin: " + loaded.output().strip());
  }

  /// A DC, and all nodes members whose state is known.
  static boolean isComplete(Lab lab, Snapshot seen) {
    return seen.dc() != null
        && seen.online().size() == lab.nodes().size()
        && seen.status().nodes().stream().noneMatch(it -> it.unclean());
  }

  static boolean isWhole(Lab lab, Snapshot seen) {
    return lacking(lab, seen).isEmpty();
  }

  private static String lacking(Lab lab, Snapshot seen) {
    if (!isComplete(lab, seen)) {
      return "the DC is %s, online are %s".formatted(seen.dc(), seen.online());
    }
    if (seen.isPending()) {
      return "an operation is under way";
    }
    var single = new ArrayList<>(EXCLUSIVE);
    single.add("power");
    for (var resource : single) {
      if (seen.activeOn(resource).size() != 1) {
        return "%s is active on %s".formatted(resource, seen.activeOn(resource));
      }
    }
    var clone = seen.activeOn(CLONE);
    return clone.size() == lab.nodes().size() ? "" : "%s is active on %s".formatted(CLONE, clone);
  }

  /// Waits until all is well by every account. What is wrong until then is told if it stays so.
  static Snapshot await(Lab lab) throws IOException {
    var why = new String[] {"nothing was seen"};
    var seen = new Snapshot[1];
    try {
      Lab.awaitProcess(
          "all nodes of one mind",
          () -> {
            seen[0] =
                lab.await(
                    "all nodes online and all resources active",
                    it -> {
                      why[0] = lacking(lab, it);
                      return why[0].isEmpty();
                    });
            why[0] = new Inspection(lab, seen[0]).complaint();
            return why[0].isEmpty();
          });
    } catch (LabFailure e) {
      throw new LabFailure(e.getMessage() + "; at last: " + why[0]);
    }
    return seen[0];
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
