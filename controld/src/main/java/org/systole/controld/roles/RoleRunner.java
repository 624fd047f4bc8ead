package org.systole.controld.roles;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.JigClient;

/// A node's part in roles: has its executor run the jigs that the DC orders, and tells whoever is DC
/// at the end of a run what came of it. It is the executor that remembers runs.
public final class RoleRunner {
  private final World world;
  private final Consumer<PeerMessage> toDc;
  private final Set<String> awaited = new TreeSet<>();
  private @Nullable JigClient jigs;

  /// @param toDc sends to the present DC, if there is one
  public RoleRunner(World world, Consumer<PeerMessage> toDc) {
    this.world = world;
    this.toDc = toDc;
  }

  public void run(PeerMessage.RunJig it) {
    await(
        it.noderole(),
        it.run(),
        new ExecMessage.RunJig(
            it.noderole(), it.run(), it.jig(), it.role(), it.timeoutMillis(), it.given(), it.once()));
  }

  /// The DC wants to know of a run that may have been ordered by another one.
  public void ask(PeerMessage.AskJig it) {
    await(it.noderole(), it.run(), new ExecMessage.AwaitJig(it.noderole(), it.run()));
  }

  /// Nobody wants a run any more, or a check after it: it is ended, if it is under way. Its end is told as
  /// that of others.
  public void end(PeerMessage.EndJig it) {
    executor()
        .ask(
            new ExecMessage.CancelJig(it.noderole(), it.run()),
            reply -> {
              if (!(reply instanceof ExecMessage.Ok)) { // the DC asks again
                world.log().info("Run %d of %s is not ended: %s".formatted(it.run(), it.noderole(), reply));
              }
            });
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

  private void await(String noderole, int run, ExecMessage.Request request) {
    var key = noderole + " " + run;
    if (!awaited.add(key)) {
      return; // told at its end
    }
    executor().ask(
        request,
        reply -> {
          awaited.remove(key);
          if (reply instanceof ExecMessage.JigEnded it) {
            toDc.accept(
                new PeerMessage.JigNews(
                    it.noderole(), it.run(), it.result().name(), it.text(), it.given()));
          } else {
            world.log().info("Nothing is known of run %d of %s: %s".formatted(run, noderole, reply));
          }
        });
  }
}
