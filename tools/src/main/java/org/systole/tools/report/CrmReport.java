package org.systole.tools.report;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.common.cib.CibQuery;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LocalNodeName;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `crm_report`: collects configuration, state and logs of all nodes for the time of a problem, and
/// writes them as one archive. Values that may be passwords are masked; keys and secrets are left
/// where they are.
@picocli.CommandLine.Command(
    description = "Create archive of everything needed when reporting cluster problems")
public final class CrmReport extends Command {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration CIB_PATIENCE = Duration.ofSeconds(30);
  private static final List<String> MASKED = List.of("passw.*");
  private static final List<String> NOTABLE =
      List.of("CRIT:", "ERROR:", "\\b(crit|error|critical|alert|emerg)\\b");
  private static final DateTimeFormatter LABEL =
      DateTimeFormatter.ofPattern("EEE-dd-MMM-yyyy", Locale.ROOT);
  private static final DateTimeFormatter SHOWN =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

  @Option(
      names = {"-f", "--from"},
      paramLabel = "TIME",
      description = "Time prior to problems beginning (as \"YYYY-M-D H:M:S\" including the quotes)")
  private @Nullable String from;

  @Option(
      names = {"-t", "--to"},
      paramLabel = "TIME",
      description = "Time at which all problems were resolved (default: now)")
  private @Nullable String to;

  @Option(
      names = {"-n", "--node", "--nodes"},
      paramLabel = "NODES",
      description = "Node names, where the cluster does not run here (may be specified multiple times)")
  private List<String> nodes = new ArrayList<>();

  @Option(
      names = {"-S", "--single-node"},
      description = "Do not collect data from other nodes")
  private boolean single;

  @Option(names = {"--sos-mode"}, hidden = true)
  private boolean sos;

  @Option(
      names = {"-M"},
      description = "Do not search for cluster logs")
  private boolean noSearch;

  @Option(
      names = {"-l", "--logfile"},
      paramLabel = "FILE",
      description = "Log file to collect (may be specified multiple times)")
  private List<String> logs = new ArrayList<>();

  @Option(
      names = {"-p"},
      paramLabel = "PATT",
      description = "Additional regular expression for names of values to mask (default: passw.*)")
  private List<String> masked = new ArrayList<>();

  @Option(
      names = {"-L"},
      paramLabel = "PATT",
      description = "Additional regular expression to match in log files for analysis")
  private List<String> notable = new ArrayList<>();

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "User name to use on other nodes (default: root)")
  private String user = "root";

  @Option(
      names = {"-e", "--rsh"},
      paramLabel = "COMMAND",
      description = "Command to use to run commands on other nodes (default: ssh -T)")
  private String shell = "ssh -T -o BatchMode=yes -o ConnectTimeout=10";

  @Option(
      names = {"-d", "--as-directory"},
      description = "Leave the result as a directory")
  private boolean asDirectory;

  @Option(
      names = {"--dest"},
      paramLabel = "DEST",
      description = "Destination directory or file name")
  private @Nullable String destination;

  @Option(names = {"-C", "--corosync", "-s"}, hidden = true)
  private boolean accepted;

  @Option(names = {"-c", "--cluster", "-D", "--max-depth"}, hidden = true)
  private @Nullable String acceptedValue;

  @Option(names = {OtherNode.COLLECT}, paramLabel = "NODE", hidden = true)
  private @Nullable String collect;

  public CrmReport() {
    super("crm_report");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    var scope = scope();
    try {
      return collect == null ? report(scope) : collected(scope, named(collect));
    } catch (IOException e) {
      throw new CommandException(ExitStatus.CANTCREAT, "cannot write the report: " + reason(e));
    }
  }

  private ReportScope scope() throws CommandException {
    if (from == null) {
      throw CommandException.usage("--from is needed: when did the problem begin?");
    }
    var now = terminal().clock().get();
    var begin = time(from, now);
    var end = to == null ? now : time(to, now);
    if (end.isBefore(begin)) {
      throw CommandException.usage("the time of --to is before that of --from");
    }
    var scope =
        new ReportScope(
            begin, end, logs, !noSearch, and(MASKED, masked), and(NOTABLE, notable));
    try {
      new Masking(scope.masked());
      scope.notable().forEach(Pattern::compile);
    } catch (PatternSyntaxException e) {
      throw CommandException.usage("not a regular expression: " + e.getPattern());
    }
    return scope;
  }

  private static List<String> and(List<String> some, List<String> more) {
    return Stream.concat(some.stream(), more.stream()).distinct().toList();
  }

  private Instant time(String text, Instant now) throws CommandException {
    var time = ReportScope.time(text, now, terminal().zone());
    if (time == null) {
      throw CommandException.usage(
          "'%s' is no time; write it as \"2026-11-23 14:05:00\" or 14:05".formatted(text));
    }
    return time;
  }

  /// This node's part, as an archive on standard output.
  private ExitStatus collected(ReportScope scope, NodeName node) throws IOException {
    var work = Files.createTempDirectory("crm_report");
    try {
      var directory = Files.createDirectory(work.resolve(node.text()));
      new NodeReport(terminal(), scope, directory).collect();
      ReportArchive.write(directory, terminal().out());
      terminal().out().flush();
      return ExitStatus.OK;
    } finally {
      remove(work);
    }
  }

  private ExitStatus report(ReportScope scope) throws CommandException, IOException {
    var target = target();
    if (Files.exists(target)) {
      throw new CommandException(
          ExitStatus.CANTCREAT, target + " is there already; name another destination");
    }
    var here = here();
    var all = nodes(here);
    tell("Calculated node list: " + list(all));
    tell("Collecting data from %s to %s".formatted(shown(scope.from()), shown(scope.to())));
    var work = Files.createTempDirectory(target.toAbsolutePath().getParent(), ".crm_report");
    try {
      var label = target.getFileName().toString().replace(ReportArchive.SUFFIX, "");
      var directory = Files.createDirectory(work.resolve(label), ReportArchive.OWN_DIRECTORY);
      var missing = collect(scope, all, here, directory);
      Files.writeString(directory.resolve("report.txt"), summary(scope, all, missing));
      if (asDirectory) {
        Files.move(directory, target);
      } else {
        ReportArchive.compress(directory, target);
      }
      tell("Collected results are available in " + target);
      return missing.isEmpty() ? ExitStatus.OK : ExitStatus.ERROR;
    } finally {
      remove(work);
    }
  }

  private static String list(List<NodeName> nodes) {
    return nodes.stream().map(NodeName::text).collect(Collectors.joining(" "));
  }

  private NodeName here() throws CommandException {
    try {
      return named(LocalNodeName.of(terminal(), true));
    } catch (CommandException e) {
      return named(LocalNodeName.of(terminal(), false)); // the cluster does not run here
    }
  }

  private static NodeName named(String text) throws CommandException {
    var node = OtherNode.named(text);
    if (node == null) {
      throw CommandException.usage("'" + text + "' cannot be the name of a node");
    }
    return node;
  }

  private String summary(
      ReportScope scope, List<NodeName> all, Map<NodeName, String> missing) {
    var text = new StringBuilder();
    text.append("From:  ").append(shown(scope.from())).append('\n');
    text.append("To:    ").append(shown(scope.to())).append('\n');
    text.append("Nodes: ").append(list(all)).append('\n');
    missing.forEach((node, why) -> text.append("No data of %s: %s%n".formatted(node, why)));
    text.append("Values whose name matches one of these are masked: ");
    return text.append(String.join(" ", scope.masked())).append('\n').toString();
  }

  private String shown(Instant time) {
    return SHOWN.format(time.atZone(terminal().zone()));
  }

  private void tell(String line) {
    terminal().err().println(line);
  }

  private Path target() {
    var named = destination != null ? destination : arguments().stream().findFirst().orElse(null);
    var label = "pcmk-" + LABEL.format(terminal().clock().get().atZone(terminal().zone()));
    var path = terminal().resolve(named == null ? label : named);
    var whole = named != null && Files.isDirectory(path) ? path.resolve(label) : path;
    return asDirectory || whole.toString().endsWith(ReportArchive.SUFFIX)
        ? whole
        : whole.resolveSibling(whole.getFileName() + ReportArchive.SUFFIX);
  }

  /// The nodes named, or those of the configuration; this one first.
  private List<NodeName> nodes(NodeName here) throws CommandException {
    if (single || sos) {
      return List.of(here);
    }
    var named = new TreeSet<String>();
    nodes.forEach(it -> named.addAll(Arrays.asList(it.strip().split("[\\s,]+"))));
    if (named.isEmpty()) {
      named.addAll(configured());
    }
    var all = new ArrayList<NodeName>();
    for (var node : named) {
      all.add(named(node));
    }
    return all;
  }

  private List<String> configured() throws CommandException {
    try (var cib =
        CibInUse.open(
            Layout.of(terminal().environment()), terminal().environment(), name(), CIB_PATIENCE)) {
      var answer = cib.query(CibQuery.section("nodes")).xml();
      return answer == null
          ? List.of()
          : XmlReader.parse(answer).children("node").stream()
              .map(it -> it.get("uname", ""))
              .toList();
    } catch (CibException | XmlException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "the nodes are not known, as the cluster does not run here; name them with --nodes, or"
              + " use --single-node");
    }
  }

  /// All nodes at once: one that does not answer holds up nobody else.
  ///
  /// @return the nodes of which there is nothing, with the reason
  private Map<NodeName, String> collect(
      ReportScope scope, List<NodeName> all, NodeName here, Path to)
      throws IOException {
    var missing = new ConcurrentSkipListMap<NodeName, String>();
    var other = new OtherNode(Arrays.asList(shell.strip().split("\\s+")), user, scope);
    var asked = new ArrayList<Thread>();
    for (var node : all) {
      if (!node.equals(here)) {
        asked.add(Thread.ofVirtual().start(() -> ask(other, node, to, missing)));
      }
    }
    if (all.contains(here)) {
      var directory = Files.createDirectory(to.resolve(here.text()));
      new NodeReport(terminal(), scope, directory).collect();
      tell(here + ": collected");
    }
    try {
      for (var one : asked) {
        one.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return missing;
  }

  private void ask(OtherNode other, NodeName node, Path to, Map<NodeName, String> missing) {
    try {
      other.collect(node, to, PATIENCE);
      tell(node + ": collected");
    } catch (IOException e) {
      missing.put(node, reason(e));
      tell("%s: ERROR: nothing could be collected: %s".formatted(node, reason(e)));
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private static void remove(Path directory) {
    try (var files = Files.walk(directory)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException _) {
      // a directory for its owner only, with a name that says what it is
    }
  }
}
