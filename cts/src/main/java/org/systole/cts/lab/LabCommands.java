package org.systole.cts.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Programs that the lab runs to their end.
final class LabCommands {
  private static final int LINES = 12;
  private static final int TOO_LONG = 124; // as timeout(1) says it

  private LabCommands() {}

  /// Runs a program; one that takes too long is ended.
  ///
  /// @param input what it reads
  static Machines.Outcome run(List<String> line, String input, Duration limit) throws IOException {
    var process = new ProcessBuilder(line).redirectErrorStream(true).start();
    var output = CompletableFuture.supplyAsync(() -> read(process));
    try (var to = process.getOutputStream()) {
      to.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // most ask nothing
    }
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        end(process);
        return new Machines.Outcome(
            TOO_LONG, output.join() + "\nended after %d s".formatted(limit.toSeconds()));
      }
      return new Machines.Outcome(process.exitValue(), output.join());
    } catch (InterruptedException e) {
      end(process);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static String read(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /// The last lines of an output.
  static String end(String output) {
    var lines = output.strip().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
  }
}
