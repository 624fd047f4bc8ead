package org.systole.common.real;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SecretStore;

/// The directory of secrets for a daemon: the loop never waits for the disk, one thread does what
/// is asked for in its order.
final class LoopSecrets implements SecretStore {
  /// On a disk that does not answer no more than this waits.
  private static final int WAITING_MAX = 1_000;

  private static final String STUCK = "the disk does not keep up: too much is asked of it";

  /// Something to do, and what to do in the loop then.
  private interface Work {
    Runnable carryOut();
  }

  private final SecretFiles files;
  private final EventLoop loop;
  private final LinkedBlockingQueue<Work> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private @Nullable Thread worker;

  LoopSecrets(SecretFiles files, EventLoop loop) {
    this.files = files;
    this.loop = loop;
  }

  @Override
  public void read(String holder, List<String> names, Consumer<Contents> done) {
    var copy = List.copyOf(names);
    if (!offer(
        () -> {
          var contents = files.read(holder, copy);
          return () -> done.accept(contents);
        })) {
      loop.post(() -> done.accept(Contents.none(STUCK)));
    }
  }

  @Override
  public void readAll(Consumer<All> done) {
    if (!offer(
        () -> {
          var all = files.readAll();
          return () -> done.accept(all);
        })) {
      loop.post(() -> done.accept(All.none(STUCK)));
    }
  }

  @Override
  public void change(List<Change> changes, Consumer<@Nullable String> done) {
    var copy = List.copyOf(changes);
    if (!offer(
        () -> {
          var outcome = files.change(copy);
          return () -> done.accept(outcome);
        })) {
      loop.post(() -> done.accept(STUCK));
    }
  }

  private boolean offer(Work work) {
    if (worker == null) {
      worker = Thread.ofPlatform().daemon().name("secrets").start(this::work);
    }
    return waiting.offer(work);
  }

  private void work() {
    try {
      while (true) {
        loop.post(waiting.take().carryOut());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
