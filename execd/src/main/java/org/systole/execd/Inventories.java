package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.systole.common.layout.Layout;
import org.systole.common.world.Processes;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// What agents and packages this machine has. A program looks each time somebody asks: nothing is
/// kept, so nothing is out of date, and who does not ask pays nothing.
final class Inventories {
  /// How many look at one time.
  static final int AT_ONCE = 4;

  private static final Duration LIMIT = Duration.ofSeconds(25);
  private static final int WANTED_MAX = 1 << 20; // characters

  private final World world;
  private final Layout layout;
  private final AgentEnvironment environment;
  private int looking;

  Inventories(World world, Layout layout, AgentEnvironment environment) {
    this.world = world;
    this.layout = layout;
    this.environment = environment;
  }

  /// @param wanted agents to look for
  /// @param done told once
  void tell(List<String> wanted, Consumer<ExecMessage.Reply> done) {
    var given = String.join("\n", wanted);
    if (looking >= AT_ONCE) {
      done.accept(
          new ExecMessage.Refused("too many ask for this node's agents; try again in a moment"));
      return;
    }
    if (given.length() > WANTED_MAX || wanted.stream().anyMatch(it -> it.indexOf('\n') >= 0)) {
      done.accept(new ExecMessage.Refused("what is looked for is no list of agents"));
      return;
    }
    looking++;
    var home = layout.share().resolve("systole");
    var variables = new TreeMap<>(environment.base());
    variables.put("SYSTOLE_FUNCTIONS", home.resolve("jig/functions").toString());
    variables.put("SYSTOLE_AGENTS", home.resolve("ocf/resource.d").toString());
    world
        .processes()
        .start(
            new Processes.Program(
                List.of(home.resolve("jig/agents").toString(), "inventory"),
                variables,
                wanted.isEmpty() ? "" : given + "\n",
                LIMIT,
                JsonText.LENGTH_MAX),
            exit -> {
              looking--;
              done.accept(reply(exit));
            });
  }

  private static ExecMessage.Reply reply(Processes.Exit exit) {
    return switch (exit) {
      case Processes.Exit.Exited(var status, var signal, var output, var errors, var _) -> {
        if (status != 0 || signal != 0) {
          yield new ExecMessage.Refused(
              "its agents could not be looked for: %s"
                  .formatted(
                      errors.isBlank()
                          ? "the program ended with " + (signal == 0 ? status : "signal " + signal)
                          : errors.strip()));
        }
        try {
          yield new ExecMessage.Inventory(JsonText.readObject(output).toString());
        } catch (JsonFault e) {
          yield new ExecMessage.Refused("what it has was not understood: " + e.getMessage());
        }
      }
      case Processes.Exit.TimedOut(var _, var _, var after) ->
          new ExecMessage.Refused(
              "to look for its agents took longer than %d s".formatted(after.toSeconds()));
      case Processes.Exit.NotStarted(var why) -> new ExecMessage.Refused(why);
    };
  }
}
