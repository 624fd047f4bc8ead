package org.systole.common.logging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The time zone of the user or of the machine, looked up when it is first asked for.
///
/// Most servers keep UTC. To learn more of it than its name the JDK reads its database of zones and
/// looks into every jar for further ones, longer than most commands take, and a daemon for its first
/// line in the log. Safe for use by several threads.
public final class LocalZone implements Supplier<ZoneId> {
  private static final Path SETTING = Path.of("/etc/localtime");
  private static final String ZONES = "/zoneinfo/";

  private final Map<String, String> environment;
  private volatile @Nullable ZoneId known;

  /// @param environment where `TZ` may name the zone
  public LocalZone(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public ZoneId get() {
    var zone = known;
    if (zone == null) {
      zone = isUtc() ? ZoneOffset.UTC : ZoneId.systemDefault();
      known = zone;
    }
    return zone;
  }

  private boolean isUtc() {
    var chosen = environment.getOrDefault("TZ", "");
    if (!chosen.isEmpty()) {
      return isUtc(chosen.startsWith(":") ? chosen.substring(1) : chosen);
    }
    try {
      var target = Files.readSymbolicLink(SETTING).toString();
      var at = target.lastIndexOf(ZONES);
      return at >= 0 && isUtc(target.substring(at + ZONES.length()));
    } catch (IOException | UnsupportedOperationException e) {
      return false; // the JDK knows other ways to find out
    }
  }

  private static boolean isUtc(String name) {
    return switch (name) {
      case "UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal" ->
          true;
      default -> false;
    };
  }
}
