package org.systole.cibd.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.world.ClusterAccount;

/// Opens the CIB that a command works on.
public final class Cibs {
  private static final String OWN_SHADOWS = ".cib";

  private Cibs() {}

  /// The one the environment names with `CIB_shadow` (a copy to try things on, see [#shadow])
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
    var directory = file.getParent();
    if (directory != null && directory.endsWith(OWN_SHADOWS) && Files.notExists(directory)) {
      Files.createDirectory(
          directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    FileInPlace.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /// The file of a shadow copy.
  public static Path shadow(Layout layout, Map<String, String> environment, String name) {
    return shadows(layout, environment, System.getProperty("user.name", "")).resolve("shadow." + name);
  }

  /// Where shadow copies are: where the environment says; with the cluster's own files, for those
  /// who may write there; else in the user's own directory.
  ///
  /// @param user who runs the command
  static Path shadows(Layout layout, Map<String, String> environment, String user) {
    var dir = environment.getOrDefault("CIB_shadow_dir", "");
    if (!dir.isEmpty()) {
      return Path.of(dir);
    }
    var shared = layout.state("cib");
    if (user.equals("root") || user.equals(ClusterAccount.USER) || Files.isWritable(shared)) {
      return shared;
    }
    var home = environment.getOrDefault("HOME", "");
    return Path.of(home.startsWith("/") ? home : System.getProperty("user.home", "/"))
        .resolve(OWN_SHADOWS);
  }
}
