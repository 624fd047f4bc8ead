package org.systole.common.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;

/// The account of the daemons that need none of root's rights.
public final class ClusterAccount {
  public static final String USER = "hacluster";
  public static final String GROUP = "haclient";

  /// The environment variable by which the supervisor tells its children, and an administrator the
  /// supervisor, what those daemons run as: `hacluster`, or `root` for all of them.
  public static final String VARIABLE = "SYSTOLE_DAEMON_USER";

  private static final List<String> SETPRIV = List.of("/usr/bin/setpriv", "/bin/setpriv");
  private static final int CHECK_SECONDS = 20;

  private ClusterAccount() {}

  /// Whether the environment says that there are daemons of the account.
  static boolean isUsed(Map<String, String> environment) {
    return USER.equals(environment.get(VARIABLE));
  }

  /// What a program is started through to run as the account; empty to run it as this process is.
  public static List<String> prefix(Map<String, String> environment) {
    var setpriv = isUsed(environment) ? setpriv() : null;
    return setpriv == null ? List.of() : prefix(setpriv);
  }

  private static List<String> prefix(String setpriv) {
    return List.of(setpriv, "--reuid=" + USER, "--regid=" + GROUP, "--init-groups", "--");
  }

  private static @Nullable String setpriv() {
    return SETPRIV.stream().filter(it -> Files.isExecutable(Path.of(it))).findFirst().orElse(null);
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
    return failure(prefix(setpriv), Path.of("/"));
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
            Path.of(System.getProperty("java.home")).resolve("bin/java"))
        .map(it -> failure(prefix(setpriv), it))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static @Nullable String failure(List<String> prefix, Path path) {
    var command = new ArrayList<>(prefix);
    command.addAll(List.of("/usr/bin/test", "-x", path.toString()));
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
          : said.orElse("user %s cannot reach %s".formatted(USER, path));
    } catch (IOException e) {
      return CannotStart.reason(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
