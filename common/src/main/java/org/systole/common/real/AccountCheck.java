package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.CannotStart;
import org.systole.common.world.ClusterAccount;

/// Whether daemons can run as the cluster's account on this machine, see [ClusterAccount].
public final class AccountCheck {
  private static final int CHECK_SECONDS = 20;

  private AccountCheck() {}

  private static @Nullable String setpriv() {
    return ClusterAccount.SETPRIV.stream()
        .filter(it -> Files.isExecutable(Path.of(it)))
        .findFirst()
        .orElse(null);
  }

  /// Why there can be no daemons of the account; null if nothing is missing.
  public static @Nullable String missing() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return "the supervisor does not run as root";
    }
    var setpriv = setpriv();
    if (setpriv == null) {
      return "there is no setpriv (package util-linux)";
    }
    return failure(setpriv, List.of(Path.of("/")));
  }

  /// What the account cannot reach of what its daemons need; null if it can.
  ///
  /// @param home where the programs are installed
  public static @Nullable String obstacle(Layout layout, Path home) {
    var setpriv = setpriv();
    if (setpriv == null) {
      return "there is no setpriv (package util-linux)";
    }
    var all =
        List.of(
            layout.run(),
            layout.state(),
            layout.log(),
            home.resolve("libexec/systole/launch"),
            home.resolve("lib"),
            Path.of(System.getProperty("java.home")).resolve("bin/java"));
    // One program, for the daemons wait for it; which of them it is is looked for where it matters.
    return failure(setpriv, all) == null ? null : first(setpriv, all);
  }

  private static @Nullable String first(String setpriv, List<Path> all) {
    return all.stream()
        .map(it -> failure(setpriv, List.of(it)))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable String failure(String setpriv, List<Path> paths) {
    var test = new ArrayList<String>();
    for (var path : paths) {
      test.addAll(List.of(test.isEmpty() ? "/usr/bin/test" : "-a", "-x", path.toString()));
    }
    var command = ClusterAccount.as(setpriv, test);
    try {
      var process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      if (!process.waitFor(CHECK_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "setpriv does not answer";
      }
      var said = new String(process.getInputStream().readNBytes(1000)).lines().findFirst();
      return process.exitValue() == 0
          ? null
          : said.orElse("user %s cannot reach %s".formatted(ClusterAccount.USER, paths.getFirst()));
    } catch (IOException e) {
      return CannotStart.reason(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
