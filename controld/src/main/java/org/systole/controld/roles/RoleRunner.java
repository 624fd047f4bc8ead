package org.systole.controld.roles;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.JigClient;

/// A node's part in roles: has its executor run the jigs that the DC orders, and tells whoever is DC
/// at the end of a run what came of it. It is the executor that remembers runs.
public final class RoleRunner {
  private static final int HELD_MAX = 100;

  /// The DC may have heard first that the node's maintenance is over.
  private static final long AT_ONCE_NANOS = Duration.ofSeconds(2).toNanos();

  private final World world;
  private final Consumer<PeerMessage> toDc;
  private final BooleanSupplier leftAlone;
  private final Set<String> awaited = new TreeSet<>();
  private final Set<String> unwanted = new TreeSet<>(); // those among them whose end was ordered
  private final SortedMap<String, PeerMessage.RunJig> held = new TreeMap<>(); // cannot begin so far
  private final SortedMap<String, Long> tooEarly = new TreeMap<>(); // came in maintenance, and when; by noderole
  private @Nullable JigClient jigs;

  /// @param toDc sends to the present DC, if there is one
  /// @param leftAlone whether nothing is to be begun on this node now: it is in maintenance
  public RoleRunner(World world, Consumer<PeerMessage> toDc, BooleanSupplier leftAlone) {
    this.world = world;
    this.toDc = toDc;
    this.leftAlone = leftAlone;
  }

  /// What cannot begin at once, as the executor is away or has something to end first, or the node has come into
  /// maintenance since it was ordered, is held until the DC asks about the run: a DC that asks has it under way in the
  /// document still. By itself it would begin when nobody wants it any more, as its node was held for lost, or its role
  /// bound no more.
  public void run(PeerMessage.RunJig it) {
    held.remove(it.noderole());
    if (leftAlone.getAsBoolean()) {
      tooEarly.put(it.noderole(), world.nanoTime());
    }
    begin(it);
  }

  /// The CIB may say otherwise by now whether the node is in maintenance.
  public void cibChanged() {
    if (tooEarly.isEmpty()) {
      return;
    }
    tooEarly.values().removeIf(it -> world.nanoTime() - it > AT_ONCE_NANOS);
    if (!leftAlone.getAsBoolean()) {
      var all = List.copyOf(tooEarly.keySet());
      tooEarly.clear();
      for (var noderole : all) {
        if (held.get(noderole) instanceof PeerMessage.RunJig order) {
          begin(order);
        }
      }
    }
  }

  private void begin(PeerMessage.RunJig it) {
    await(
        it.noderole(),
        it.run(),
        new ExecMessage.RunJig(
            it.noderole(),
            it.run(),
            it.jig(),
            it.role(),
            it.timeoutMillis(),
            it.given(),
            it.once(),
            it.spared()),
        () -> !leftAlone.getAsBoolean() && !unwanted.contains(key(it.noderole(), it.run())),
        why -> hold(it, why));
  }

  private void hold(PeerMessage.RunJig it, String why) {
    if (held.put(it.noderole(), it) == null) {
      world.log().warning("Run %d of %s waits: %s".formatted(it.run(), it.noderole(), why));
    }
    if (held.size() > HELD_MAX) {
      held.pollFirstEntry(); // the DC begins it anew, or asks a person
    }
  }

  /// The DC wants to know of a run that may have been ordered by another one.
  public void ask(PeerMessage.AskJig it) {
    var order = held.get(it.noderole());
    if (order != null && order.run() == it.run()) {
      begin(order);
    } else {
      await(it.noderole(), it.run(), new ExecMessage.AwaitJig(it.noderole(), it.run()), () -> true, _ -> {});
    }
  }

  /// Nobody wants a run any more, or a check after it: it is ended, if it is under way. Its end is told as
  /// that of others. An order that waits for the executor still is dropped.
  public void end(PeerMessage.EndJig it) {
    release(it.noderole(), it.run());
    if (awaited.contains(key(it.noderole(), it.run()))) {
      unwanted.add(key(it.noderole(), it.run()));
    }
    executor()
        .ask(
            new ExecMessage.CancelJig(it.noderole(), it.run()),
            reply -> {
              if (!(reply instanceof ExecMessage.Ok)) { // the DC asks again
                world.log().info("Run %d of %s is not ended: %s".formatted(it.run(), it.noderole(), reply));
              }
            });
  }

  private void release(String noderole, int run) {
    held.values().removeIf(it -> it.noderole().equals(noderole) && it.run() == run);
  }

  /// Has it looked at whether a noderole is fit still.
  public void check(PeerMessage.CheckJig it) {
    if (!awaited.add("check " + it.noderole())) {
      return; // told at its end
    }
    executor()
        .ask(
            new ExecMessage.CheckJig(
                it.noderole(), it.run(), it.jig(), it.role(), it.timeoutMillis(), it.given()),
            reply -> {
              awaited.remove("check " + it.noderole());
              if (reply instanceof ExecMessage.JigEnded found) {
                toDc.accept(
                    new PeerMessage.CheckNews(
                        it.noderole(),
                        it.run(),
                        found.result().name(),
                        found.result() == ExecMessage.JigResult.OK ? "" : found.text()));
              }
            });
  }

  /// What agents and packages this machine has.
  ///
  /// @param done told once: [ExecMessage.Inventory], or [ExecMessage.Refused]
  public void inventory(List<String> wanted, Consumer<ExecMessage.Reply> done) {
    executor().ask(new ExecMessage.InventoryQuery(wanted), done);
  }

  private JigClient executor() {
    if (jigs == null) {
      jigs = new JigClient(world);
    }
    return jigs;
  }

  /// @param wanted see [JigClient#ask(ExecMessage.Request, BooleanSupplier, Consumer)]
  /// @param notNow told why it cannot begin now
  private void await(
      String noderole, int run, ExecMessage.Request request, BooleanSupplier wanted, Consumer<String> notNow) {
    var key = key(noderole, run);
    if (!awaited.add(key)) {
      return; // told at its end
    }
    executor().ask(
        request,
        wanted,
        reply -> {
          awaited.remove(key);
          var dropped = unwanted.remove(key);
          if (!dropped && JigClient.isNotNow(reply) && reply instanceof ExecMessage.Refused(var why)) {
            notNow.accept(why);
            return;
          }
          release(noderole, run);
          if (reply instanceof ExecMessage.JigEnded it) {
            toDc.accept(
                new PeerMessage.JigNews(
                    it.noderole(), it.run(), it.result().name(), it.text(), it.given()));
          } else {
            world.log().info("Nothing is known of run %d of %s: %s".formatted(run, noderole, reply));
          }
        });
  }

  private static String key(String noderole, int run) {
    return noderole + " " + run;
  }
}
