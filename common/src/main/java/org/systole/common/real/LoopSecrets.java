package org.systole.common.real;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SecretStore;

/// The directory of secrets for a daemon: the loop never waits for the disk, one thread does what
/// is asked for in its order.
final class LoopSecrets implements SecretStore {
  /// On a disk that does not answer no more than this waits.
  private static final int WAITING_MAX = 1_000;

  private static final String STUCK = "the disk does not keep up: too much is asked of it";

  private final SecretFiles files;
  private final EventLoop loop;
  private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private @Nullable Thread worker;

  LoopSecrets(SecretFiles files, EventLoop loop) {
    this.files = files;
    this.loop = loop;
  }

  @Override
  public void read(String holder, List<String> names, Consumer<Contents> done) {
    var copy = List.copyOf(names);
    ask(() -> files.read(holder, copy), Contents.none(STUCK), done);
  }

  @Override
  public void readAll(Consumer<All> done) {
    ask(files::readAll, All.none(STUCK), done);
  }

  @Override
  public void change(List<Change> changes, Consumer<@Nullable String> done) {
    var copy = List.copyOf(changes);
    ask(() -> files.change(copy), STUCK, done);
  }

  /// @param stuck the answer if too much waits already
  private <T extends @Nullable Object> void ask(Supplier<T> work, T stuck, Consumer<T> done) {
    if (worker == null) {
      worker = Thread.ofPlatform().daemon().name("secrets").start(this::work);
    }
    Runnable errand =
        () -> {
          var answer = work.get();
          loop.post(() -> done.accept(answer));
        };
    if (!waiting.offer(errand)) {
      loop.post(() -> done.accept(stuck));
    }
  }

  private void work() {
    try {
      while (true) {
        waiting.take().run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
