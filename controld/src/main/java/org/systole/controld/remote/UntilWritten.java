package org.systole.controld.remote;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.systole.common.cib.CibOp;
import org.systole.common.world.World;

/// Changes of the CIB that are asked for again each second, as the CIB manager refuses them: what the CIB has
/// instead is of another time, and the cluster would plan on it.
///
/// Lives on the owner's loop.
final class UntilWritten {
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final World world;
  private final RemoteHost host;
  private final Iterator<List<CibOp>> rest;
  private final BooleanSupplier wanted;
  private final long deadline;
  private final Consumer<Boolean> done;

  private UntilWritten(
      World world,
      RemoteHost host,
      Iterator<List<CibOp>> rest,
      BooleanSupplier wanted,
      long deadline,
      Consumer<Boolean> done) {
    this.world = world;
    this.host = host;
    this.rest = rest;
    this.wanted = wanted;
    this.deadline = deadline;
    this.done = done;
  }

  /// @param changes one after the other
  /// @param wanted whether it is still so; it is not asked for again once it is not
  /// @param deadline until when, on the monotonic clock
  /// @param done told once, whether the CIB has it
  static void write(
      World world,
      RemoteHost host,
      List<List<CibOp>> changes,
      BooleanSupplier wanted,
      long deadline,
      Consumer<Boolean> done) {
    new UntilWritten(world, host, changes.iterator(), wanted, deadline, done).next();
  }

  private void next() {
    if (rest.hasNext()) {
      write(rest.next());
    } else {
      done.accept(true);
    }
  }

  private void write(List<CibOp> changes) {
    host.writeAndTell(changes, made -> written(changes, made));
  }

  private void written(List<CibOp> changes, boolean made) {
    if (made) {
      next();
    } else if (!wanted.getAsBoolean() || world.nanoTime() + AGAIN.toNanos() > deadline) {
      done.accept(false);
    } else {
      world.after(AGAIN, () -> again(changes));
    }
  }

  private void again(List<CibOp> changes) {
    if (wanted.getAsBoolean()) {
      write(changes);
    } else {
      done.accept(false);
    }
  }
}
