package org.systole.cts.sim;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.world.Processes;

/// The programs one simulated process starts: daemons, resource agents and fence agents.
final class SimPrograms implements Processes {
  private final SimProcess parent;
  private final SimNode node;
  private final SimQueue queue;

  SimPrograms(SimProcess parent) {
    this.parent = parent;
    this.node = parent.node();
    this.queue = node.cluster().queue();
  }

  /// All programs that are asked for are there.
  @Override
  public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
    var program = programs.getFirst();
    var name = Path.of(program.command().getFirst()).getFileName().toString();
    node.agents().endOrphans(name);
    var child = node.spawn(name);
    var run = new Run(child, program, onExit);
    child.onEnd(run);
    var timeout = program.timeout();
    if (timeout != null) {
      queue.after(timeout.toNanos(), run::timedOut);
    }
    if (!node.cluster().daemons().start(child, program)
        && !node.agents().start(child, program, run::output)) {
      run.notStarted("No such file: " + program.command().getFirst());
    }
    return run;
  }

  private final class Run implements Running, SimProcess.Watcher {
    private final SimProcess child;
    private final Program program;
    private final Consumer<Exit> onExit;
    private final long startedAt = queue.now();
    private String output = "";
    private String errors = "";
    private boolean reported;
    private final List<Runnable> waiting = new ArrayList<>();

    Run(SimProcess child, Program program, Consumer<Exit> onExit) {
      this.child = child;
      this.program = program;
      this.onExit = onExit;
    }

    void output(String text, String errorText) {
      output = text;
      errors = errorText;
    }

    void notStarted(String why) {
      report(new Exit.NotStarted(why));
      child.end(127, 0);
    }

    void timedOut() {
      if (child.isAlive()) {
        report(new Exit.TimedOut(output, errors, took()));
        if (!node.agents().isStuck(child)) {
          child.end(0, 9);
        }
      }
    }

    @Override
    public void ended(int status, int signal) {
      report(new Exit.Exited(status, signal, output, errors, took()));
      waiting.forEach(it -> queue.after(0, parent, it));
      waiting.clear();
    }

    private Duration took() {
      return Duration.ofNanos(queue.now() - startedAt);
    }

    private void report(Exit exit) {
      if (!reported) {
        reported = true;
        queue.after(100_000, parent, () -> onExit.accept(exit));
      }
    }

    @Override
    public long pid() {
      return child.pid();
    }

    @Override
    public void whenGone(Runnable what) {
      if (child.isAlive()) {
        waiting.add(what);
      } else {
        queue.after(0, parent, what);
      }
    }

    @Override
    public boolean isAlive() {
      return child.isAlive();
    }

    @Override
    public void tell(String line) {
      node.cluster().trace().add(queue.now(), node.name(), child.name(), "is told: " + line);
    }

    @Override
    public void terminate() {
      child.terminate();
    }

    @Override
    public void kill() {
      child.end(0, 9);
    }

    @Override
    public String toString() {
      return program.command() + " as " + child;
    }
  }
}
