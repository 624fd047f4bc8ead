package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;

/// A remote node is taken out of the cluster, step by step: the constraints that name it, its resource, which is stopped
/// before or not, its entry, and its executor, asked to end at any time. In good order, or in any, while nobody can reach the
/// host, it is lost, or its connection is being moved. Then it is added again.
final class SimRemovalFault extends SimOddDeeds {
  /// Marks that a host's resource is disabled; its id begins so.
  static final String OFF = "removed-";

  private static final Duration REST = Duration.ofMinutes(2);

  /// The resource of a host whose executor has ended is to be gone before the first member has failed to connect, which takes 20 s: where
  /// it is the only one that is left the host is fenced then, rightly.
  private static final Duration SHORT = Duration.ofSeconds(5);

  /// Whoever had it fenced late, as a start that nobody wants any more has failed, on one member or on several.
  private static final int LATER = 75;

  private static final Duration FORGOTTEN = Duration.ofSeconds(25); // as long as a command waits for it

  SimRemovalFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
  }

  void happen() {
    var rests = cluster.settle(REST);
    cluster.checks().everyOneAnswers();
    var host = one(cluster.hosts());
    var connected = host.isRunning() && cluster.streams().connectedTo(host, 0).size() == 1;
    if (random.nextInt(3) > 0) {
      ask(CibOp.put("constraints", location(one(List.of("a", "b")), host)));
      rests = cluster.settle(REST) && rests;
    }
    if (rests && connected && random.nextInt(3) > 0) {
      inOrder(host);
    } else {
      inAnyOrder(host);
    }
    again(host);
  }

  // In good order

  private void inOrder(SimNode host) {
    var holds = !host.activeResources().isEmpty();
    cluster.checks().removals().begin(host);
    var ends = random.nextBoolean();
    withoutBans(host);
    var stopped = ends ? ends(host) : isDisabled(host);
    bites.count("removed in order, " + (ends ? "its executor ends" : "disabled") + (holds ? ", holds something" : ""), stopped);
    if (!stopped) {
      cluster.fail(SimCheck.REMOVED, "what %s runs does not end within %s".formatted(host.name(), REST));
      return;
    }
    var away = sendAway(host, ends);
    if (random.nextBoolean()) {
      ask(withoutConstraints(host));
      cluster.run(Duration.ofMillis(random.nextInt(4_000)));
    }
    ask(withoutResource(host));
    if (random.nextBoolean()) {
      cluster.run(Duration.ofMillis(random.nextInt(3_000)));
    }
    var asked = one(cluster.nodes());
    var answer = new AtomicReference<CtlMessage.@Nullable Reply>();
    SimForgottenFault.remove(cluster, asked == away || !asked.isRunning() ? dc() : asked, host, answer::set); // it may have left before
    cluster.run(FORGOTTEN.plusSeconds(random.nextInt(LATER)));
    if (away != null && answer.get() instanceof CtlMessage.Refused) {
      againOnceBack(host, away);
    }
    cluster.checks().removals().end(host);
    if (away != null) {
      fencing("well");
      back(away);
    }
  }

  /// A member that is lost, and cannot be fenced, may remember the connection yet: people are told to wait for that.
  private void againOnceBack(SimNode host, SimNode away) {
    bites.count("removed in order, refused as long as a member is lost", true);
    fencing("well");
    cluster.settle(REST);
    back(away);
    cluster.settle(REST);
    SimForgottenFault.remove(cluster, dc(), host);
    cluster.run(FORGOTTEN);
  }

  /// All members are to try to connect while the steps are taken: when none can any more it is fenced, rightly.
  private void withoutBans(SimNode host) {
    var bans = "//rsc_location[@rsc=%s and @score='-INFINITY']".formatted(CibXPath.literal(host.name()));
    var cib = dc().cib();
    if (cib != null && cib.find(it -> it.is("rsc_location") && host.name().equals(it.get("rsc")) && "-INFINITY".equals(it.get("score"))) != null) {
      ask(CibOp.deleteAllXPath(bans));
    }
  }

  /// Another member may not be there all the while: it has left in good order, or is lost and cannot be fenced. Nobody can ask it to
  /// forget the connection.
  ///
  /// @param ended whether the host's executor has ended, so that members may try to connect meanwhile
  private @Nullable SimNode sendAway(SimNode host, boolean ended) {
    var drawn = cluster.random("moves", host.name(), "away", cluster.now().toNanos());
    var how = drawn.nextInt(4);
    var connected = cluster.streams().connectedTo(host, 0);
    var members = cluster.nodes().stream().filter(it -> it.isPowered() && it.isRunning()).toList();
    var others = members.stream().filter(it -> !connected.contains(it.name()) && !it.isDc()).toList();
    if (how > 1 || others.isEmpty() || (members.size() - 1) * 2 <= cluster.nodes().size() || !cluster.settle(ended ? SHORT : REST)) {
      return null;
    }
    var away = others.get(drawn.nextInt(others.size()));
    if (how == 0) {
      away.shutdown();
    } else {
      fencing("fails");
      away.powerOff();
    }
    bites.count("removed in order, a member " + (how == 0 ? "is stopped" : "is lost and cannot be fenced"), true);
    cluster.run(Duration.ofMillis(drawn.nextInt(ended ? (int) SHORT.toMillis() : 15_000)));
    return away;
  }

  private void fencing(String how) {
    for (var each : cluster.nodes()) {
      each.agentFault("fence_sim", "*", List.of(how));
    }
  }

  private boolean ends(SimNode host) {
    host.shutdown();
    return cluster.runUntil(() -> !host.isRunning(), REST);
  }

  private boolean isDisabled(SimNode host) {
    ask(disabled(host));
    return cluster.runUntil(() -> host.activeResources().isEmpty() && cluster.streams().connectedTo(host, 0).isEmpty(), REST)
        && cluster.settle(REST);
  }

  // In any order

  private void inAnyOrder(SimNode host) {
    var how = random.nextInt(7);
    var lasts = 5 * SECOND + upTo(40);
    bites.count(
        "removed, " + List.of("well", "cut off", "without power", "being moved", "its executor killed", "the DC's controller killed", "its member lost").get(how),
        !host.activeResources().isEmpty());
    switch (how) {
      case 0 -> {}
      case 1 -> cutOff(host, lasts);
      case 2 -> host.powerOff();
      case 3 -> ask(CibOp.put("constraints", location(host.name(), any())));
      case 4 -> host.kill("remoted");
      case 5 -> after(upTo(5), () -> dc().kill("controld"));
      default -> {
        var member = connectedTo(host);
        after(upTo(3), member::powerOff);
        after(10 * SECOND + upTo(5), member::powerOn);
      }
    }
    var steps = new ArrayList<Runnable>();
    steps.add(() -> ask(withoutConstraints(host)));
    steps.add(() -> ask(withoutResource(host)));
    steps.add(() -> SimForgottenFault.remove(cluster, one(cluster.nodes()), host));
    if (random.nextBoolean()) {
      steps.add(host::shutdown);
    }
    if (random.nextBoolean()) {
      steps.addFirst(() -> ask(disabled(host)));
    }
    var anyOrder = random.nextBoolean();
    while (!steps.isEmpty()) {
      cluster.run(Duration.ofMillis(random.nextInt(one(List.of(300, 5_000)))));
      steps.remove(anyOrder ? random.nextInt(steps.size()) : 0).run();
    }
    cluster.run(Duration.ofSeconds(random.nextInt(40)));
    cluster.heal();
  }

  private static CibOp withoutConstraints(SimNode host) {
    var named = "//rsc_location[@node=%1$s or @rsc=%1$s]";
    return CibOp.deleteAllXPath(named.formatted(CibXPath.literal(host.name())));
  }

  private static CibOp withoutResource(SimNode host) {
    var made = "//rsc_location[@rsc=%1$s]|//primitive[@id=%1$s]";
    return CibOp.deleteAllXPath(made.formatted(CibXPath.literal(host.name())));
  }

  private static CibOp disabled(SimNode host) {
    var id = OFF + host.name();
    var role = Element.of("nvpair", "id", id + "-role", "name", "target-role", "value", "Stopped");
    var meta = Element.of("meta_attributes", "id", id).withChildren(List.of(role));
    return CibOp.put("resources", Element.of("primitive", "id", host.name()).withChildren(List.of(meta)));
  }

  // Again

  private void again(SimNode host) {
    ask(withoutConstraints(host));
    ask(withoutResource(host)); // with what it was disabled by
    cluster.run(Duration.ofMillis(1_000 + random.nextInt(one(List.of(1_000, 10_000)))));
    back(host);
    var original = Objects.requireNonNull(cluster.checks().original());
    var resource = Objects.requireNonNull(original.find(it -> it.is("primitive") && host.name().equals(it.id())));
    ask(CibOp.put("resources", resource));
    cluster.run(Duration.ofSeconds(5 + random.nextInt(20)));
  }

  private static void back(SimNode machine) {
    if (!machine.isPowered()) {
      machine.powerOn();
    } else if (!machine.isRunning()) {
      machine.startClusterSoon();
    }
  }
}
