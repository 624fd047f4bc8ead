package org.systole.tools.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs an agent for a command, and waits for it.
public final class AgentProcess {
  private static final Duration REST = Duration.ofSeconds(1); // for output still in the pipe

  /// @param timedOut it was killed after the timeout
  public record Result(int status, String output, String errors, boolean timedOut) {}

  private AgentProcess() {}

  /// @param environment the whole environment, nothing is inherited
  /// @param input what it reads on standard input
  /// @throws IOException if it cannot be started
  public static Result run(
      List<String> command, Map<String, String> environment, String input, Duration timeout)
      throws IOException {
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().putAll(environment);
    var process = builder.start();
    var output = read(process.getInputStream());
    var errors = read(process.getErrorStream());
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      // an agent need not read what it is told
    }
    try {
      var ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
      return new Result(process.waitFor(), text(output), text(errors), !ended);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static CompletableFuture<String> read(InputStream from) {
    var text = new CompletableFuture<String>();
    Thread.ofPlatform() // two: what carries virtual ones takes longer to be made than a short agent runs
        .daemon()
        .start(
            () -> {
              try (from) {
                text.complete(new String(from.readAllBytes(), StandardCharsets.UTF_8));
              } catch (IOException e) {
                text.complete("");
              }
            });
    return text;
  }

  /// A descendant may hold the pipe for as long as it likes: that is not waited for.
  private static String text(CompletableFuture<String> text) throws InterruptedException {
    try {
      return text.get(REST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return "";
    }
  }
}
