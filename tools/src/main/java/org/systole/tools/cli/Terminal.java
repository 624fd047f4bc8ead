package org.systole.tools.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.function.Supplier;
import org.systole.common.logging.LocalZone;
import org.systole.common.values.IsoTime;

/// What surrounds a command: its streams, environment, directory and clock.
///
/// @param environment variables by name
/// @param directory what relative paths are relative to
/// @param zones gives the time zone of the user; finding it out takes time that few commands need
public record Terminal(
    InputStream in,
    PrintStream out,
    PrintStream err,
    Map<String, String> environment,
    Path directory,
    Supplier<Instant> clock,
    Supplier<ZoneId> zones) {

  // No lambda: the first one costs a short command a tenth of its time.
  private enum SystemClock implements Supplier<Instant> {
    IT;

    @Override
    public Instant get() {
      return Instant.now();
    }
  }

  /// That of this process.
  public static Terminal ofProcess() {
    return new Terminal(
        System.in,
        System.out,
        System.err,
        System.getenv(),
        Path.of("").toAbsolutePath(),
        SystemClock.IT,
        new LocalZone(System.getenv()));
  }

  /// Whether a person sits before it: what is written over on a screen would only be in the way of a
  /// program or in a file.
  public boolean isInteractive() {
    var console = err == System.err ? System.console() : null;
    return console != null && console.isTerminal();
  }

  /// A path as the user wrote it.
  public Path resolve(String path) {
    return directory.resolve(path);
  }

  /// The time zone of the user.
  public ZoneId zone() {
    return zones.get();
  }

  /// The time in the zone of the user.
  public IsoTime now() {
    return IsoTime.of(clock.get(), zone());
  }

  /// The value of a variable, or `otherwise` if it is not set.
  public String variable(String name, String otherwise) {
    return environment.getOrDefault(name, otherwise);
  }
}
