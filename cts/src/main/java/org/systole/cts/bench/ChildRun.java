package org.systole.cts.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// What a program used from its start to its end, as the kernel accounts for it.
///
/// @param cpuSeconds user and system time of all its threads
/// @param peakMegabytes the most memory it had resident
/// @param finished false if it was ended because the time was up
/// @param status the exit status, 128 and the signal if it was ended by one
record ChildRun(double cpuSeconds, double peakMegabytes, boolean finished, int status) {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SPAWN =
      handle(
          "posix_spawn",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS,
              ValueLayout.ADDRESS));
  private static final MethodHandle WAIT =
      handle(
          "wait4",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS));
  private static final MethodHandle KILL =
      handle(
          "kill",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final int SIGKILL = 9;
  private static final long RUSAGE_BYTES = 144;
  private static final long PEAK_OFFSET = 32;
  private static final long SLACK_KB = 4096;

  @SuppressWarnings("restricted")
  private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
  }

  /// Runs a program without input, its output thrown away, until it ends or the time is up.
  ///
  /// @param shellLine what to run: one simple command in the shell's quoting
  static ChildRun of(String shellLine, Duration limit) {
    try (var arena = Arena.ofConfined()) {
      var pid = spawn(arena, "exec " + shellLine + " </dev/null >/dev/null 2>&1");
      var ended = new CountDownLatch(1);
      var guard = new Guard(pid, ended, limit);
      var guarding = Thread.ofVirtual().start(guard);
      var status = arena.allocate(ValueLayout.JAVA_INT);
      var usage = arena.allocate(RUSAGE_BYTES, Long.BYTES);
      var waited = (int) WAIT.invokeExact(pid, status, 0, usage);
      ended.countDown();
      guarding.join();
      if (waited != pid) {
        throw new IllegalStateException("cannot wait for process " + pid);
      }
      return of(usage, status.get(ValueLayout.JAVA_INT, 0), guard);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("cannot run " + shellLine, e);
    }
  }

  private static int spawn(Arena arena, String line) throws Throwable {
    var arguments = strings(arena, List.of("sh", "-c", line));
    var environment = new ArrayList<String>();
    System.getenv().forEach((name, value) -> environment.add(name + "=" + value));
    var pid = arena.allocate(ValueLayout.JAVA_INT);
    var failed =
        (int)
            SPAWN.invokeExact(
                pid,
                arena.allocateFrom("/bin/sh"),
                MemorySegment.NULL,
                MemorySegment.NULL,
                arguments,
                strings(arena, environment));
    if (failed != 0) {
      throw new IllegalStateException("cannot start /bin/sh: error " + failed);
    }
    return pid.get(ValueLayout.JAVA_INT, 0);
  }

  private static MemorySegment strings(Arena arena, List<String> texts) {
    var array = arena.allocate(ValueLayout.ADDRESS, texts.size() + 1L);
    for (var at = 0; at < texts.size(); at++) {
      array.setAtIndex(ValueLayout.ADDRESS, at, arena.allocateFrom(texts.get(at)));
    }
    return array;
  }

  private static ChildRun of(MemorySegment usage, int status, Guard guard) throws IOException {
    var cpu = seconds(usage, 0) + seconds(usage, 16);
    // The kernel starts from what this program itself had, in whose memory the child began.
    var peak = usage.get(ValueLayout.JAVA_LONG, PEAK_OFFSET);
    if (peak <= peakOf("self") + SLACK_KB) {
      peak = guard.peak;
    }
    var signal = status & 0x7f;
    return new ChildRun(
        cpu, peak / 1024.0, !guard.late, signal != 0 ? 128 + signal : status >> 8 & 0xff);
  }

  private static long peakOf(String process) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", process, "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    return 0;
  }

  /// Looks at the memory of a process while it runs, and ends it when its time is up.
  private static final class Guard implements Runnable {
    private static final int LOOK_MS = 20;
    private final int pid;
    private final CountDownLatch ended;
    private final long deadline;
    private volatile boolean late;
    private volatile long peak;

    Guard(int pid, CountDownLatch ended, Duration limit) {
      this.pid = pid;
      this.ended = ended;
      this.deadline = System.nanoTime() + limit.toNanos();
    }

    @Override
    public void run() {
      try {
        while (!ended.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
          look();
          if (System.nanoTime() > deadline && !late) {
            late = true;
            var _ = (int) KILL.invokeExact(pid, SIGKILL);
          }
        }
      } catch (Throwable e) {
        throw new IllegalStateException("cannot look after process " + pid, e);
      }
    }

    private void look() {
      try {
        peak = Math.max(peak, peakOf(Integer.toString(pid)));
      } catch (IOException e) {
        ended.countDown(); // it has just gone
      }
    }
  }

  private static double seconds(MemorySegment usage, long offset) {
    return usage.get(ValueLayout.JAVA_LONG, offset)
        + usage.get(ValueLayout.JAVA_LONG, offset + Long.BYTES) / 1e6;
  }
}
