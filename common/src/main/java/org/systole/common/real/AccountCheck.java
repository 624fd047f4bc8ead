package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
    return failure(setpriv, Path.of("/"));
  }

  /// What the account cannot reach of what its daemons need; null if it can.
  ///
  /// @param home where the programs are installed
  public static @Nullable String obstacle(Layout layout, Path home) {
    var setpriv = setpriv();
    if (setpriv == null) {
      return "there is no setpriv (package util-linux)";
    }
    return Stream.of(
            layout.run(),
            layout.state(),
            layout.log(),
            home.resolve("libexec/systole/launch"),
            home.resolve("lib"),
            Path.of(System.getProperty("java.home")).resolve("bin/java"))
        .map(it -> failure(setpriv, it))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable String failure(String setpriv, Path path) {
    var command = ClusterAccount.as(setpriv, List.of("/usr/bin/test", "-x", path.toString()));
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
          : said.orElse("user %s cannot reach %s".formatted(ClusterAccount.USER, path));
    } catch (IOException e) {
      return CannotStart.reason(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
