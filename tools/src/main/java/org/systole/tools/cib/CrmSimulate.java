package org.systole.tools.cib;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.Cibs;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.IsoException;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.explain.Answer;
import org.systole.scheduler.explain.ExplanationView;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.sim.Injections;
import org.systole.scheduler.sim.Simulation;
import org.systole.scheduler.status.Parts;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.StatusMessages;
import org.systole.tools.cli.XmlInput;
import picocli.CommandLine.Option;

/// `crm_simulate`: shows how a cluster would respond to its state and to pretended events.
@picocli.CommandLine.Command(
    description = "simulate a Pacemaker cluster's response to events",
    footer = {
      "",
      "Operation Specification:",
      "",
      "The OPSPEC in any command line option is of the form"
          + " $${resource}_$${task}_$${interval_in_ms}@$${node}=$${rc}"
          + " (memcached_monitor_20000@bart.example.com=7, for example). $${rc} is an OCF return"
          + " code."
    })
public final class CrmSimulate extends Command {
  // Operations

  private boolean plan;
  private boolean execute;
  private boolean scores;
  private boolean utilization;
  private boolean inPlace;

  @Option(
      names = {"-A", "--show-attrs"},
      description = "Show node attributes")
  private boolean attributes;

  @Option(
      names = {"-c", "--show-failcounts"},
      description = "Show resource fail counts")
  private boolean failCounts;

  @Option(
      names = {"-P", "--profile"},
      paramLabel = "DIR",
      description = "Process all the XML files in the named directory to create profiling data")
  private @Nullable String profile;

  @Option(
      names = {"-N", "--repeat"},
      paramLabel = "N",
      description = "With --profile, repeat each test N times and print timings")
  private int repeat = 1;

  @Option(
      names = {"-j", "--pending"},
      hidden = true,
      description = "Display pending state if 'record-pending' is enabled")
  private boolean pending;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Display only essential output")
  private boolean quiet;

  // Synthetic cluster events

  @Option(
      names = {"-u", "--node-up"},
      paramLabel = "NODE",
      description = "Simulate bringing a node online")
  private List<String> nodesUp = new ArrayList<>();

  @Option(
      names = {"-d", "--node-down"},
      paramLabel = "NODE",
      description = "Simulate taking a node offline")
  private List<String> nodesDown = new ArrayList<>();

  @Option(
      names = {"-f", "--node-fail"},
      paramLabel = "NODE",
      description = "Simulate a node failing")
  private List<String> nodesFailed = new ArrayList<>();

  @Option(
      names = {"-i", "--op-inject"},
      paramLabel = "OPSPEC",
      description = "Generate a failure for the cluster to react to in the simulation")
  private List<String> operations = new ArrayList<>();

  private final List<String> failures = new ArrayList<>();

  @Option(
      names = {"-t", "--set-datetime"},
      paramLabel = "DATETIME",
      description = "Set date/time (ISO 8601 format, see https://en.wikipedia.org/wiki/ISO_8601)")
  private @Nullable String date;

  @Option(
      names = {"-q", "--quorum"},
      paramLabel = "QUORUM",
      description = "Set to '1' (or 'true') to indicate cluster has quorum")
  private @Nullable String quorum;

  @Option(
      names = {"-w", "--watchdog"},
      paramLabel = "DEVICE",
      description = "Set to '1' (or 'true') to indicate cluster has an active watchdog device")
  private @Nullable String watchdog;

  @Option(
      names = {"-g", "--ticket-grant"},
      paramLabel = "TICKET",
      description = "Simulate granting a ticket")
  private List<String> granted = new ArrayList<>();

  @Option(
      names = {"-r", "--ticket-revoke"},
      paramLabel = "TICKET",
      description = "Simulate revoking a ticket")
  private List<String> revoked = new ArrayList<>();

  @Option(
      names = {"-b", "--ticket-standby"},
      paramLabel = "TICKET",
      description = "Simulate making a ticket standby")
  private List<String> standby = new ArrayList<>();

  @Option(
      names = {"-e", "--ticket-activate"},
      paramLabel = "TICKET",
      description = "Simulate activating a ticket")
  private List<String> activated = new ArrayList<>();

  @Option(
      names = {"--explain"},
      paramLabel = "WHAT[@NODE]",
      description =
          "Show why a resource is placed as it is, on the node or everywhere, why an action"
              + " (named by its key) is needed or cannot be done, or how everything stands to a"
              + " node (implies --run)")
  private @Nullable String explained;

  // Artifacts

  @Option(
      names = {"-I", "--save-input"},
      paramLabel = "FILE",
      description = "Save the input configuration to the named file")
  private @Nullable String inputFile;

  @Option(
      names = {"-O", "--save-output"},
      paramLabel = "FILE",
      description = "Save the output configuration to the named file")
  private @Nullable String outputFile;

  private @Nullable String graphFile;
  private @Nullable WorkingSet planned;
  private @Nullable StatusMessages messages;
  private @Nullable String dotFile;

  @Option(
      names = {"-a", "--all-actions"},
      description = "Display all possible actions in DOT graph (even if not part of transition)")
  private boolean allActions;

  // Data source

  private @Nullable String source = "-";
  private boolean sanitized = true;

  public CrmSimulate() {
    super("crm_simulate");
  }

  @Override
  protected boolean saysItsNameOfOutput() {
    return false;
  }

  @Option(
      names = {"-R", "--run"},
      description =
          "Process the supplied input and show what actions the cluster will take in response")
  void setRun(boolean yes) {
    plan = true;
  }

  @Option(
      names = {"-S", "--simulate"},
      description =
          "Like --run, but also simulate taking those actions and show the resulting new status")
  void setSimulate(boolean yes) {
    plan = true;
    execute = true;
  }

  @Option(
      names = {"-X", "--in-place"},
      description = "Like --simulate, but also store the results back to the input file")
  void setInPlace(boolean yes) {
    setSimulate(yes);
    inPlace = true;
  }

  @Option(
      names = {"-s", "--show-scores"},
      description = "Show allocation scores")
  void setShowScores(boolean yes) {
    plan = true;
    scores = true;
  }

  @Option(
      names = {"-U", "--show-utilization"},
      description = "Show utilization information")
  void setShowUtilization(boolean yes) {
    plan = true;
    utilization = true;
  }

  @Option(
      names = {"-F", "--op-fail"},
      paramLabel = "OPSPEC",
      description =
          "If the specified task occurs during the simulation, have it fail with return code"
              + " $${rc}. The transition will normally stop at the failed action.")
  void setOpFail(List<String> specs) {
    setSimulate(true);
    failures.clear();
    failures.addAll(specs);
  }

  @Option(
      names = {"-G", "--save-graph"},
      paramLabel = "FILE",
      description = "Save the transition graph (XML format) to the named file")
  void setSaveGraph(String file) {
    plan = true;
    graphFile = file;
  }

  @Option(
      names = {"-D", "--save-dotfile"},
      paramLabel = "FILE",
      description = "Save the transition graph (DOT format) to the named file")
  void setSaveDotFile(String file) {
    plan = true;
    dotFile = file;
  }

  @Option(
      names = {"-L", "--live-check"},
      description = "Connect to CIB manager and use the current CIB contents as input")
  void setLiveCheck(boolean yes) {
    source = null;
    sanitized = false;
  }

  @Option(
      names = {"-x", "--xml-file"},
      paramLabel = "FILE",
      description = "Retrieve XML from the named file")
  void setXmlFile(String file) {
    source = file;
    sanitized = true;
  }

  @Option(
      names = {"-p", "--xml-pipe"},
      description = "Retrieve XML from stdin")
  void setXmlPipe(boolean yes) {
    setXmlFile("-");
  }

  @Override
  protected void setUp(Output output) {
    output.setQuiet(quiet);
    if (output instanceof TextOutput text) {
      text.setFancy(!(scores && quiet));
    }
  }

  @Override
  protected boolean errorsInResult() {
    return false;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (profile != null) {
      return new PlanningTimes(terminal(), out(), repeat, date).show(profile);
    }
    var store = inPlace ? inputFile() : outputFile;
    var input = input();
    if (store != null) {
      XmlInput.write(terminal(), store, input);
    }
    var result = simulate(input);
    if (store != null) {
      XmlInput.write(terminal(), store, result.cib());
    }
    return result.valid() ? ExitStatus.OK : ExitStatus.ERROR;
  }

  /// The file the input is from, null if it is the running cluster's.
  private @Nullable String inputFile() {
    if (source != null) {
      return source;
    }
    var environment = terminal().environment();
    var named = Cibs.file(Layout.of(environment), environment);
    return named == null ? null : named.toString();
  }

  private Element input() throws CommandException {
    if (source == null) {
      return ConfiguredCib.prepare(terminal(), ConfiguredCib.query(terminal(), out(), name()));
    }
    try {
      return ConfiguredCib.read(terminal(), source);
    } catch (XmlException e) {
      XmlInput.explain(terminal(), source.equals("-") ? "stdin" : source, e);
      throw new CommandException(
          ExitStatus.DATAERR, "Could not read input XML: Bad input value provided");
    }
  }

  private Simulation.Result simulate(Element input) throws CommandException {
    var options =
        new Simulation.Options(
            plan || explained != null,
            execute,
            scores,
            utilization,
            sanitized,
            allActions,
            verbosity() > 0,
            parts());
    var failed = new ArrayList<CommandException>();
    var sinks =
        new Simulation.Sinks(
            inputFile == null ? null : saver(inputFile, failed),
            graphFile == null ? null : saver(graphFile, failed),
            dotFile == null ? null : drawer(dotFile, failed));
    var events =
        new Injections(
            nodesUp,
            nodesDown,
            nodesFailed,
            operations,
            failures,
            granted,
            revoked,
            standby,
            activated,
            quorum,
            watchdog,
            !nodesUp.isEmpty());
    try {
      var result =
          new Simulation(
                  out(), this::plan, options, sinks, date, terminal().now(), terminal().zone())
              .explaining(explained != null)
              .telling(messages()::tell)
              .run(input, events);
      if (!failed.isEmpty()) {
        throw failed.getFirst();
      }
      if (explained != null) {
        explain(explained);
      }
      return result;
    } catch (IsoException e) {
      throw CommandException.usage("Invalid date/time specified: " + date);
    }
  }

  private StatusMessages messages() {
    if (messages == null) {
      messages = new StatusMessages(terminal(), verbosity());
    }
    return messages;
  }

  private TransitionGraph plan(WorkingSet cluster) {
    planned = cluster;
    var graph = Scheduler.plan(cluster);
    messages().tell(cluster);
    return graph;
  }

  private void explain(String question) throws CommandException {
    var cluster = planned;
    if (cluster == null) {
      return;
    }
    var at = question.lastIndexOf('@');
    var id = at < 0 ? question : question.substring(0, at);
    var node = at < 0 ? null : cluster.node(question.substring(at + 1));
    if (at >= 0 && node == null) {
      throw new CommandException(
          ExitStatus.NOSUCH, "Node '" + question.substring(at + 1) + "' not found");
    }
    var answer = Answer.to(cluster, id, node);
    if (answer == null) {
      throw new CommandException(
          ExitStatus.NOSUCH, "There is no resource, planned action or node '" + id + "'");
    }
    if (out() instanceof TextOutput text && !quiet) {
      text.print("\n");
    }
    ExplanationView.show(out(), answer);
  }

  private Set<Parts> parts() {
    var parts = EnumSet.noneOf(Parts.class);
    if (attributes) {
      parts.add(Parts.ATTRIBUTES);
    }
    if (failCounts) {
      parts.add(Parts.FAILCOUNTS);
      parts.add(Parts.FAILURES);
    }
    return parts;
  }

  private Consumer<Element> saver(String file, List<CommandException> failed) {
    return element -> {
      try {
        XmlInput.write(terminal(), file, element);
      } catch (CommandException e) {
        failed.add(e);
      }
    };
  }

  private Consumer<String> drawer(String file, List<CommandException> failed) {
    return drawing -> {
      try {
        Files.writeString(terminal().resolve(file), drawing);
      } catch (IOException e) {
        failed.add(
            new CommandException(
                ExitStatus.CANTCREAT, "Could not create '" + file + "': " + e.getMessage()));
      }
    };
  }
}
