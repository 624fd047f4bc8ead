package org.systole.execd;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.secrets.Secrets;
import org.systole.common.world.Processes;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.ExecMessage.JigResult;
import org.systole.roles.data.DeepMerge;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// A jig that is a program: `script` does the steps, `ansible` plays the playbook, in a directory that
/// is named by the role, the site's own before the shipped one. The program is told whether it is a
/// run or a check, the role and the directories, and reads a line with the attributes, a JSON object
/// or variables of Ansible, then the settings of the role in plain lines.
final class ScriptJig implements Jigs.Jig {
  private static final int OUTPUT_MAX = JsonText.LENGTH_MAX + (64 << 10);
  private static final String STEPS = "steps";
  private static final String ANSIBLE = "ansible";
  private static final char END_OF_STEP = '\u001e'; // in its errors the beginning of one
  private static final int SHOWN_LINES = 50;
  private static final int LINE_MAX = 500;

  private final World world;
  private final Layout layout;
  private final AgentEnvironment environment;
  private final String program;

  private ScriptJig(World world, Layout layout, AgentEnvironment environment, String program) {
    this.world = world;
    this.layout = layout;
    this.environment = environment;
    this.program = program;
  }

  static ScriptJig steps(World world, Layout layout, AgentEnvironment environment) {
    return new ScriptJig(world, layout, environment, STEPS);
  }

  static ScriptJig ansible(World world, Layout layout, AgentEnvironment environment) {
    return new ScriptJig(world, layout, environment, ANSIBLE);
  }

  @Override
  public Jigs.Work start(ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
    return start("run", asked, done);
  }

  @Override
  public Jigs.Work check(ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
    return start("check", asked, done);
  }

  private Jigs.Work start(String action, ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
    try {
      JsonText.readObject(asked.given());
    } catch (JsonFault e) {
      return unreadable(action, e, done);
    }
    var wanted = JigSecrets.wanted(asked.given(), asked.role());
    return wanted.isEmpty()
        ? launch(action, asked, JigSecrets.NONE, done)
        : new Reading(action, asked, done).begin(wanted);
  }

  /// Without its settings it would go by what it takes for granted.
  private Jigs.Work unreadable(String action, JsonFault fault, Consumer<Jigs.End> done) {
    var why = "its attributes cannot be read: " + fault.getMessage();
    var result = action.equals("run") ? JigResult.FAILED : JigResult.UNKNOWN;
    world.post(() -> done.accept(new Jigs.End(result, why)));
    return new NoWork();
  }

  /// Nothing was begun.
  private static final class NoWork implements Jigs.Work {
    @Override
    public void kill() {} // its end is told anyway

    @Override
    public String leftBehind() {
      return "";
    }
  }

  /// The role's secrets are read first.
  private final class Reading implements Jigs.Work {
    private final String action;
    private final ExecMessage.RunJig asked;
    private final Consumer<Jigs.End> done;
    private List<String> names = List.of();
    private Jigs.@Nullable Work launched;
    private boolean killed;

    Reading(String action, ExecMessage.RunJig asked, Consumer<Jigs.End> done) {
      this.action = action;
      this.asked = asked;
      this.done = done;
    }

    Reading begin(Map<String, String> wanted) {
      var limit = Duration.ofMillis(Math.max(1, asked.timeoutMillis()));
      names = Secrets.namesIn(wanted);
      new Secrets(world).fill(JigSecrets.holder(asked.role()), wanted, limit, this::read);
      return this;
    }

    private void read(Secrets.Filled filled) {
      if (killed) {
        return;
      }
      var secrets = new JigSecrets(filled.parameters());
      if (filled.isWhole() && secrets.tooShort().isEmpty()) {
        launched = launch(action, asked, secrets, done);
      } else if (filled.isWhole()) {
        done.accept(Jigs.End.failed(secrets.tooShort()));
      } else {
        var holder = JigSecrets.holder(asked.role());
        done.accept(
            Jigs.End.failed(
                "the secrets of role %s cannot be had: %s; `cibsecret -C check %s NAME` on its node says why, `cibsecret -C set %s NAME` sets one on all nodes"
                    .formatted(asked.role(), String.join(", ", names), holder, holder)));
      }
    }

    @Override
    public void kill() {
      if (launched != null) {
        launched.kill();
      } else if (!killed) {
        killed = true;
        world.post(() -> done.accept(Jigs.End.failed("it was ended")));
      }
    }

    @Override
    public String leftBehind() {
      return launched == null ? "" : launched.leftBehind();
    }
  }

  private Jigs.Work launch(
      String action, ExecMessage.RunJig asked, JigSecrets secrets, Consumer<Jigs.End> done) {
    var given = secrets.filled(asked.given(), asked.role());
    String input;
    try {
      input = input(given, asked.role());
    } catch (JsonFault e) { // with its secrets it has become too long
      return unreadable(action, e, done);
    }
    var home = layout.share().resolve("systole");
    var own = layout.configuration().resolve("roles").resolve(asked.role()).toString();
    var shipped = home.resolve("roles").resolve(asked.role()).toString();
    var variables = new TreeMap<>(environment.base());
    variables.put("SYSTOLE_NODEROLE", asked.noderole());
    variables.put("SYSTOLE_ROLE", asked.role());
    variables.put("SYSTOLE_RUN", Integer.toString(asked.run()));
    variables.put("SYSTOLE_FUNCTIONS", home.resolve("jig/functions").toString());
    variables.put("SYSTOLE_AGENTS", home.resolve("ocf/resource.d").toString());
    variables.put("SYSTOLE_STATE", layout.state("roles").toString());
    var running =
        world
            .processes()
            .start(
                new Processes.Program(
                    List.of(
                        home.resolve("jig").resolve(program).toString(),
                        action,
                        asked.role(),
                        own,
                        shipped),
                    variables,
                    input,
                    Duration.ofMillis(Math.max(1, asked.timeoutMillis())),
                    OUTPUT_MAX),
                exit -> done.accept(end(action.equals("run") ? asked.noderole() : "", secrets, exit)));
    return new Jigs.Work() {
      @Override
      public void kill() {
        running.kill();
      }

      @Override
      public String leftBehind() {
        return running.isAlive()
            ? "process %d of an earlier run cannot be killed".formatted(running.pid())
            : "";
      }
    };
  }

  private String input(String given, String role) throws JsonFault {
    var first =
        program.equals(ANSIBLE)
            ? AnsibleVariables.line("systole", JsonText.readObject(given))
            : given;
    return first + "\n" + RoleSettings.lines(given, role);
  }

  /// @param logged what its errors are logged for; empty if they are not
  private Jigs.End end(String logged, JigSecrets secrets, Processes.Exit exit) {
    return switch (exit) {
      case Processes.Exit.Exited(var status, var signal, var output, var said, var _) -> {
        var errors = ofLastStep(shown(logged, secrets, said));
        if (signal != 0) {
          yield Jigs.End.failed(last(errors) + "it was ended by signal " + signal);
        }
        yield status == 0
            ? answer(output, secrets)
            : Jigs.End.failed(errors.isBlank() ? "it ended with " + status : errors.strip());
      }
      case Processes.Exit.TimedOut(var _, var said, var after) -> {
        var errors = ofLastStep(shown(logged, secrets, said));
        yield Jigs.End.failed(
            "%sit did not end within %d s".formatted(last(errors), after.toSeconds()));
      }
      case Processes.Exit.NotStarted(var why) -> Jigs.End.failed(why);
    };
  }

  /// What it wrote, as it may be shown; it is logged, too.
  private String shown(String logged, JigSecrets secrets, String said) {
    var errors = shortened(secrets.maskedToItsEnd(said));
    log(logged, errors.replace(END_OF_STEP, '\n'));
    return errors;
  }

  /// What those before it wrote is no cause: they have succeeded.
  private static String ofLastStep(String errors) {
    return errors.substring(errors.lastIndexOf(END_OF_STEP) + 1);
  }

  /// Only what has no secrets in it any more may be cut: a part of one would not be known.
  private static String shortened(String errors) {
    return errors
        .lines()
        .map(it -> it.length() <= LINE_MAX ? it : it.substring(0, LINE_MAX) + "...")
        .collect(Collectors.joining("\n"));
  }

  private static String last(String errors) {
    var lines = errors.strip().lines().toList();
    return lines.isEmpty() ? "" : lines.getLast() + "; ";
  }

  private void log(String of, String errors) {
    errors.lines()
        .filter(it -> !it.isBlank())
        .limit(of.isEmpty() ? 0 : SHOWN_LINES)
        .forEach(line -> world.log().info("%s: %s".formatted(of, line)));
  }

  /// What the steps answered, merged in their order.
  private static Jigs.End answer(String output, JigSecrets secrets) {
    if (output.length() > JsonText.LENGTH_MAX) {
      return Jigs.End.failed(
          String.format(Locale.ROOT, "it answered more than %,d characters", JsonText.LENGTH_MAX));
    }
    var merged = Json.Obj.EMPTY;
    var any = false;
    try {
      for (var part : output.split(String.valueOf(END_OF_STEP), -1)) {
        if (!part.isBlank()) {
          merged = DeepMerge.merge(merged, secrets.read(part));
          any = true;
        }
      }
    } catch (JsonFault e) {
      return Jigs.End.failed(
          "its answer was not understood: %s; standard output is for one JSON object, all else goes to standard error"
              .formatted(e.getMessage()));
    }
    return new Jigs.End(JigResult.OK, any ? merged.toString() : "");
  }
}
