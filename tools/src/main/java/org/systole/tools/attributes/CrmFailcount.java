package org.systole.tools.attributes;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.layout.Layout;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.Interval;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LocalNodeName;
import org.systole.tools.remote.CibInUse;
import org.systole.tools.resource.CrmResource;
import picocli.CommandLine.Option;

/// `crm_failcount`: queries and clears the number of failures of a resource on a node.
@picocli.CommandLine.Command(description = "Query or clear a resource's fail counts")
public final class CrmFailcount extends Command {
  private enum Mode {
    NONE,
    QUERY,
    DELETE
  }

  private Mode mode = Mode.NONE;

  @Option(
      names = {"-r", "--resource", "--resource-id"},
      paramLabel = "RESOURCE",
      description = "Name of the resource to use (required)")
  private @Nullable String resource;

  @Option(
      names = {"-n", "--operation"},
      paramLabel = "OPERATION",
      description = "Name of operation to use instead of all operations")
  private String operation = "";

  @Option(
      names = {"-I", "--interval"},
      paramLabel = "INTERVAL",
      description = "If operation is specified, its interval")
  private String interval = "0";

  @Option(
      names = {"-N", "--node", "-U", "--uname"},
      paramLabel = "NODE",
      description = "Use failcount on this node instead of the local node")
  private @Nullable String node;

  @Option(
      names = {"-q", "-Q", "--quiet"},
      description = "Print only the value (if querying)")
  private boolean quiet;

  @Option(
      names = {"-l", "--lifetime", "-v", "--attr-value", "-i", "--attr-id"},
      hidden = true)
  private void ignored(String value) {}

  public CrmFailcount() {
    super("crm_failcount");
  }

  @Option(
      names = {"-G", "--query", "--get-value"},
      description = "Query the resource's current fail count on the node")
  private void query(boolean yes) {
    mode = Mode.QUERY;
  }

  @Option(
      names = {"-D", "--delete", "--delete-attr"},
      description = "Delete the resource's current fail count on the node")
  private void delete(boolean yes) {
    mode = Mode.DELETE;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    if (mode == Mode.NONE) {
      throw CommandException.usage("You must specify one of: --query --delete");
    }
    if (resource == null) {
      throw CommandException.usage("You must specify a resource name (--resource)");
    }
    var environment = terminal().environment();
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, "crm_failcount", CibTarget.TIMEOUT)) {
      var on = node == null ? LocalNodeName.of(terminal(), cib.isLive()) : node;
      if (mode == Mode.DELETE) {
        return clear(resource, on);
      }
      if (new CibAttributes(cib, out()).node(on) == null) {
        terminal().err().println("crm_attribute: Could not map name=" + on + " to a UUID");
        showUnknown(resource);
      } else {
        show(cib.cib(), resource, on);
      }
      return ExitStatus.OK;
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not connect to the CIB: " + e.rc().text());
    }
  }

  private ExitStatus clear(String rsc, String on) {
    var line = new ArrayList<String>();
    line.addAll(List.of("--cleanup", "-N", on, "-r", rsc));
    if (quiet) {
      line.add("--quiet");
    }
    if (!operation.isEmpty()) {
      line.addAll(List.of("-n", operation, "-I", Interval.parse(interval) + "ms"));
    }
    var code = new CrmResource().run(terminal(), line.toArray(String[]::new));
    return code == 0 ? ExitStatus.OK : ExitStatus.ERROR;
  }

  /// Scripts expect an answer without a value, and success, for a node that does not exist.
  private void showUnknown(String rsc) {
    terminal().out().println(quiet ? "" : "scope=status  name=" + name(rsc) + " value=");
  }

  private String name(String rsc) {
    var plain = FailureAttribute.COUNT + "-" + rsc;
    return operation.isEmpty()
        ? plain
        : "%s#%s_%d".formatted(plain, operation, Interval.parse(interval));
  }

  private void show(Element cib, String rsc, String on) {
    var plain = FailureAttribute.COUNT + "-" + rsc;
    var shown = name(rsc);
    var count = 0;
    if (operation.isEmpty()) {
      for (var pair : transientAttributes(cib, on)) {
        if (pair.get("name", "").startsWith(plain + "#")) {
          count = Score.add(count, Score.parse(pair.get("value", "0"), 0));
        }
      }
    } else {
      count = value(cib, on, shown);
    }
    if (count == 0) {
      count = value(cib, on, plain); // as it was counted before operations were told apart
      shown = count == 0 ? shown : plain;
    }
    terminal()
        .out()
        .println(
            quiet
                ? Score.format(count)
                : "scope=status  name=%s value=%s".formatted(shown, Score.format(count)));
  }

  private static int value(Element cib, String on, String name) {
    for (var pair : transientAttributes(cib, on)) {
      if (name.equals(pair.get("name"))) {
        return Score.parse(pair.get("value", "0"), 0);
      }
    }
    return 0;
  }

  private static List<Element> transientAttributes(Element cib, String on) {
    var found = new ArrayList<Element>();
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      if (!on.equals(state.get("uname"))) {
        continue;
      }
      for (var attributes : state.children("transient_attributes")) {
        for (var set : attributes.children("instance_attributes")) {
          found.addAll(set.children("nvpair"));
        }
      }
    }
    return found;
  }
}
