package org.systole.tools.cli;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Says what a command waits for, once, where that takes long. Closed when it is there.
public final class WaitNote implements AutoCloseable {
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread thread;

  public WaitNote(PrintStream err, Duration after, String note) {
    thread = Thread.ofPlatform().daemon().start(() -> say(err, after, note));
  }

  private void say(PrintStream err, Duration after, String note) {
    try {
      if (!over.await(after.toNanos(), TimeUnit.NANOSECONDS)) {
        err.println(note);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the command ends
    }
  }

  @Override
  public void close() {
    over.countDown();
    try {
      thread.join(); // what it says does not get into what the command says next
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
