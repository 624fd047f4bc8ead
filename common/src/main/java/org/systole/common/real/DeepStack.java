package org.systole.common.real;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Calls a computation that may recurse as deep as its input is large, such as along a chain of ten
/// thousand constraints, whatever the stack of the caller is.
public final class DeepStack {
  /// Address space only: memory is taken as far as the recursion gets.
  private static final long BYTES = 1L << 30;

  private DeepStack() {}

  /// Returns what the computation returns, and throws what it throws. The caller waits, so nothing
  /// runs beside it.
  public static <T> T call(Supplier<T> computation) {
    var call = new Call<T>(computation);
    if (Thread.currentThread().getName().equals(Call.NAME)) {
      return computation.get();
    }
    var thread = new Thread(null, call, Call.NAME, BYTES);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      return computation.get(); // no address space left: shallow is better than nothing
    }
    await(thread);
    return call.result();
  }

  private static void await(Thread thread) {
    var interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Call<T> implements Runnable {
    static final String NAME = "deep";
    private final Supplier<T> computation;
    private @Nullable T value;
    private @Nullable RuntimeException refused;
    private @Nullable Error broken;

    Call(Supplier<T> computation) {
      this.computation = computation;
    }

    @Override
    public void run() {
      try {
        value = computation.get();
      } catch (RuntimeException e) {
        refused = e;
      } catch (Error e) {
        broken = e;
      }
    }

    T result() {
      if (refused != null) {
        throw refused;
      }
      if (broken != null) {
        throw broken;
      }
      var result = value;
      if (result == null) {
        throw new IllegalStateException("the computation returned nothing");
      }
      return result;
    }
  }
}
