package org.systole.common.real;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes;

/// Starts programs, each on a thread of its own: starting one has been seen to take a minute on a
/// loaded machine, and nothing else may wait for that.
final class Programs implements Processes {
  private static final String NOT_EXECUTABLE = ": not executable";

  private final EventLoop loop;
  private final String owner;
  private final Set<RunningProgram> running = ConcurrentHashMap.newKeySet();

  /// @param owner whose programs these are, see [Leftovers]
  Programs(EventLoop loop, String owner) {
    this.loop = loop;
    this.owner = owner;
  }

  /// Kills all that runs. Callable from any thread.
  void killAll() {
    running.forEach(RunningProgram::kill);
  }

  @Override
  public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
    for (var program : programs) {
      if (program.command().isEmpty()) {
        throw new IllegalArgumentException("a program without a command");
      }
    }
    var running = new RunningProgram(owner, loop::post);
    this.running.add(running);
    Thread.ofPlatform()
        .daemon()
        .name("run-" + Path.of(programs.getLast().command().getFirst()).getFileName())
        .start(
            () -> {
              var exit = run(programs, running);
              this.running.remove(running);
              loop.post(() -> onExit.accept(exit));
              running.awaitEnd();
            });
    return running;
  }

  private static Exit run(List<Program> programs, RunningProgram running) {
    var missing = "";
    for (var program : programs) {
      var why = missing(program);
      if (why == null) {
        return running.run(program);
      }
      missing = why;
      if (why.endsWith(NOT_EXECUTABLE)) {
        break; // it is there
      }
    }
    return new Exit.NotStarted(missing);
  }

  /// Says what is wrong with the program's file before `setsid` would, with an exit status of its
  /// own.
  private static @Nullable String missing(Program program) {
    var name = program.command().getFirst();
    if (name.indexOf('/') >= 0) {
      var file = Path.of(name);
      if (!Files.exists(file)) {
        return name + ": no such file";
      }
      return Files.isExecutable(file) && !Files.isDirectory(file)
          ? null
          : name + NOT_EXECUTABLE;
    }
    var path = program.environment().getOrDefault("PATH", "/usr/bin:/bin");
    for (var directory : path.split(":")) {
      if (Files.isExecutable(Path.of(directory, name))) {
        return null;
      }
    }
    return name + ": not found in " + path;
  }
}
