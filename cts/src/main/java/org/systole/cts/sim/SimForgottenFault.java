package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.values.NodeName;
import org.systole.controld.client.CtlMessage;

/// People take away what the CIB knows of a node: its state, its history, its entry, as crmsh does before it asks that the node be forgotten, or as who wants a status without what is old.
final class SimForgottenFault extends SimOddDeeds {
  SimForgottenFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  /// A machine is stopped, lost, parted, or works on, and it is forgotten before, just then, or later.
  void happen() {
    var machine = random.nextInt(4) == 0 ? dc() : one(cluster.machines());
    var how = random.nextInt(7);
    switch (how) {
      case 0 -> machine.shutdown();
      case 1 -> machine.powerOff();
      case 2 -> cutOff(machine, 5 * SECOND + upTo(25));
      case 3 -> stands(machine);
      case 4 -> {
        machine.powerOff();
        machine.powerOnAfter(SECOND + upTo(5));
      }
      case 5 -> {
        machine.powerOff();
        dc().kill("controld");
      }
      default -> {}
    }
    var times = 1 + random.nextInt(2);
    for (var at = 0; at < times; at++) {
      after(upTo(how == 6 ? 1 : 9), () -> forget(machine));
    }
    if (random.nextInt(4) == 0) {
      after(upTo(9), () -> dc().kill("controld"));
    }
    cluster.run(Duration.ofSeconds(12 + random.nextInt(10)));
    if (random.nextInt(3) > 0) {
      forget(machine);
      cluster.run(Duration.ofMillis(random.nextInt(3_000)));
    }
    machine.powerOn();
    machine.startClusterSoon();
    cluster.run(Duration.ofSeconds(5 + random.nextInt(15)));
  }

  private void stands(SimNode machine) {
    var daemon = machine.id() == SimNode.NO_MEMBER ? "remoted" : one(List.of("controld", "pacemakerd", "execd", "cibd"));
    machine.hang(daemon, 5 * SECOND + upTo(20));
  }

  private void forget(SimNode machine) {
    var state = "//node_state[@uname=%s]".formatted(CibXPath.literal(machine.name()));
    var holds = !machine.activeResources().isEmpty();
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> take("its state", holds, machine, state);
      case 3, 4 -> take("its history", holds, machine, state + "/lrm");
      case 5 -> {
        take("its entry", holds, machine, "//node[@uname=%s]".formatted(CibXPath.literal(machine.name())));
        take("its state", holds, machine, state);
      }
      case 6 -> take("all states", holds, machine, "//node_state");
      default -> {
        bites.count("forgotten, by crm_node", cluster.nodes().stream().anyMatch(SimNode::isDc));
        remove(cluster, one(cluster.nodes()), machine);
      }
    }
  }

  private void take(String what, boolean holds, SimNode machine, String xpath) {
    var cib = dc().cib();
    var there = cib != null && cib.find(it -> it.is("node_state") && machine.name().equals(it.get("uname"))) != null;
    bites.count("forgotten, " + what + (holds ? ", while it holds something" : ""), there);
    ask(CibOp.deleteAllXPath(xpath));
  }

  /// As `crm_node --remove` there.
  static void remove(SimCluster cluster, SimNode asker, SimNode node) {
    remove(cluster, asker, node, _ -> {});
  }

  /// @param done told the answer
  static void remove(SimCluster cluster, SimNode asker, SimNode node, Consumer<CtlMessage.Reply> done) {
    cluster
        .story()
        .deed(
            "forget %s %s".formatted(asker.name(), node.name()),
            () -> {
              cluster.note("asked of " + asker.name() + ": forget " + node.name());
              cluster.ask(
                  asker.name(),
                  CtlMessage.SOCKET,
                  CtlMessage.PROTOCOL,
                  new CtlMessage.RemoveNode(new NodeName(node.name())),
                  answer -> {
                    cluster.note("answer: " + answer);
                    done.accept(answer);
                  });
            });
  }
}
