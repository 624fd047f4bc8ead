package org.systole.common.real;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.Processes.Running;

/// One program, from start to end, in a session and process group of its own.
final class RunningProgram implements Running {
  private static final int PIPE = 32 << 10; // what surely fits a pipe without a reader
  private static final Duration REST = Duration.ofMillis(200); // for output still in the pipe
  private static final int SIGNALS = 31;

  /// How long a program that was killed may take to be gone. What takes longer hangs in the kernel,
  /// and whoever waits for it has to be told.
  private static final Duration DYING = Duration.ofSeconds(5);

  private final String owner;
  private final Consumer<Runnable> inLoop;
  private @Nullable Strays strays;
  private volatile @Nullable Process process;
  private final StringBuilder unsaid = new StringBuilder(); // until there is a process
  private volatile boolean terminate;
  private volatile boolean kill;
  private final CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();

  /// @param owner whose program it is, see [Leftovers]
  /// @param inLoop has something done in the daemon's loop
  RunningProgram(String owner, Consumer<Runnable> inLoop) {
    this.owner = owner;
    this.inLoop = inLoop;
  }

  @Override
  public long pid() {
    var it = process;
    return it == null ? 0 : it.pid();
  }

  /// Not on the caller's thread: a program that stands still does not read its input.
  @Override
  public void tell(String line) {
    Process it;
    synchronized (unsaid) {
      it = process;
      if (it == null) {
        unsaid.append(line).append('\n');
        return;
      }
    }
    var bytes = (line + '\n').getBytes(StandardCharsets.UTF_8);
    Thread.ofVirtual().name("tell").start(() -> write(it, bytes, false));
  }

  @Override
  public boolean isAlive() {
    return process != null && !gone.isDone();
  }

  @Override
  public void whenGone(Runnable what) {
    gone.thenRun(() -> inLoop.accept(what));
  }

  /// Waits until nothing is left of a program that could not be killed at once. What others have left
  /// running is there on purpose. Called once, after [#run] and after its exit was told.
  void awaitEnd() {
    var it = process;
    try {
      if (it != null && !gone.isDone()) {
        it.waitFor();
        if (strays != null) {
          strays.awaitEnd();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    gone.complete(null);
  }

  @Override
  public void terminate() {
    terminate = true;
    var it = process;
    if (it != null) {
      it.destroy();
    }
  }

  @Override
  public void kill() {
    kill = true;
    var it = process;
    if (it != null) {
      killAll(it);
    }
  }

  /// Runs a program and waits for its end. Called once.
  Exit run(Program program) {
    var begin = System.nanoTime();
    try {
      var child = builder(program).start();
      synchronized (unsaid) {
        process = child;
      }
      if (kill) {
        killAll(child);
      } else if (terminate) {
        child.destroy();
      }
      return await(program, child, begin);
    } catch (IOException e) {
      return new Exit.NotStarted(program.command().getFirst() + ": " + CannotStart.reason(e));
    } catch (IllegalArgumentException e) { // such as a variable whose name has a = in it
      return new Exit.NotStarted(program.command().getFirst() + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Exit.NotStarted(program.command().getFirst() + ": interrupted");
    }
  }

  private ProcessBuilder builder(Program program) {
    var command = new ArrayList<>(List.of("/usr/bin/setsid"));
    command.addAll(program.command());
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(program.environment());
    Leftovers.mark(builder.environment(), owner, program.command());
    strays = Strays.mark(builder.environment());
    if (program.outputMax() == 0) {
      builder.redirectErrorStream(true);
      builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
    }
    return builder;
  }

  private Exit await(Program program, Process child, long begin) throws InterruptedException {
    var output = new Capture(child.getInputStream(), program.outputMax());
    var errors = new Capture(child.getErrorStream(), program.outputMax());
    output.start();
    errors.start();
    feed(program, child);
    var timeout = program.timeout();
    var ended = timeout == null || child.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
    if (!ended) {
      killAll(child);
    }
    // The exit is waited for first: a grandchild may hold the pipes open for as long as it likes.
    var status = timeout != null && !ended ? dying(child) : child.waitFor();
    var killed = !ended || kill;
    var straysEnded = !killed || strays == null || strays.end();
    if (straysEnded && !child.isAlive()) {
      gone.complete(null); // whoever is told the exit is not to find it there
    }
    output.finish(REST);
    errors.finish(REST);
    if (!ended && timeout != null) {
      return new Exit.TimedOut(output.text(), errors.text(), timeout);
    }
    var signal = status > 128 && status <= 128 + SIGNALS ? status - 128 : 0;
    var took = Duration.ofNanos(System.nanoTime() - begin);
    return new Exit.Exited(status, signal, output.text(), errors.text(), took);
  }

  private static int dying(Process child) throws InterruptedException {
    return child.waitFor(DYING.toNanos(), TimeUnit.NANOSECONDS) ? child.exitValue() : 0;
  }

  private void feed(Program program, Process child) {
    var input = (program.input() + unsaid).getBytes(StandardCharsets.UTF_8);
    Runnable write = () -> write(child, input, !program.isDaemon());
    if (input.length <= PIPE) {
      write.run();
    } else {
      Thread.ofPlatform().daemon().name("feed").start(write);
    }
  }

  private static void write(Process child, byte[] input, boolean isAll) {
    try {
      var in = child.getOutputStream();
      in.write(input);
      in.flush();
      if (isAll) {
        in.close();
      }
    } catch (IOException e) {
      return; // a program need not read its input
    }
  }

  /// The group first, then descendants that have left it.
  private static void killAll(Process child) {
    var descendants = child.descendants().toList();
    if (child.isAlive()) {
      Native.killGroup(child.pid(), Native.SIGKILL);
      child.destroyForcibly();
    }
    descendants.forEach(ProcessHandle::destroyForcibly);
  }

  /// Reads a stream to its end and keeps the beginning.
  private static final class Capture {
    private final InputStream from;
    private final int max;
    private byte[] kept = new byte[0]; // most programs say little or nothing
    private int length;
    private @Nullable Thread reader;

    Capture(InputStream from, int max) {
      this.from = from;
      this.max = max;
    }

    void start() {
      if (max > 0) {
        reader = Thread.ofPlatform().daemon().name("capture").start(this::read);
      }
    }

    private void read() {
      var buffer = new byte[8192];
      try {
        for (var n = from.read(buffer); n >= 0; n = from.read(buffer)) {
          keep(buffer, n);
        }
      } catch (IOException e) {
        keep(buffer, 0); // the stream was closed; what was read is all there is
      }
    }

    private synchronized void keep(byte[] buffer, int n) {
      var room = Math.min(n, max - length);
      if (length + room > kept.length) {
        kept = Arrays.copyOf(kept, Math.min(max, Math.max(2 * kept.length, length + room)));
      }
      System.arraycopy(buffer, 0, kept, length, room);
      length += room;
    }

    void finish(Duration wait) throws InterruptedException {
      if (reader != null) {
        reader.join(wait);
      }
    }

    synchronized String text() {
      return new String(kept, 0, length, StandardCharsets.UTF_8);
    }
  }
}
