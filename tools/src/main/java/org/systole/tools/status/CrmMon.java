package org.systole.tools.status;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.status.ClusterStatus;
import org.systole.scheduler.status.Parts;
import org.systole.scheduler.status.Show;
import org.systole.scheduler.status.SummaryView;
import org.systole.scheduler.status.View;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.StatusMessages;
import org.systole.tools.fencing.FencingSections;
import org.systole.tools.remote.CibInUse;
import org.systole.tools.roles.RolesSection;
import picocli.CommandLine.Option;

/// `crm_mon`: the status of the cluster, once or kept up to date on a terminal.
@picocli.CommandLine.Command(description = "Provides a summary of cluster's current state.")
public final class CrmMon extends Command {
  private final StatusSections sections = new StatusSections();
  private final EnumSet<Show> show = EnumSet.of(Show.PENDING);
  private StatusSections.Chosen chosen =
      new StatusSections.Chosen(EnumSet.noneOf(Parts.class), null);
  private boolean once;
  private boolean legacyXml;
  private boolean simple;
  private @Nullable StatusMessages messages;
  private Duration refresh = Duration.ofSeconds(5);

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description =
          "When displaying information about nodes, show only what's related to the given node, or"
              + " to all nodes tagged with the given tag")
  private @Nullable String onlyNode;

  @Option(
      names = "--resource",
      paramLabel = "RSC",
      description =
          "When displaying information about resources, show only what's related to the given"
              + " resource, or to all resources tagged with the given tag")
  private @Nullable String onlyResource;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Be less descriptive in output.")
  private boolean quiet;

  @Option(
      names = {"-d", "--daemonize"},
      description =
          "Run in the background as a daemon. Requires at least one of --output-to and"
              + " --external-agent.")
  private boolean daemonize;

  @Option(
      names = {"-E", "--external-agent"},
      paramLabel = "FILE",
      description = "A program to run when resource operations take place")
  private @Nullable String agent;

  @Option(
      names = {"-e", "--external-recipient"},
      paramLabel = "RCPT",
      description =
          "A recipient for your program (assuming you want the program to send something to"
              + " someone).")
  private @Nullable String recipient;

  @Option(
      names = {"-p", "--pid-file"},
      hidden = true)
  private @Nullable String pidFile;

  @Option(
      names = {"-x", "--xml-file"},
      hidden = true)
  private @Nullable String file;

  @Option(names = "--html-cgi", description = "Add CGI headers (requires --output-as=html)")
  private boolean htmlCgi;

  @Option(
      names = "--html-stylesheet",
      paramLabel = "URI",
      description = "Link to an external stylesheet (requires --output-as=html)")
  private @Nullable String htmlStylesheet;

  @Option(
      names = "--html-title",
      paramLabel = "TITLE",
      description = "Specify a page title (requires --output-as=html)")
  private @Nullable String htmlTitle;

  public CrmMon() {
    super("crm_mon");
  }

  @Option(
      names = {"-i", "--interval"},
      paramLabel = "TIMESPEC",
      description = "Update frequency (default is 5 seconds).")
  private void interval(String text) {
    var millis = Interval.parse(text, -1);
    if (millis < 0) {
      throw new picocli.CommandLine.TypeConversionException("Invalid value for -i: '" + text + "'");
    }
    refresh = Duration.ofMillis(Math.max(millis, 100));
  }

  @Option(
      names = {"-1", "--one-shot"},
      description = "Display the cluster status once and exit")
  private void once(boolean yes) {
    once = true;
  }

  @Option(
      names = {"-I", "--include"},
      paramLabel = "SECTION(s)",
      description = "A list of sections to include in the output.")
  private void include(String names) {
    sections.include(names);
  }

  @Option(
      names = {"-U", "--exclude"},
      paramLabel = "SECTION(s)",
      description = "A list of sections to exclude from the output.")
  private void exclude(String names) {
    sections.exclude(names);
  }

  @Option(
      names = {"-n", "--group-by-node"},
      description = "Group resources by node")
  private void byNode(boolean yes) {
    show.add(Show.BY_NODE);
  }

  @Option(
      names = {"-r", "--inactive"},
      description = "Display inactive resources")
  private void inactive(boolean yes) {
    show.add(Show.INACTIVE);
  }

  @Option(
      names = {"-f", "--failcounts"},
      description = "Display resource fail counts")
  private void failcounts(boolean yes) {
    include("failcounts");
  }

  @Option(
      names = {"-o", "--operations"},
      description = "Display resource operation history")
  private void operations(boolean yes) {
    include("failcounts,operations");
  }

  @Option(
      names = {"-t", "--timing-details"},
      description = "Display resource operation history with timing details")
  private void timing(boolean yes) {
    show.add(Show.TIMING);
    include("operations");
  }

  @Option(
      names = {"-c", "--tickets"},
      description = "Display cluster tickets")
  private void tickets(boolean yes) {
    include("tickets");
  }

  @Option(
      names = {"-m", "--fence-history"},
      arity = "0..1",
      fallbackValue = "2",
      paramLabel = "LEVEL",
      description =
          "Show fence history: 0=off, 1=failures and pending (default without option), 2=add"
              + " successes (default without value for option), 3=show full history without"
              + " reduction to most recent of each flavor")
  private void fenceHistory(int level) {
    switch (level) {
      case 2, 3 -> sections.imply(true, "fencing");
      case 1 -> sections.imply(true, "fencing-failed,fencing-pending");
      case 0 -> sections.imply(false, "fencing");
      default -> throw new picocli.CommandLine.TypeConversionException("Fence history must be 0-3");
    }
  }

  @Option(
      names = {"-L", "--neg-locations"},
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "PREFIX",
      description = "Display negative location constraints [optionally filtered by id prefix]")
  private void bans(String prefix) {
    include(prefix.isEmpty() ? "bans" : "bans:" + prefix);
  }

  @Option(
      names = {"-A", "--show-node-attributes"},
      description = "Display node attributes")
  private void attributes(boolean yes) {
    include("attributes");
  }

  @Option(
      names = {"-D", "--hide-headers"},
      description = "Hide all headers")
  private void hideHeaders(boolean yes) {
    exclude("summary");
  }

  @Option(
      names = {"-R", "--show-detail"},
      description = "Show more details (node IDs, individual clone instances)")
  private void details(boolean yes) {
    show.addAll(ScreenKeys.DETAILS);
  }

  @Option(names = "--show-description", description = "Show resource descriptions")
  private void descriptions(boolean yes) {
    show.add(Show.DESCRIPTION);
  }

  @Option(
      names = {"-b", "--brief"},
      description = "Brief output")
  private void brief(boolean yes) {
    show.add(Show.BRIEF);
  }

  @Option(
      names = {"-j", "--pending"},
      hidden = true)
  private void pending(boolean yes) {
    show.add(Show.PENDING);
  }

  @Option(
      names = {"-W", "--watch-fencing"},
      description = "Listen for fencing events. For use with --external-agent.")
  private void watchFencing(boolean yes) {
    fenceHistory(0);
  }

  // Pacemaker 3 has it no more; monitoring programs and crmsh still ask for it.
  @Option(
      names = {"-s", "--simple-status"},
      hidden = true)
  private void simple(boolean yes) {
    simple = true;
    once = true;
    setOutputFormat("text");
  }

  @Option(
      names = {"-X", "--as-xml"},
      hidden = true)
  private void asXml(boolean yes) {
    legacyXml = true;
    setOutputFormat("xml");
  }

  @Override
  protected @Nullable Output output(String format, PrintStream to) {
    if (legacyXml && format.equals("xml")) {
      return new XmlOutput(to, terminal().err(), XmlOutput.Syntax.XML, request(), true);
    }
    return switch (format) {
      case "html" -> new HtmlOutput(to, terminal().err(), request(), page(to));
      case "console" -> super.output("text", to);
      default -> super.output(format, to);
    };
  }

  /// A browser that shows a page in a file reads it again as often as the file is written anew.
  private HtmlOutput.Page page(PrintStream to) {
    var title = htmlTitle == null ? "Cluster Status" : htmlTitle;
    var again = to == terminal().out() ? 0 : Math.max(1, refresh.toSeconds());
    return new HtmlOutput.Page(htmlCgi, htmlStylesheet, title, again);
  }

  @Override
  protected boolean errorsInResult() {
    return !legacyXml;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    var xml = out() instanceof XmlOutput;
    if (quiet) {
      sections.imply(false, "times");
    }
    chosen = sections.resolve(out());
    if (xml) {
      show.add(Show.INACTIVE);
      show.add(Show.TIMING);
    }
    if (daemonize || agent != null) {
      return inBackground();
    }
    var live = file == null && !hasFile();
    var console = outputFormat() == null || "console".equals(outputFormat());
    if (live && console && !once && terminal().isInteractive()) {
      var keys = new ScreenKeys(chosen.parts(), show);
      try (var _ = TerminalMode.ofKeys()) {
        return new StatusScreen(terminal(), refresh, this::draw, keys, TerminalMode::lines).run();
      }
    }
    return showOnce();
  }

  private ExitStatus inBackground() throws CommandException {
    var to = outputFile();
    if (!daemonize) {
      throw CommandException.usage("--external-agent goes with --daemonize");
    }
    if (to == null && agent == null) {
      throw CommandException.usage(
          "--daemonize requires at least one of --output-to (a file) and --external-agent");
    }
    var pid = pidFile == null ? StatusDaemon.PID_FILE : terminal().resolve(pidFile);
    var daemon = new StatusDaemon(terminal(), to, agent, recipient, pid);
    if (daemon.isInBackground()) {
      daemon.run(refresh, new Background());
    } else {
      daemon.begin();
    }
    return ExitStatus.OK;
  }

  /// What the process in the background shows.
  private final class Background implements StatusDaemon.Source {
    @Override
    public @Nullable Element cib() {
      return cibOrNull();
    }

    @Override
    public byte[] status(@Nullable Element cib) throws CommandException {
      return drawn(outputFormat() == null ? "text" : outputFormat(), cib, false);
    }
  }

  private boolean hasFile() {
    var environment = terminal().environment();
    return environment.containsKey("CIB_file") || environment.containsKey("CIB_shadow");
  }

  private ExitStatus showOnce() throws CommandException {
    messages = new StatusMessages(terminal(), verbosity());
    try (var cib = open()) {
      if (simple) {
        return SimpleStatus.show(status(ListedNodes.cib(terminal(), cib)), out()) ? ExitStatus.OK : ExitStatus.ERROR;
      }
      show(status(ListedNodes.cib(terminal(), cib)), cib.isLive(), out());
      return ExitStatus.OK;
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(),
          e.rc() == Rc.ENOTCONN
              ? "Error: cluster is not available on this node"
              : "Connection to cluster failed: " + e.rc().text());
    }
  }

  private CibTarget open() throws CibException, CommandException {
    var environment = new java.util.HashMap<>(terminal().environment());
    if (file != null) {
      environment.put("CIB_file", terminal().resolve(file).toString());
    }
    return CibInUse.open(Layout.of(environment), environment, "crm_mon", CibTarget.TIMEOUT);
  }

  private @Nullable Element cibOrNull() {
    try (var cib = open()) {
      return ListedNodes.cib(terminal(), cib);
    } catch (CibException | CommandException e) {
      return null;
    }
  }

  /// The whole display as text, for the screen.
  private String draw() throws CommandException {
    return new String(drawn("text", cibOrNull(), true), StandardCharsets.UTF_8);
  }

  /// @param cib null if the cluster cannot be reached
  /// @param headed whether problems and what is going on come first
  private byte[] drawn(String format, @Nullable Element cib, boolean headed)
      throws CommandException {
    var bytes = new ByteArrayOutputStream();
    var stream = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    var to = output(format, stream);
    if (to instanceof TextOutput text) {
      text.setFancy(true);
    }
    if (to != null && cib == null) {
      to.info("Not connected to CIB: " + Rc.ENOTCONN.text());
    } else if (to != null && cib != null) {
      var status = status(cib);
      if (headed && to instanceof TextOutput text) {
        FirstLines.show(text, Problems.of(status), FirstLines.work(terminal()));
      }
      show(status, true, to);
    }
    if (to != null) {
      to.finish(0);
    }
    stream.flush();
    return bytes.toByteArray();
  }

  private WorkingSet status(Element original) throws CommandException {
    if (original.attributeCount() == 0) { // access control lists leave only the way to what may be read
      throw new CommandException(
          ExitStatus.INSUFFICIENT_PRIV,
          "Permission denied: you may read only parts of the CIB; the status takes the right to read all of it but what is secret");
    }
    var upgraded = SchemaUpgrade.toCurrent(original);
    upgraded.warnings().forEach(it -> terminal().err().println("WARNING: " + it));
    if (!upgraded.isOk()) {
      upgraded.problems().forEach(terminal().err()::println);
      throw new CommandException(upgraded.rc().exit(), "Upgrade failed: " + upgraded.rc().text());
    }
    var now = terminal().clock().get();
    var status = Status.of(upgraded.cib(), now, terminal().zone(), Set.of());
    if (messages != null) {
      messages.tell(status);
    }
    return status;
  }

  private void show(WorkingSet status, boolean live, Output to) {
    var parts = chosen.parts().isEmpty() ? EnumSet.noneOf(Parts.class) : EnumSet.copyOf(chosen.parts());
    if (status.dc() == null) {
      parts.add(Parts.DC);
    }
    if (parts.contains(Parts.BANS) || parts.contains(Parts.TICKETS)) {
      Scheduler.readConstraints(status);
    }
    var view = new View(status, to, show, StatusFilters.nodes(status, onlyNode), StatusFilters.resources(status, onlyResource), terminal().zone());
    ClusterStatus.show(
        view,
        parts,
        live ? SummaryView.DaemonState.RUNNING : null,
        chosen.banPrefix(),
        status.now().getEpochSecond(),
        RolesSection.before(
            live ? FencingSections.of(view, parts, terminal()) : ClusterStatus.Extra.NONE,
            view,
            live ? terminal() : null));
  }
}
