package org.systole.common.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;

/// Programs that a daemon left behind when it was killed. The one that is started in its place ends
/// them before it starts any itself: two starts of one resource must never run side by side.
///
/// Every program carries in its environment whose it is. What an agent starts inherits that and
/// must live on, so a program is taken for one that is still under way only while its first process
/// has the command line it was started with.
final class Leftovers {
  private static final String OWNER = "SYSTOLE_PROGRAM";
  private static final String COMMAND = "SYSTOLE_COMMAND";
  private static final char SEPARATOR = '\u001f';
  private static final int PATIENCE_MILLIS = 5000;
  private static final int STEP_MILLIS = 20;
  private static final int FATAL = 100; // whoever starts it should not try again
  private static final int AFTER_NAME_PARENT = 1; // state, parent, group, session
  private static final int AFTER_NAME_SESSION = 3;

  private final String owner;
  private final Path processes;

  /// @param owner as in [#mark]
  Leftovers(String owner) {
    this.owner = owner;
    this.processes = Path.of("/proc");
  }

  /// Marks a program's environment.
  ///
  /// @param owner the daemon that starts it, unique on the machine
  static void mark(Map<String, String> environment, String owner, List<String> command) {
    environment.put(OWNER, owner);
    environment.put(COMMAND, String.join(String.valueOf(SEPARATOR), command));
  }

  /// Kills what was left behind, with all its descendants, and waits until it is gone.
  ///
  /// @param always also programs that have replaced themselves by another, as launchers do
  /// @return the process ids
  /// @throws CannotStart if something does not go
  List<Long> end(boolean always) {
    return end(find(always));
  }

  /// As [#end(boolean)] with all programs, for the one that watches over the others, unless those were
  /// not left behind: whoever has started them is there.
  ///
  /// @throws CannotStart if it still is after a while, or if something does not go
  List<Long> endUnlessWatched() {
    var found = find(true);
    var watcher = watcher(found);
    // whose end was asked for may take a moment to go
    for (var waited = 0; watcher != 0 && waited < PATIENCE_MILLIS; waited += STEP_MILLIS) {
      if (!pause()) {
        break;
      }
      watcher = watcher(found);
    }
    if (watcher != 0) {
      throw new CannotStart(
          "This node runs already, by process %d; stop it first with pacemakerd --shutdown"
              .formatted(watcher),
          FATAL);
    }
    return end(found);
  }

  /// The parent that these processes were told of when they were started; 0 if they have lost it.
  private long watcher(List<Long> found) {
    for (var pid : found) {
      var parent = field(pid, AFTER_NAME_PARENT);
      if (parent != null
          && strings(pid, "environ").contains(DaemonMain.SUPERVISOR + "=" + parent)) {
        return Long.parseLong(parent);
      }
    }
    return 0;
  }

  private List<Long> end(List<Long> found) {
    var all = new ArrayList<Long>();
    for (var pid : found) {
      var handle = ProcessHandle.of(pid).orElse(null);
      var descendants = handle == null ? List.<ProcessHandle>of() : handle.descendants().toList();
      var strays = Strays.of(strings(pid, "environ"));
      Native.killGroup(pid, Native.SIGKILL);
      all.add(pid);
      if (handle != null) {
        handle.destroyForcibly();
      }
      for (var descendant : descendants) {
        descendant.destroyForcibly();
        all.add(descendant.pid());
      }
      end(strays);
    }
    await(all);
    return found;
  }

  private static void end(@Nullable Strays strays) {
    try {
      if (strays != null) {
        strays.end();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private List<Long> find(boolean always) {
    try (Stream<Path> entries = Files.list(processes)) {
      return entries
          .map(it -> it.getFileName().toString())
          .filter(it -> it.chars().allMatch(Character::isDigit))
          .map(Long::parseLong)
          .filter(it -> it != ProcessHandle.current().pid() && isLeft(it, always))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new CannotStart("Cannot look for processes left behind: " + CannotStart.reason(e));
    }
  }

  private boolean isLeft(long pid, boolean always) {
    if (!isOfOurUser(pid)) {
      return false; // whatever its environment says: anybody can write that there
    }
    var environment = strings(pid, "environ");
    if (!environment.contains(OWNER + "=" + owner)) {
      return false;
    }
    var session = field(pid, AFTER_NAME_SESSION);
    var leads = session != null && session.equals(String.valueOf(pid));
    if (always) {
      return leads;
    }
    var prefix = COMMAND + "=";
    var command =
        environment.stream()
            .filter(it -> it.startsWith(prefix))
            .map(it -> List.of(it.substring(prefix.length()).split(String.valueOf(SEPARATOR))))
            .findFirst()
            .orElse(List.of());
    var line = strings(pid, "cmdline");
    var same =
        !command.isEmpty()
            && line.size() >= command.size()
            && line.subList(line.size() - command.size(), line.size()).equals(command);
    return same && (leads || line.getFirst().endsWith("setsid"));
  }

  private boolean isOfOurUser(long pid) {
    try {
      var user = Files.getOwner(processes.resolve(Long.toString(pid))).getName();
      return user.equals(System.getProperty("user.name"));
    } catch (IOException e) {
      return false; // it is gone
    }
  }

  private void await(List<Long> pids) {
    for (var waited = 0; waited < PATIENCE_MILLIS; waited += STEP_MILLIS) {
      if (pids.stream().noneMatch(this::lives)) {
        return;
      }
      if (!pause()) {
        break;
      }
    }
    throw new CannotStart(
        "Processes %s, left behind by %s, cannot be killed"
            .formatted(pids.stream().filter(this::lives).toList(), owner));
  }

  /// @return false if the thread is interrupted
  private static boolean pause() {
    try {
      Thread.sleep(STEP_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean lives(long pid) {
    var state = field(pid, 0);
    return state != null && !state.equals("Z") && !state.equals("X");
  }

  /// A field of the process's status after its name; null if it is gone.
  private @Nullable String field(long pid, int index) {
    try {
      var status = Files.readString(processes.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
      var fields = status.substring(status.lastIndexOf(')') + 2).split(" ");
      return index < fields.length ? fields[index] : null;
    } catch (IOException e) {
      return null;
    }
  }

  /// Empty for a process that is gone or another user's.
  private List<String> strings(long pid, String file) {
    try {
      var bytes = Files.readAllBytes(processes.resolve(pid + "/" + file));
      return Arrays.asList(new String(bytes, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }
}
