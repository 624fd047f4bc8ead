package org.systole.cibd.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;

/// Opens the CIB that a command works on.
public final class Cibs {
  private Cibs() {}

  /// The one the environment names with `CIB_shadow` (a copy to try things on, in `CIB_shadow_dir`)
  /// or `CIB_file`, else that of the running cluster. `CIB_user` says whose rights count.
  ///
  /// @param command the command's name, written into the CIB as `update-client`
  /// @param timeout how long to wait for each answer
  /// @throws CibException if it cannot be opened
  public static CibTarget open(
      Layout layout, Map<String, String> environment, String command, Duration timeout)
      throws CibException {
    var user = environment.getOrDefault("CIB_user", "");
    var shadow = environment.getOrDefault("CIB_shadow", "");
    if (!shadow.isEmpty()) {
      if (!isShadowName(shadow)) {
        throw new CibException(Rc.EINVAL, whyNoShadowName(shadow));
      }
      return FileCib.open(shadow(layout, environment, shadow), false, user);
    }
    var file = environment.getOrDefault("CIB_file", "");
    if (!file.isEmpty()) {
      return isClusterFile(layout, Path.of(file))
          ? FileCib.open(clusterFile(layout), true, user)
          : FileCib.open(Path.of(file), false, user);
    }
    return CibConnection.open(layout, command, user, timeout);
  }

  /// The shadow copy or file the environment names, for commands that write it without a
  /// [CibTarget]; null if it is the running cluster's CIB or the cluster's own file.
  public static @Nullable Path file(Layout layout, Map<String, String> environment) {
    var shadow = environment.getOrDefault("CIB_shadow", "");
    if (!shadow.isEmpty()) {
      return shadow(layout, environment, shadow);
    }
    var file = environment.getOrDefault("CIB_file", "");
    return file.isEmpty() || isClusterFile(layout, Path.of(file)) ? null : Path.of(file);
  }

  private static Path clusterFile(Layout layout) {
    return layout.state("cib").resolve("cib.xml");
  }

  private static boolean isClusterFile(Layout layout, Path file) {
    var own = clusterFile(layout);
    try {
      return Files.exists(file) && Files.exists(own) && Files.isSameFile(file, own);
    } catch (IOException e) {
      return false;
    }
  }

  /// Whether a shadow copy may have this name. It is a part of a file's name, and must not lead out
  /// of the directory of the shadow copies.
  public static boolean isShadowName(String name) {
    return !name.isEmpty() && name.indexOf('/') < 0 && name.indexOf('\0') < 0;
  }

  public static String whyNoShadowName(String name) {
    return "'" + name + "' is no name for a shadow copy; it may not be empty or have a slash";
  }

  /// Writes a shadow copy, but not through a symbolic link of another user.
  public static void writeShadow(Path file, String text) throws IOException {
    FileInPlace.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /// The file of a shadow copy.
  public static Path shadow(Layout layout, Map<String, String> environment, String name) {
    var dir = environment.getOrDefault("CIB_shadow_dir", "");
    return (dir.isEmpty() ? layout.state("cib") : Path.of(dir)).resolve("shadow." + name);
  }
}
