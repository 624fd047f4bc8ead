package org.systole.common.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Processes that a program has started and that are neither of its process group nor its
/// descendants any more. When the program is killed because it took too long, they are killed, too:
/// a start that goes on in the background must not run beside the stop that follows.
///
/// They are known by a mark in their environment that each run of a program has for itself. What an
/// earlier run left behind on purpose has another one. A process that has cleared its environment
/// is not found.
final class Strays {
  private static final String RUN = "SYSTOLE_RUN";
  private static final String THIS_PROCESS = UUID.randomUUID().toString();
  private static final AtomicLong LAST = new AtomicLong();
  private static final int ROUNDS = 100;
  private static final long ROUND_MILLIS = 20;

  private final String entry;

  private Strays(String entry) {
    this.entry = entry;
  }

  /// Marks a program's environment for one run of it.
  static Strays mark(Map<String, String> environment) {
    var run = THIS_PROCESS + "-" + LAST.incrementAndGet();
    environment.put(RUN, run);
    return new Strays(RUN + "=" + run);
  }

  /// Those of a program with this environment; null if it is not marked.
  static @Nullable Strays of(List<String> environment) {
    return environment.stream()
        .filter(it -> it.startsWith(RUN + "="))
        .map(Strays::new)
        .findFirst()
        .orElse(null);
  }

  /// Kills them until none is left, for as long as two seconds.
  ///
  /// @return whether none is left
  boolean end() throws InterruptedException {
    for (var round = 0; round < ROUNDS; round++) {
      var found = find();
      if (found.isEmpty()) {
        return true;
      }
      found.forEach(ProcessHandle::destroyForcibly);
      TimeUnit.MILLISECONDS.sleep(ROUND_MILLIS);
    }
    return false;
  }

  /// Waits until none is left, however long that takes.
  void awaitEnd() {
    for (var found = find(); !found.isEmpty(); found = find()) {
      found.getFirst().onExit().join();
    }
  }

  private List<ProcessHandle> find() {
    try (var processes = Files.list(Path.of("/proc"))) {
      return processes
          .map(it -> it.getFileName().toString())
          .filter(it -> it.chars().allMatch(Character::isDigit))
          .filter(this::isMarked)
          .flatMap(it -> ProcessHandle.of(Long.parseLong(it)).stream())
          .toList();
    } catch (IOException e) {
      return List.of(); // without /proc it cannot be told
    }
  }

  /// A process that has ended has no environment any more, waited for or not.
  private boolean isMarked(String pid) {
    try {
      var bytes = Files.readAllBytes(Path.of("/proc", pid, "environ"));
      var entries = new String(bytes, StandardCharsets.ISO_8859_1).split("\0");
      return Stream.of(entries).anyMatch(entry::equals);
    } catch (IOException e) {
      return false; // gone meanwhile, or another user's
    }
  }
}
