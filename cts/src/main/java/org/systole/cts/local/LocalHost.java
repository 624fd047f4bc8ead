package org.systole.cts.local;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A machine on this machine that is no member, for host HA: it has power, which is on also where
/// nothing else runs any more, the executor of a remote node, and a heart that beats on a volume that
/// all hosts share.
///
/// @param directory that of the cluster, with the volume and what else is said of the host's power
public record LocalHost(LocalNode node, Path directory) {
  private static final String VOLUME = "volume";

  /// What all hosts of a cluster share.
  public static Path volume(Path directory) {
    return directory.resolve(VOLUME);
  }

  public String name() {
    return node.name();
  }

  /// Writes its start script, which the fence device calls as well. The key has to be put there, too.
  public void prepare() throws IOException {
    Files.createDirectories(volume(directory).resolve(name()));
    node.prepareRemote();
    var start = node.dir().resolve("start.sh");
    Files.move(
        start, node.dir().resolve("executor.sh"), StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(
        start,
        script()
            .replace("@DIRECTORY@", directory.toString())
            .replace("@ADDRESS@", node.address())
            .replace("@HOST@", name()));
    Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static String script() throws IOException {
    try (var in = LocalHost.class.getResourceAsStream("host-start")) {
      if (in == null) {
        throw new FileNotFoundException("host-start is missing from the program");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /// Lets a member's daemons read the key of a remote node, which are not root's where there is a user
  /// for them.
  public static void letDaemonsRead(Path key) throws IOException {
    try {
      var group =
          FileSystems.getDefault()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName("haclient");
      Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
      Files.getFileAttributeView(key, PosixFileAttributeView.class).setGroup(group);
    } catch (UserPrincipalNotFoundException | FileSystemException e) {
      return; // then they are those of the user who starts them
    }
  }

  /// Nothing of it does anything any more, but its power is on.
  public void crash() throws IOException {
    stop(Set.of(pid("power")));
  }

  /// It cannot be reached any more, but goes on writing.
  public void cutOff() throws IOException {
    stop(Set.of(pid("power"), pid("heart")));
  }

  /// Whatever stands still goes on.
  public void goOn() throws IOException {
    Signals.send("CONT", pids());
  }

  /// Whether, switched on, it comes no further than to have power.
  public void breakDown(boolean broken) throws IOException {
    var file = file("broken");
    if (broken) {
      Files.writeString(file, "");
    } else {
      Files.deleteIfExists(file);
    }
  }

  private Path file(String kind) {
    return directory.resolve(name() + "." + kind);
  }

  private long pid(String kind) throws IOException {
    return Long.parseLong(Files.readString(file(kind)).strip());
  }

  private List<Long> pids() {
    return node.processes().stream().map(ProcessHandle::pid).toList();
  }

  /// All stand still but these. The children of the heart beat with it.
  private void stop(Set<Long> others) throws IOException {
    var left = new ArrayList<Long>();
    do {
      left.clear();
      for (var pid : pids()) {
        if (!others.contains(pid) && !others.contains(parent(pid)) && isRunning(pid)) {
          left.add(pid);
        }
      }
      Signals.send("STOP", left);
    } while (!left.isEmpty());
  }

  private static long parent(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(ProcessHandle::parent)
        .map(ProcessHandle::pid)
        .orElse(0L);
  }

  private static boolean isRunning(long pid) {
    try {
      var text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return "TZX".indexOf(text.charAt(text.lastIndexOf(')') + 2)) < 0;
    } catch (IOException e) {
      return false; // it ended meanwhile
    }
  }
}
