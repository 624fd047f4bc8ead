package org.systole.tools.attributes;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrConnection;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Named;
import picocli.CommandLine.Option;

/// `attrd_updater`: asks and tells the attribute manager.
@picocli.CommandLine.Command(description = "query and update Pacemaker node attributes")
public final class AttrdUpdater extends Command {
  private enum Task {
    UPDATE,
    UPDATE_BOTH,
    UPDATE_DELAY,
    QUERY,
    DELETE,
    REFRESH
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private Task task = Task.QUERY;
  private @Nullable String value;
  private @Nullable String mistake;
  private AttrMessage.Wait until = AttrMessage.Wait.NO;

  @Option(
      names = {"-n", "--name"},
      paramLabel = "NAME",
      description = "The attribute's name")
  private @Nullable String attribute;

  @Option(
      names = {"-P", "--pattern"},
      paramLabel = "PATTERN",
      description = "Operate on all attributes matching this pattern (with -B, -D, -U, or -Y)")
  private @Nullable String pattern;

  @Option(
      names = {"-d", "--delay"},
      paramLabel = "SECONDS",
      description =
          "The time to wait (dampening) in seconds for further changes before sending to the CIB")
  private @Nullable String delay;

  @Option(
      names = {"-s", "--set"},
      paramLabel = "SET",
      description = "(Advanced) The attribute set in which to place the value")
  private @Nullable String set;

  @Option(
      names = {"-N", "--node"},
      paramLabel = "NODE",
      description =
          "Use the named node for setting and querying the attribute (instead of the local one)")
  private @Nullable String node;

  @Option(
      names = {"-A", "--all"},
      description = "Show values of the attribute for all nodes (query only)")
  private boolean all;

  @Option(
      names = {"-p", "--private"},
      description = "If this creates a new attribute, never write the attribute to CIB")
  private boolean isPrivate;

  @Option(
      names = {"-z", "--utilization"},
      description = "When creating a new attribute, create it as a node utilization attribute")
  private boolean utilization;

  @Option(
      names = {"-q", "--quiet"},
      hidden = true)
  private boolean quiet;

  public AttrdUpdater() {
    super("attrd_updater");
  }

  @Option(
      names = {"-U", "--update", "-v"},
      paramLabel = "VALUE",
      description = "Update attribute's value. Required: -n/--name or -P/--pattern.")
  private void update(String newValue) {
    task = Task.UPDATE;
    value = newValue;
  }

  @Option(
      names = {"-B", "--update-both"},
      paramLabel = "VALUE",
      description = "Update attribute's value and time to wait (dampening). Requires -d/--delay")
  private void updateBoth(String newValue) {
    task = Task.UPDATE_BOTH;
    value = newValue;
  }

  @Option(
      names = {"-Y", "--update-delay"},
      description = "Update attribute's dampening. Requires -d/--delay")
  private void updateDelay(boolean yes) {
    task = Task.UPDATE_DELAY;
    value = null;
  }

  @Option(
      names = {"-Q", "--query"},
      description = "Query the attribute's value from the attribute manager")
  private void query(boolean yes) {
    task = Task.QUERY;
  }

  @Option(
      names = {"-D", "--delete"},
      description = "Unset attribute from the attribute manager")
  private void delete(boolean yes) {
    task = Task.DELETE;
    value = null;
  }

  @Option(
      names = {"-R", "--refresh"},
      description =
          "(Advanced) Force the attribute manager to resend all current values to the CIB")
  private void refresh(boolean yes) {
    task = Task.REFRESH;
  }

  @Option(
      names = {"-l", "--lifetime", "-S", "--section"},
      paramLabel = "SECTION",
      description = "Lifetime of the node attribute (ignored by the cluster)")
  private void lifetime(String section) {
    switch (section) {
      case "nodes", "forever", "status", "reboot" -> {}
      default -> mistake = "Unknown value for --lifetime: " + section;
    }
  }

  @Option(
      names = {"-W", "--wait"},
      paramLabel = "UNTIL",
      description = "Wait for some event to occur before returning: no, local or cluster")
  private void waitUntil(String event) {
    switch (event) {
      case "no" -> until = AttrMessage.Wait.NO;
      case "local" -> until = AttrMessage.Wait.LOCAL;
      case "cluster" -> until = AttrMessage.Wait.CLUSTER;
      default -> mistake = "--wait= must be one of 'no', 'local', 'cluster'";
    }
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    checkOptions();
    try (var attributes = AttrConnection.open(Layout.of(terminal().environment()), TIMEOUT)) {
      return switch (task) {
        case QUERY -> query(attributes);
        case REFRESH -> ended(attributes.refresh());
        case UPDATE, UPDATE_BOTH, UPDATE_DELAY, DELETE -> ended(attributes.update(update()));
      };
    } catch (IOException e) {
      throw new CommandException(
          Rc.ENOTCONN.exit(),
          "Could not connect to attribute manager: %s".formatted(Rc.ENOTCONN.text()));
    }
  }

  private void checkOptions() throws CommandException {
    if (mistake != null) {
      throw CommandException.usage(mistake);
    }
    if (pattern != null && attribute != null) {
      throw CommandException.usage("Error: --name and --pattern cannot be used at the same time");
    }
    if (pattern != null && (task == Task.QUERY || task == Task.REFRESH)) {
      throw CommandException.usage("Error: pattern can only be used with delete or update");
    }
    if (task != Task.REFRESH && attribute == null && pattern == null) {
      throw CommandException.usage("Command requires --name or --pattern argument");
    }
    if ((task == Task.UPDATE_BOTH || task == Task.UPDATE_DELAY) && delay == null) {
      out()
          .info(
              "Warning: '%s' command given without required --delay"
                  .formatted(task == Task.UPDATE_BOTH ? "B" : "Y"));
    }
  }

  private AttrMessage.Update update() throws CommandException {
    var change =
        switch (task) {
          case UPDATE_BOTH -> AttrMessage.Change.VALUE_AND_DELAY;
          case UPDATE_DELAY -> AttrMessage.Change.DELAY;
          case UPDATE, DELETE, QUERY, REFRESH -> AttrMessage.Change.VALUE;
        };
    var millis = delay == null ? null : Interval.readMs(delay);
    var isWrong = delay != null && (millis == null || millis < 0);
    return new AttrMessage.Update(
        change,
        attribute == null ? "" : attribute,
        pattern == null ? "" : pattern,
        target(),
        value,
        millis == null || isWrong ? -1 : millis,
        new AttrMessage.Kind(set == null ? "" : set, utilization, isPrivate),
        false,
        until,
        null,
        isWrong || task != Task.UPDATE ? delay : null);
  }

  /// The node that is meant, null for the one this runs on. In a bundle it may be the container's
  /// host.
  private @Nullable NodeName target() throws CommandException {
    if (node != null && !node.equalsIgnoreCase("auto") && !node.equalsIgnoreCase("localhost")) {
      return Named.node(node);
    }
    var environment = terminal().environment();
    var host = environment.get("OCF_RESKEY_CRM_meta_physical_host");
    var wanted = environment.get("OCF_RESKEY_CRM_meta_container_attribute_target");
    if (host != null && "host".equalsIgnoreCase(wanted)) {
      return Named.node(host);
    }
    var local = environment.getOrDefault("OCF_RESKEY_CRM_meta_on_node", "");
    return local.isEmpty() ? null : Named.node(local);
  }

  private ExitStatus query(AttrConnection attributes) throws IOException, CommandException {
    var name = attribute == null ? "" : attribute;
    var target = target();
    var answer =
        attributes.query(name, all ? null : target == null ? new NodeName("localhost") : target);
    if (answer.values().isEmpty()) {
      throw new CommandException(
          Rc.SCHEMA_VALIDATION.exit(),
          "Could not query value of %s: attribute does not exist".formatted(name));
    }
    for (var each : answer.values()) {
      show(name, each.node().text(), each.value() == null ? "" : each.value());
    }
    return ExitStatus.OK;
  }

  private void show(String name, String host, String shown) {
    switch (out()) {
      case TextOutput text ->
          text.info("name=\"%s\" host=\"%s\" value=\"%s\"".formatted(name, host, escaped(shown)));
      case XmlOutput xml -> xml.add("attribute", "name", name, "value", shown, "host", host);
    }
  }

  private static String escaped(String text) {
    return text.replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t");
  }

  private ExitStatus ended(AttrMessage.Done done) throws CommandException {
    return switch (done.outcome()) {
      case OK -> ExitStatus.OK;
      case MISSING -> throw new CommandException(ExitStatus.NOSUCH, done.why());
      case DENIED ->
          throw CommandException.denied(
              "Could not update %s=%s".formatted(attribute == null ? pattern : attribute, value),
              done.why());
      case REFUSED, FAILED ->
          throw new CommandException(
              ExitStatus.ERROR,
              "Could not update %s=%s: %s"
                  .formatted(attribute == null ? pattern : attribute, value, done.why()));
    };
  }
}
