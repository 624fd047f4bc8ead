package org.systole.common.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The groups of a user, as the system's user database has them. The kernel tells only the primary
/// group of who is at the other end of a socket.
///
/// Safe for use by several threads; an answer takes as long as the database does.
public final class UserGroups {
  private static final String ID = "/usr/bin/id";
  private static final long KEPT_NANOS = 15_000_000_000L;
  private static final int KEPT_MAX = 200;
  private static final int NAME_MAX = 256; // no user has a longer one, and a remote host may say any
  private static final int OUTPUT_MAX = 64 << 10;
  private static final int TIMEOUT_SECONDS = 5;

  private record Known(List<String> groups, long atNanos) {}

  private final Map<String, Known> known = new LinkedHashMap<>();

  /// @return nothing for a user the database does not know
  public List<String> of(String user) {
    if (user.length() > NAME_MAX) {
      return List.of();
    }
    var now = System.nanoTime();
    synchronized (known) {
      var it = known.get(user);
      if (it != null && now - it.atNanos < KEPT_NANOS) {
        return it.groups;
      }
    }
    var groups = ask(user);
    synchronized (known) {
      if (known.size() >= KEPT_MAX) {
        known.clear();
      }
      known.put(user, new Known(groups, now));
    }
    return groups;
  }

  /// How many are remembered.
  int remembered() {
    synchronized (known) {
      return known.size();
    }
  }

  private static List<String> ask(String user) {
    if (user.isEmpty() || user.startsWith("-")) {
      return List.of();
    }
    try {
      var process =
          new ProcessBuilder(ID, "-Gnz", "--", user)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return List.of();
      }
      var names = process.getInputStream().readNBytes(OUTPUT_MAX);
      return process.exitValue() != 0
          ? List.of()
          : Stream.of(new String(names, StandardCharsets.UTF_8).split("\0"))
              .filter(it -> !it.isEmpty())
              .toList();
    } catch (IOException e) {
      return List.of(); // who cannot be looked up is in no group
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
