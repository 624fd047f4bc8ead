package org.systole.cts.farm;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.systole.common.operation.Task;
import org.systole.common.world.Processes;
import org.systole.common.world.World;

/// The agents of one host: a resource that was started runs until it is stopped, and each call takes
/// a few milliseconds in which the processor rests.
final class FarmPrograms implements Processes {
  private static final Duration TAKES = Duration.ofMillis(5);
  private static final int NOT_RUNNING = 7;
  private static final String METADATA =
      """
      <?xml version="1.0"?>
      <resource-agent name="Dummy" version="1.0"><version>1.1</version>
      <longdesc lang="en">Runs in name only.</longdesc><shortdesc lang="en">Dummy</shortdesc>
      <parameters/><actions><action name="start" timeout="20s"/><action name="stop" timeout="20s"/>
      <action name="monitor" timeout="20s" interval="10s"/><action name="meta-data" timeout="5s"/>
      </actions></resource-agent>
      """;

  private final World world;
  private final Deeds deeds;
  private final String host;
  private final Set<String> running = new TreeSet<>();

  FarmPrograms(World world, Deeds deeds, String host) {
    this.world = world;
    this.deeds = deeds;
    this.host = host;
  }

  @Override
  public Running startFirst(List<Program> programs, Consumer<Exit> onExit) {
    var program = programs.getFirst();
    var call = new Call();
    world.after(
        TAKES,
        () -> {
          var exit = carryOut(program);
          call.over = true;
          onExit.accept(exit);
        });
    return call;
  }

  private Exit carryOut(Program program) {
    var action = program.command().getLast();
    var resource = program.environment().getOrDefault("OCF_RESOURCE_INSTANCE", "-");
    if (action.equals(Task.START.operation().text())) {
      deeds.note(host, resource, action);
      running.add(resource);
    } else if (action.equals(Task.STOP.operation().text())) {
      deeds.note(host, resource, action);
      running.remove(resource);
    } else if (action.equals(Task.META_DATA.operation().text())) {
      return new Exit.Exited(0, 0, METADATA, "", TAKES);
    } else if (action.equals(Task.MONITOR.operation().text()) && !running.contains(resource)) {
      return new Exit.Exited(NOT_RUNNING, 0, "", "", TAKES);
    }
    return new Exit.Exited(0, 0, "", "", TAKES);
  }

  private static final class Call implements Running {
    private boolean over;

    @Override
    public long pid() {
      return 0;
    }

    @Override
    public boolean isAlive() {
      return !over;
    }

    @Override
    public void whenGone(Runnable what) {
      what.run();
    }

    @Override
    public void tell(String line) {
      // nothing of it reads
    }

    @Override
    public void terminate() {
      // it ends in a moment
    }

    @Override
    public void kill() {
      // it ends in a moment
    }
  }
}
