package org.systole.cts.sim;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// The connection of a remote node is moved while something is under way there: each operation that was asked for has to
/// come to an end that the DC hears of, whichever member has the connection by then. At times the member that gives it away
/// loses its own in the middle of that, with what it has just asked for, is asked to leave, or loses its controller; or the
/// member that is to take it over cannot reach the host, is lost, or loses the connection as soon as it has it; or the executor is killed.
/// What is moved live to or from the host gets another definition meanwhile, at times, and its source or the DC is lost then.
final class SimMoveFault extends SimOddDeeds {
  private static final Duration REST = Duration.ofMinutes(2);

  /// In so many seconds a member must have taken a connection over, by default.
  private static final long MOVE_LIMIT = 20;

  /// What is said while a connection moves, by whichever member.
  private static final List<String> MOMENTS =
      List.of("Result of %s_migrate_to_0 on ", "Requesting %s_migrate_from_0 on ", "Connected to remote node %s ", "Result of %s_migrate_from_0 on ");

  private final RandomGenerator breaks; // of its own: it moves nothing of the rest
  private final RandomGenerator losses; // likewise
  private final RandomGenerator cuts; // likewise
  private final RandomGenerator takers; // likewise
  private final RandomGenerator executors; // likewise
  private final RandomGenerator definitions; // likewise

  SimMoveFault(SimCluster cluster, RandomGenerator random, SimChanges changes, SimBites bites) {
    super(cluster, random, changes, bites);
    this.breaks = cluster.random("moves", "", "breaks", cluster.now().toNanos());
    this.losses = cluster.random("moves", "", "losses", cluster.now().toNanos());
    this.cuts = cluster.random("moves", "", "cuts", cluster.now().toNanos());
    this.takers = cluster.random("moves", "", "takers", cluster.now().toNanos());
    this.executors = cluster.random("moves", "", "executors", cluster.now().toNanos());
    this.definitions = cluster.random("moves", "", "definitions", cluster.now().toNanos());
  }

  void happen() {
    cluster.settle(REST);
    cluster.checks().everyOneAnswers();
    var host = one(cluster.hosts());
    slow(host);
    if (random.nextInt(3) > 0) {
      cluster.delay(Duration.ofMillis(20 + random.nextInt(150)));
    }
    var moves = 1 + random.nextInt(3);
    var at = random.nextLong(2 * SECOND);
    for (var count = 0; count < moves; count++) {
      after(Math.max(0, at + random.nextLong(SECOND) - SECOND / 5), () -> work(host));
      after(at, () -> move(host));
      at += 500 * MILLI + random.nextLong(one(List.of(SECOND, 8 * SECOND)));
    }
    if (random.nextInt(4) == 0) {
      after(upTo(5), this::cleanUp);
    }
    if (takers.nextInt(2) == 0) {
      at += 2 * SECOND;
      after(at, () -> moveInVain(host));
      at += (MOVE_LIMIT + 3) * SECOND;
    }
    if (cuts.nextInt(3) > 0) {
      var resource = cuts.nextInt(4) == 0 ? "a" : "b"; // a live migration begins with a request there, at once
      after(at, () -> ask(CibOp.put("constraints", location(resource, host))));
      at += 6 * SECOND;
      after(at, () -> moveBehindACutLine(host, resource));
      at += 5 * SECOND;
    }
    cluster.run(Duration.ofNanos(at).plusSeconds(2 + random.nextInt(10)));
    host.agentsWell();
    cluster.heal();
    bites.judge();
  }

  /// Operations there take about as long as it takes to move the connection, at times.
  private void slow(SimNode host) {
    for (var action : List.of("start", "stop", "monitor", "migrate_to", "migrate_from")) {
      var takes = one(List.of(20 * MILLI, 200 * MILLI, 3 * SECOND));
      host.agentFault("*", action, List.of("takes", Duration.ofNanos(1 + random.nextLong(takes)).toString()));
    }
  }

  /// A resource is brought there, or taken away.
  private void work(SimNode host) {
    var resource = one(List.of("a", "b"));
    var away = host.activeResources().contains(resource);
    ask(CibOp.put("constraints", location(resource, away ? any() : host)));
    if (definitions.nextInt(3) == 0) {
      redefine(resource);
    }
  }

  /// Between the halves of its live migration. It runs under the former definition, then, which the CIB does not have any more.
  private void redefine(String resource) {
    var moment = "Requesting %s_migrate_to_0 on ".formatted(resource);
    var changed = SimChanges.parameter(resource, definitions.nextInt(100));
    var later = definitions.nextLong(SECOND);
    var lost = later + definitions.nextLong(SECOND);
    var how = definitions.nextInt(4);
    var asked = cluster.nodes().get(definitions.nextInt(cluster.nodes().size()));
    var what = List.of("", ", and the DC's controller is lost", ", and the DC is lost", ", and its source is lost").get(how);
    bites.await(
        "defined anew while it is moved live" + what,
        (_, text) -> {
          var now = text.contains(moment);
          if (now) {
            var source = text.substring(text.indexOf(moment) + moment.length());
            after(later, () -> changes.ask(asked, changed));
            after(lost, () -> lose(how, source));
          }
          return now;
        });
  }

  private void lose(int how, String source) {
    switch (how) {
      case 0 -> {}
      case 1 -> dc().kill("controld");
      case 2 -> losePower(dc());
      default -> cluster.machines().stream().filter(it -> it.name().equals(source)).findFirst().ifPresent(this::losePower);
    }
  }

  private void losePower(SimNode of) {
    of.powerOff();
    after(5 * SECOND, of::powerOn);
  }

  private void move(SimNode host) {
    var from = connectedTo(host);
    var to = one(cluster.nodes().stream().filter(it -> it != from).toList());
    ask(CibOp.put("constraints", location(host.name(), to)));
    var end = " on " + host.name() + ":";
    bites.await(
        "moved, the other member tells of an end",
        (member, text) -> member.equals(to.name()) && text.contains("Result of ") && text.contains(end));
    if (breaks.nextInt(3) == 0) {
      breakIn(host, from);
    }
    if (losses.nextInt(3) == 0) {
      loseRequest(host, from);
    }
    if (executors.nextInt(5) == 0) {
      killExecutor(host);
    }
  }

  /// In the middle of the move. It is started again, and half of them say so.
  private void killExecutor(SimNode host) {
    var moment = MOMENTS.get(executors.nextInt(MOMENTS.size())).formatted(host.name());
    var later = 1 + executors.nextLong(30 * MILLI);
    bites.await(
        "moving, the executor is killed",
        (_, text) -> {
          var now = text.contains(moment);
          if (now) {
            after(later, () -> host.kill("remoted"));
          }
          return now;
        });
  }

  /// What the member asks for that gives the connection away is lost in it, and never read by the host.
  private void loseRequest(SimNode host, SimNode giver) {
    var later = 1 + losses.nextLong(60 * MILLI);
    var asks = " on " + host.name();
    bites.await(
        "moving, a request of the member before is lost with its connection",
        (member, text) -> {
          var now = member.equals(giver.name()) && text.contains("Requesting ") && text.contains(asks);
          if (now) {
            after(later, () -> cluster.streams().reset(host, giver));
          }
          return now;
        });
  }

  /// What the member that gives the connection away asks for waits in a line that is cut, and is lost there once the other
  /// member has connected: the host never reads it, and neither member is told of it.
  private void moveBehindACutLine(SimNode host, String resource) {
    var giver = connectedTo(host);
    var others = cluster.nodes().stream().filter(it -> it != giver).toList();
    var to = others.get(cuts.nextInt(others.size()));
    var back = host.activeResources().contains(resource);
    cluster.cut(giver.name(), host.name());
    cluster.cut(host.name(), giver.name());
    var constraints =
        Element.of("constraints")
            .withChildren(List.of(location(resource, back ? to : host), location(host.name(), to)));
    ask(CibOp.put("configuration", Element.of("configuration").withChildren(List.of(constraints))));
    var asks = " on " + host.name();
    var moved = "Result of %s_migrate_from_0 on %s".formatted(host.name(), to.name());
    var later = cuts.nextLong(400 * MILLI);
    var asked = new boolean[1];
    bites.await(
        "moving, a request waits in a cut line and is lost with it",
        (member, text) -> {
          asked[0] |= member.equals(giver.name()) && text.contains("Requesting ") && text.contains(asks);
          var now = asked[0] && text.contains(moved);
          if (now) {
            after(later, () -> cluster.streams().reset(host, giver));
            after(later + MILLI, cluster::heal);
          }
          return now;
        });
    after(5 * SECOND, cluster::heal);
  }

  /// The member that is to take the connection over does not come to it. Who has it keeps it.
  private void moveInVain(SimNode host) {
    var giver = connectedTo(host);
    var others = cluster.nodes().stream().filter(it -> it != giver).toList();
    var to = others.get(takers.nextInt(others.size()));
    var how = takers.nextInt(4);
    var connected = how == 3 || how > 0 && takers.nextBoolean(); // the node knows, and the cluster does not yet
    var moment = (connected ? "Connected to remote node %s " : "Requesting %s_migrate_from_0 on ").formatted(host.name());
    var later = 1 + takers.nextLong(connected ? 3 * MILLI : 20 * MILLI);
    var what = List.of("cannot reach it", "loses its power", "loses its controller", "loses it at once").get(how);
    if (how == 0) {
      cluster.cut(to.name(), host.name());
      cluster.cut(host.name(), to.name());
      after((MOVE_LIMIT + 1) * SECOND, cluster::heal);
    }
    ask(CibOp.put("constraints", location(host.name(), to)));
    bites.await(
        "moving, the other member " + what,
        (member, text) -> {
          var now = member.equals(to.name()) && text.contains(moment);
          if (now && how > 0) {
            after(later, () -> failTaker(host, to, how));
          }
          return now;
        });
  }

  private void failTaker(SimNode host, SimNode taker, int how) {
    switch (how) {
      case 1 -> losePower(taker);
      case 2 -> taker.kill("controld");
      default -> cluster.streams().reset(host, taker);
    }
  }

  /// In the middle of the move.
  private void breakIn(SimNode host, SimNode giver) {
    var moment = MOMENTS.get(breaks.nextInt(MOMENTS.size())).formatted(host.name());
    var later = 1 + breaks.nextLong(30 * MILLI);
    var how = breaks.nextInt(4);
    var lasts = SECOND + breaks.nextLong(20 * SECOND);
    var what = List.of("resets", "is cut off from it", "leaves", "loses its controller").get(how);
    bites.await(
        "moving, the member before " + what,
        (_, text) -> {
          var now = text.contains(moment);
          if (now) {
            after(later, () -> breakOff(host, giver, how, lasts));
          }
          return now;
        });
  }

  private void breakOff(SimNode host, SimNode giver, int how, long lasts) {
    switch (how) {
      case 0 -> host.resetConnections();
      case 1 -> {
        cluster.cut(giver.name(), host.name());
        cluster.cut(host.name(), giver.name());
        after(lasts, cluster::heal);
      }
      case 2 -> {
        giver.shutdown();
        after(lasts, giver::startClusterSoon);
      }
      default -> giver.kill("controld");
    }
  }
}
