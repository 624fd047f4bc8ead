package org.systole.tools.hosts;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.controld.client.CtlMessage.HostOrder;
import org.systole.hostha.HostView;
import org.systole.hostha.config.Setting;
import org.systole.hostha.fsm.HostEvent;
import org.systole.hostha.fsm.HostState;
import org.systole.hostha.fsm.Transitions;
import org.systole.hostha.replay.Entry;
import org.systole.hostha.replay.Replay;
import org.systole.hostha.replay.ReplayException;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Named;
import org.systole.tools.cli.Typing;
import org.systole.tools.cli.UnreadFile;
import picocli.CommandLine.Option;

/// `crm_hostha`: host HA. It shows the hosts of a running cluster, has the DC do something about them,
/// changes settings, runs scripts, and lists settings and transitions.
@picocli.CommandLine.Command(description = "show, configure and try out host HA: graded recovery of hosts")
public final class CrmHostha extends Command {
  private static final int SCRIPT_MAX = 16 * 1024 * 1024;

  /// Options that a person may take for subcommands.
  private static final List<String> WORDS =
      List.of(
          "--list", "--show", "--configure", "--enable", "--disable", "--check", "--try", "--hold", "--release",
          "--recover", "--fence", "--confirm", "--clear", "--replay", "--list-settings", "--list-configuration",
          "--list-transitions");

  @Option(
      names = {"-r", "--replay"},
      paramLabel = "FILE",
      description =
          "Run a script of hosts, time, answers of providers and events ('-': standard input);"
              + " --verbose shows every check, too")
  private @Nullable String replay;

  @Option(
      names = {"-s", "--list-settings"},
      description = "List all settings with default, narrowest scope and effect")
  private boolean settings;

  @Option(
      names = {"--list-configuration"},
      description = "List which settings are in force: in the cluster and all its parts, or for --for")
  private boolean configuration;

  @Option(
      names = {"-t", "--list-transitions"},
      description = "List what happens in which state because of what; --verbose: and what is ignored, and why")
  private boolean transitions;

  @Option(
      names = {"-l", "--list"},
      description = "List the hosts with their states and why they are in them; --verbose: and their last moves")
  private boolean list;

  @Option(
      names = {"-S", "--show"},
      paramLabel = "HOST",
      description = "Show a host with its checks, recoveries and last moves")
  private @Nullable String shown;

  @Option(
      names = {"-c", "--configure"},
      paramLabel = "NAME=VALUE",
      description = "Set something for --for, or unset it (NAME=)")
  private @Nullable String setting;

  @Option(
      names = {"-e", "--enable"},
      description = "Switch host HA on for --for")
  private boolean enable;

  @Option(
      names = {"-d", "--disable"},
      description = "Switch host HA off for --for")
  private boolean disable;

  @Option(
      names = {"-f", "--for"},
      paramLabel = "PLACE",
      description =
          "A host, or a zone or partition such as zone=east; the whole cluster if this is not given")
  private @Nullable String place;

  @Option(
      names = {"--check"},
      paramLabel = "HOST",
      description = "Check a host now")
  private @Nullable String checked;

  @Option(
      names = {"--try"},
      paramLabel = "HOST",
      description = "Do all checks of a host once and show what they say; nothing follows from it")
  private @Nullable String tried;

  @Option(
      names = {"--hold"},
      paramLabel = "HOST",
      description = "Neither recover nor fence a host until --release; --reason says why")
  private @Nullable String heldHost;

  @Option(
      names = {"--reason"},
      paramLabel = "TEXT",
      description = "Why (with --hold)")
  private String why = "";

  @Option(
      names = {"--release"},
      paramLabel = "HOST",
      description = "End --hold")
  private @Nullable String released;

  @Option(
      names = {"--recover"},
      paramLabel = "HOST",
      description = "Cycle a host's power, whatever its neighbours see and guards say (needs --force)")
  private @Nullable String recovered;

  @Option(
      names = {"--fence"},
      paramLabel = "HOST",
      description = "Fence a host, whatever its neighbours see and guards say (needs --force)")
  private @Nullable String fenced;

  @Option(
      names = {"--confirm"},
      paramLabel = "HOST",
      description = "Say that you have seen the power of a host that is being fenced off (needs --force)")
  private @Nullable String confirmed;

  @Option(
      names = {"--clear"},
      paramLabel = "HOST",
      description = "Say that a fenced host is good again; ends its maintenance")
  private @Nullable String cleared;

  @Option(
      names = {"--force"},
      description = "Do what may cost data if you are wrong")
  private boolean force;

  public CrmHostha() {
    super("crm_hostha");
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    var modes = 0;
    for (var given : new boolean[] {replay != null, settings, configuration, transitions, list, enable, disable}) {
      modes += given ? 1 : 0;
    }
    var orders = orders();
    for (var given : new @Nullable String[] {shown, setting, tried}) {
      modes += given == null ? 0 : 1;
    }
    modes += orders.size();
    if (!arguments().isEmpty()) {
      throw stray(arguments().getFirst());
    }
    if (modes != 1) {
      throw CommandException.usage("exactly one option says what to do; --help lists them");
    }
    if (place != null && place.isBlank()) {
      throw CommandException.usage("--for takes a host, or a zone or partition such as zone=east; leave it out for the whole cluster");
    }
    if (place != null && !enable && !disable && setting == null && !configuration) {
      throw CommandException.usage("--for goes with --configure, --enable, --disable and --list-configuration");
    }
    if (!why.isEmpty() && heldHost == null) {
      throw CommandException.usage("--reason goes with --hold");
    }
    if (list || shown != null || tried != null || !orders.isEmpty()) {
      return live(orders);
    }
    if (enable || disable || setting != null) {
      return new HostSettings(terminal(), out())
          .change(setting != null ? setting : "ha.enabled=" + enable, place == null ? "" : place, force);
    }
    if (configuration) {
      new HostConfigurations(terminal(), out()).list(place == null ? "" : place);
      return ExitStatus.OK;
    }
    if (settings) {
      listSettings();
      return ExitStatus.OK;
    }
    if (transitions) {
      listTransitions();
      return ExitStatus.OK;
    }
    return replay(replay == null ? "" : replay);
  }

  /// A word that stands by itself, as a subcommand would.
  private static CommandException stray(String word) {
    var meant = Typing.near("--" + word, WORDS);
    return CommandException.usage(
        "'%s' belongs to no option%s; --help lists them".formatted(word, meant == null ? "" : " (is %s meant?)".formatted(meant)));
  }

  @Override
  protected boolean isOurs() {
    return true;
  }

  /// What is to be done about which host; nothing or one.
  private Map<HostOrder, String> orders() {
    var all = new EnumMap<HostOrder, String>(HostOrder.class);
    put(all, HostOrder.CHECK, checked);
    put(all, HostOrder.HOLD, heldHost);
    put(all, HostOrder.RELEASE, released);
    put(all, HostOrder.RECOVER, recovered);
    put(all, HostOrder.FENCE, fenced);
    put(all, HostOrder.CONFIRM, confirmed);
    put(all, HostOrder.CLEAR, cleared);
    return all;
  }

  private static void put(Map<HostOrder, String> all, HostOrder order, @Nullable String given) {
    if (given != null) {
      all.put(order, given);
    }
  }

  private ExitStatus live(Map<HostOrder, String> orders) throws CommandException {
    var live = new LiveHosts(terminal(), out());
    for (var order : orders.entrySet()) {
      var dangerous =
          switch (order.getKey()) {
            case RECOVER, FENCE, CONFIRM -> true;
            case CHECK, HOLD, RELEASE, CLEAR -> false;
          };
      if (dangerous && !force) {
        throw new CommandException(
            ExitStatus.USAGE,
            "That is dangerous if you are wrong about the host, and needs --force: nothing was done");
      }
      live.order(Named.node(order.getValue()), order.getKey(), why);
      return ExitStatus.OK;
    }
    if (tried != null) {
      live.tryOut(Named.node(tried));
      return ExitStatus.OK;
    }
    if (shown != null) {
      live.show(Named.node(shown));
    } else {
      var all = verbosity() > 0;
      live.list(all ? live.histories() : live.hosts(null), all);
    }
    return ExitStatus.OK;
  }

  private ExitStatus replay(String path) throws CommandException {
    List<Entry> entries;
    try {
      entries = Replay.run(lines(path));
    } catch (ReplayException e) {
      throw new CommandException(ExitStatus.DATAERR, path + ": " + ("" + e.getMessage()).replace("\n", "\n" + path + ": "));
    }
    if (out() instanceof XmlOutput xml) {
      xml.open("host-ha-replay");
    }
    var unexpected = 0;
    for (var entry : entries) {
      unexpected += entry instanceof Entry.Unexpected ? 1 : 0;
      if (!(entry instanceof Entry.Action it && it.minor()) || verbosity() > 0) {
        show(entry);
      }
    }
    if (out() instanceof XmlOutput xml) {
      xml.close();
    }
    if (unexpected > 0) {
      throw new CommandException(
          ExitStatus.ERROR, "%s: %d expectations are not met".formatted(path, unexpected));
    }
    return ExitStatus.OK;
  }

  private List<String> lines(String path) throws CommandException {
    var file = terminal().resolve(path);
    byte[] bytes;
    try (var in = path.equals("-") ? terminal().in() : Files.newInputStream(file)) {
      bytes = read(path, in);
    } catch (IOException e) {
      throw UnreadFile.of("the script " + path, file, e);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().lines()
          .toList();
    } catch (CharacterCodingException e) {
      throw new CommandException(ExitStatus.DATAERR, path + " is not UTF-8 text");
    }
  }

  private static byte[] read(String path, InputStream in) throws IOException, CommandException {
    var bytes = in.readNBytes(SCRIPT_MAX + 1);
    if (bytes.length > SCRIPT_MAX) {
      throw new CommandException(
          ExitStatus.DATAERR, path + " is larger than " + SCRIPT_MAX + " bytes");
    }
    return bytes;
  }

  private void show(Entry entry) {
    switch (out()) {
      case XmlOutput xml -> add(xml, entry);
      case TextOutput text ->
          text.print("%10s  %s%n".formatted(Entry.seconds(entry.at()), entry.describe()));
    }
  }

  private static void add(XmlOutput xml, Entry entry) {
    var time = Entry.seconds(entry.at());
    switch (entry) {
      case Entry.Moved it ->
          xml.add("transition", "time", time, "host", it.what().host().text())
              .attr("from", it.what().from().name())
              .attr("to", it.what().to().name())
              .attr("event", it.what().event().text())
              .attr("reason", orNull(it.what().why()));
      case Entry.Action it ->
          xml.add("action", "time", time, "host", it.host().text(), "name", it.action())
              .attr("detail", orNull(it.detail()));
      case Entry.Told it ->
          xml.add("told", "time", time, "kind", it.alert() ? "alert" : "event")
              .attr("host", it.host() == null ? null : it.host().text())
              .attr("text", it.text());
      case Entry.Queue it ->
          xml.add("queue", "time", time, "name", it.name())
              .attr("waiting", it.waiting())
              .attr("running", it.running())
              .attr("refused", it.refused());
      case Entry.Shown it -> add(xml, time, it.host());
      case Entry.Said it -> xml.add("script", "time", time, "text", it.text());
      case Entry.Unexpected it ->
          xml.add("unexpected", "time", time, "line", Integer.toString(it.line()))
              .attr("text", it.text());
    }
  }

  private static void add(XmlOutput xml, String time, HostView it) {
    xml.add("host", "time", time, "name", it.name().text(), "state", it.state().name())
        .attr("since", Entry.seconds(it.since()))
        .attr("reason", orNull(it.reason()))
        .attr("power", it.power() == null ? null : it.power().name().toLowerCase(Locale.ROOT))
        .attr("recoveries", it.attempts())
        .attr("activity-checks", it.looks())
        .attr("activity-failures", it.failures())
        .attr("activity-unknown", it.blind())
        .attr("maintenance", it.maintenance())
        .attr("held", it.held());
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private void listSettings() {
    if (out() instanceof XmlOutput xml) {
      xml.open("host-ha-settings");
    }
    for (var it : Setting.values()) {
      switch (out()) {
        case XmlOutput xml ->
            xml.add("setting", "name", it.text(), "default", it.defaultValue())
                .attr("narrowest", it.narrowest().text())
                .attr("takes", it.takes())
                .attr("effect", it.effect());
        case TextOutput text ->
            text.print(
                "%s=%s (%s; for a %s at most)%n  %s%n"
                    .formatted(
                        it.text(),
                        it.defaultValue(),
                        it.takes(),
                        it.narrowest().text(),
                        it.effect()));
      }
    }
    if (out() instanceof XmlOutput xml) {
      xml.close();
    }
  }

  private void listTransitions() {
    if (out() instanceof XmlOutput xml) {
      xml.open("host-ha-transitions");
    }
    for (var state : HostState.values()) {
      for (var event : HostEvent.values()) {
        show(state, event);
      }
    }
    if (out() instanceof XmlOutput xml) {
      xml.close();
    }
  }

  private void show(HostState state, HostEvent event) {
    var step = Transitions.TABLE.step(state, event);
    if (step.ignored() != null && verbosity() == 0) {
      return;
    }
    var deeds = String.join(", ", step.deeds().stream().map(it -> it.text()).toList());
    switch (out()) {
      case XmlOutput xml ->
          xml.add("transition", "from", state.name(), "event", event.text())
              .attr("to", step.next().name())
              .attr("deeds", orNull(deeds))
              .attr("ignored", step.ignored());
      case TextOutput text -> {
        var then = step.ignored() == null ? deeds : "ignored: " + step.ignored();
        text.print(
            "%-10s  %-40s  %-10s  %s"
                    .formatted(state, event.text(), step.next(), then)
                    .stripTrailing()
                + "\n");
      }
    }
  }
}
