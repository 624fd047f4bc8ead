package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentMetadata;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.secrets.Secrets;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.common.world.Delays;
import org.systole.common.world.Processes;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.World;
import org.systole.common.xml.XmlException;

/// Runs fence agents: programs named `fence_...` that read their parameters from standard input. Any
/// other name is that of a device of cluster-glue (`null`, `external/ipmi`), for which one program
/// speaks.
final class FenceAgents {
  private static final String GLUE = "fence_legacy";

  /// No path leads out of the directory of cluster-glue's plugins.
  private static final Pattern PLUGIN =
      Pattern.compile("([A-Za-z0-9_][A-Za-z0-9_.-]*/)?[A-Za-z0-9_][A-Za-z0-9_.-]*");

  private static final int OUTPUT_MAX = 256 << 10;
  private static final int METADATA_MAX = 4 << 20;
  private static final String SYSTEM_PATH =
      "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

  /// An agent's metadata, or why there is none.
  record Described(@Nullable AgentMetadata metadata, ExecStatus status, String why) {}

  private final World world;
  private final Map<String, String> environment;
  private final List<String> directories = new ArrayList<>();
  private @Nullable Watchdogs watchdogs;
  private final Map<String, AgentMetadata> known = new TreeMap<>();
  private final Map<String, List<Consumer<Described>>> asked = new TreeMap<>();

  FenceAgents(World world, Layout layout, Map<String, String> inherited) {
    this.world = world;
    var home = layout.share().getParent();
    var own = (home == null ? "/usr" : home.toString()) + "/sbin";
    directories.add(own);
    if (!own.equals("/usr/sbin")) {
      directories.add("/usr/sbin");
    }
    var all = new TreeMap<>(inherited);
    all.keySet()
        .removeAll(List.of("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "SYSTOLE_SUPERVISOR", StandAlone.VARIABLE));
    all.put("PATH", own + ":" + inherited.getOrDefault("PATH", SYSTEM_PATH));
    all.put("PCMK_service", "pacemaker-fenced");
    environment = all;
  }

  /// Who carries out what is asked of [Watchdogs#AGENT].
  void watchdogs(Watchdogs them) {
    watchdogs = them;
  }

  /// Whether an agent's device fences a node, where the agent is none that could be asked.
  ///
  /// @return null for an agent that is a program
  @Nullable Boolean fencesByItself(String agent, NodeName target) {
    return agent.equals(Watchdogs.AGENT) && watchdogs != null ? watchdogs.covers(target) : null;
  }

  static boolean isName(String agent) {
    return isProgram(agent) ? agent.indexOf('/') < 0 : PLUGIN.matcher(agent).matches();
  }

  private static boolean isProgram(String agent) {
    return agent.startsWith("fence_");
  }

  private static String program(String agent) {
    return isProgram(agent) ? agent : GLUE;
  }

  private static String plugin(String agent) {
    return isProgram(agent) ? "" : "plugin=" + agent + '\n';
  }

  /// Runs an agent once.
  ///
  /// @param parameters written to its standard input in this order
  void run(String agent, Map<String, String> parameters, Duration timeout, Consumer<Outcome> done) {
    run(agent, parameters, timeout, _ -> {}, done);
  }

  /// As the other `run`, for a caller that may have to kill the agent.
  ///
  /// @param started given the running agent, within this call or later; not called if nothing can
  ///     be run
  void run(
      String agent,
      Map<String, String> parameters,
      Duration timeout,
      Consumer<Processes.Running> started,
      Consumer<Outcome> done) {
    var input = new StringBuilder(plugin(agent));
    for (var parameter : parameters.entrySet()) {
      if ((parameter.getKey() + parameter.getValue()).indexOf('\n') >= 0) {
        var why = "parameter " + parameter.getKey() + " has more than one line";
        world.post(() -> done.accept(Outcome.error(ExecStatus.ERROR, why)));
        return;
      }
      input.append(parameter.getKey()).append('=').append(parameter.getValue()).append('\n');
    }
    var program = program(agent);
    launch(
        program,
        input.toString(),
        timeout,
        OUTPUT_MAX,
        0,
        started,
        exit -> done.accept(outcome(program, exit)));
  }

  /// As the others, for a device: parameters that are kept out of the CIB are read first, and nobody
  /// but the agent is told them.
  void run(
      String device,
      String agent,
      Map<String, String> parameters,
      Duration timeout,
      Consumer<Processes.Running> started,
      Consumer<Outcome> done) {
    if (agent.equals(Watchdogs.AGENT) && watchdogs != null) {
      watchdogs.run(parameters, started, done);
      return;
    }
    if (!Secrets.isIn(parameters)) {
      run(agent, parameters, timeout, started, done);
      return;
    }
    var began = world.nanoTime();
    new Secrets(world)
        .fill(
            device,
            parameters,
            timeout,
            filled -> {
              if (filled.isWhole()) {
                var left = Delays.left(timeout, world.nanoTime() - began);
                run(agent, filled.parameters(), left, started, done);
              } else {
                done.accept(Outcome.withoutSecrets());
              }
            });
  }

  private void launch(
      String agent,
      String input,
      Duration timeout,
      int outputMax,
      int directory,
      Consumer<Processes.Running> started,
      Consumer<Exit> done) {
    var path = directories.get(directory) + "/" + agent;
    var program = new Processes.Program(List.of(path), environment, input, timeout, outputMax);
    started.accept(
        world
            .processes()
            .start(
                program,
                exit -> {
                  if (exit instanceof Exit.NotStarted(var why)
                      && isMissing(why)
                      && directory + 1 < directories.size()) {
                    launch(agent, input, timeout, outputMax, directory + 1, started, done);
                  } else {
                    done.accept(exit);
                  }
                }));
  }

  private Outcome outcome(String agent, Exit exit) {
    return switch (exit) {
      case Exit.Exited(var status, var signal, var output, var errors, var _) when signal == 0 -> {
        if (status != 0 && !errors.isBlank()) {
          world.log().warning(agent + ": " + errors.strip());
        }
        yield new Outcome(status, ExecStatus.DONE, status == 0 ? "" : lastLine(errors), output);
      }
      case Exit.Exited exited ->
          Outcome.error(ExecStatus.ERROR, "Fence agent was killed by signal " + exited.signal());
      case Exit.TimedOut timedOut ->
          Outcome.error(
              ExecStatus.TIMEOUT,
              "Fence agent did not complete within "
                  + Interval.format(timedOut.after().toMillis()));
      case Exit.NotStarted(var why) ->
          isMissing(why)
              ? Outcome.error(
                  ExecStatus.NOT_INSTALLED,
                  directories.getLast() + "/" + agent + ": No such file or directory")
              : Outcome.error(ExecStatus.ERROR, why);
    };
  }

  private static boolean isMissing(String why) {
    var words = why.toLowerCase(Locale.ROOT);
    return words.contains("no such file") || words.contains("not found");
  }

  private static String lastLine(String text) {
    var lines = text.strip().lines().toList();
    return lines.isEmpty() ? "" : lines.getLast().strip();
  }

  /// An agent's metadata. Once an agent has given it, this fencer does not ask again.
  void describe(String agent, Duration timeout, Consumer<Described> done) {
    if (agent.equals(Watchdogs.AGENT)) {
      var text = new Exit.Exited(0, 0, Watchdogs.METADATA, "", Duration.ZERO);
      world.post(() -> done.accept(description(agent, outcome(agent, text))));
      return;
    }
    if (!isName(agent)) {
      world.post(
          () ->
              done.accept(
                  new Described(
                      null, ExecStatus.NOT_INSTALLED, "\"" + agent + "\" is not a fence agent")));
      return;
    }
    var had = known.get(agent);
    if (had != null) {
      world.post(() -> done.accept(new Described(had, ExecStatus.DONE, "")));
      return;
    }
    var waiting = asked.computeIfAbsent(agent, _ -> new ArrayList<>());
    waiting.add(done);
    if (waiting.size() == 1) {
      launch(
          program(agent),
          plugin(agent) + "action=metadata\n",
          timeout,
          METADATA_MAX,
          0,
          _ -> {},
          exit -> described(agent, exit));
    }
  }

  private void described(String agent, Exit exit) {
    var description = description(agent, outcome(program(agent), exit));
    if (description.metadata() != null) {
      known.put(agent, description.metadata());
    }
    var waiting = asked.remove(agent);
    if (waiting != null) {
      waiting.forEach(one -> one.accept(description));
    }
  }

  /// Whether there is no such device of cluster-glue: it says so, or is not installed.
  private static boolean isUnknown(Outcome outcome) {
    return switch (outcome.status()) {
      case DONE -> !outcome.isSuccess();
      case NOT_INSTALLED -> true;
      default -> false;
    };
  }

  private static Described description(String agent, Outcome outcome) {
    if (!isProgram(agent) && isUnknown(outcome)) {
      var why = "\"" + agent + "\" is not a fence agent: " + outcome.reason();
      return new Described(null, ExecStatus.NOT_INSTALLED, why);
    }
    if (!outcome.isSuccess()) {
      var status = outcome.status() == ExecStatus.DONE ? ExecStatus.ERROR : outcome.status();
      return new Described(null, status, agent + " gives no metadata: " + outcome.words());
    }
    try {
      return new Described(
          AgentMetadata.parse(AgentName.FENCING, outcome.output()), ExecStatus.DONE, "");
    } catch (XmlException e) {
      return new Described(
          null, ExecStatus.ERROR, "the metadata of " + agent + " is not XML: " + e.getMessage());
    }
  }
}
