package org.systole.tools.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/// Runs commands in this process, at a fixed time.
public final class Shell {
  /// What came of a command.
  public record Result(int code, String out, String err) {}

  private final Path directory;
  private final Map<String, String> environment = new HashMap<>();

  public Shell(Path directory) {
    this.directory = directory;
    // What is installed on this machine decides nothing.
    environment.put("PCMK_schema_directory", directory.toString());
  }

  public Shell set(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  public Result run(Command command, String... args) {
    return run("", command, args);
  }

  public Result run(String input, Command command, String... args) {
    return runOn(input, terminal -> command.run(terminal, args));
  }

  /// What is run gives its exit code.
  public Result runOn(ToIntFunction<Terminal> what) {
    return runOn("", what);
  }

  private Result runOn(String input, ToIntFunction<Terminal> what) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            environment,
            directory,
            () -> Instant.parse("2024-06-15T12:00:00Z"),
            () -> ZoneOffset.UTC);
    var code = what.applyAsInt(terminal);
    ResultOutputs.check(out.toString(StandardCharsets.UTF_8));
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
