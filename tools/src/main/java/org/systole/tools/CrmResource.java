package org.systole.tools;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.cibd.client.Cibs;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.controld.client.CtlConnection;
import org.systole.controld.client.CtlMessage;
import org.systole.schedulerd.model.ClusterFlag;
import org.systole.schedulerd.model.Node;
import org.systole.schedulerd.model.Resource;
import org.systole.schedulerd.model.WorkingSet;
import org.systole.schedulerd.status.NameFilter;
import org.systole.schedulerd.status.OperationsView;
import org.systole.schedulerd.status.ResourceView;
import org.systole.schedulerd.status.Show;
import org.systole.schedulerd.status.View;
import org.systole.schedulerd.unpack.Status;
import org.systole.schedulerd.upgrade.SchemaUpgrade;
import picocli.CommandLine.Option;

/// `crm_resource`: everything an administrator does with resources.
@picocli.CommandLine.Command(
    description = "perform tasks related to Pacemaker cluster resources")
public final class CrmResource extends Command {
  private enum Mode {
    LIST,
    LIST_RAW,
    LOCATE,
    BAN,
    MOVE,
    CLEAR,
    CLEANUP,
    REFRESH,
    SET,
    GET,
    DELETE_PARAMETER,
    DELETE,
    QUERY_XML,
    QUERY_XML_RAW,
    WHY,
    FAIL,
    WAIT,
    OPERATIONS,
    ALL_OPERATIONS
  }

  private Mode mode = Mode.LIST;
  private String name = "";
  private String setType = ResourceParameters.INSTANCE;

  @Option(
      names = {"-r", "--resource"},
      paramLabel = "ID",
      description = "Resource ID")
  private @Nullable String requested;

  @Option(
      names = {"-N", "--node", "-H", "--host-uname"},
      paramLabel = "NAME",
      description = "Node name")
  private @Nullable String nodeName;

  @Option(
      names = {"-v", "--parameter-value"},
      paramLabel = "PARAM",
      description = "Value to use with -p")
  private String value = "";

  @Option(
      names = {"-s", "--set-name"},
      paramLabel = "ID",
      description = "(Advanced) XML ID of attributes element to use (with -p, -d)")
  private String setName = "";

  @Option(
      names = {"-i", "--nvpair"},
      paramLabel = "ID",
      description = "(Advanced) XML ID of nvpair element to use (with -p, -d)")
  private String nvpair = "";

  @Option(
      names = {"-t", "--resource-type"},
      paramLabel = "ELEMENT",
      description = "Resource XML element (primitive, group, etc.) (with -D)")
  private @Nullable String type;

  @Option(
      names = {"-n", "--operation"},
      paramLabel = "OPERATION",
      description = "Operation to clear instead of all (with -C -r)")
  private String operation = "";

  @Option(
      names = {"-I", "--interval"},
      paramLabel = "N",
      description = "Interval of operation to clear (default 0) (with -C -r -n)")
  private @Nullable String interval;

  @Option(
      names = {"-u", "--lifetime"},
      paramLabel = "TIMESPEC",
      description = "Lifespan (as ISO 8601 duration) of created constraints (with -B, -M)")
  private @Nullable String lifetime;

  @Option(
      names = {"--promoted", "--master"},
      description = "Limit scope of command to promoted role (with -B, -M, -U)")
  private boolean promoted;

  @Option(
      names = {"-e", "--expired"},
      description = "Modifies the --clear argument to remove constraints with expired lifetimes.")
  private boolean expired;

  @Option(
      names = {"-T", "--timeout"},
      paramLabel = "N",
      description = "(Advanced) Abort if command does not finish in this time (with --restart, --wait, --force-*)")
  private @Nullable String timeout;

  @Option(
      names = "--recursive",
      description = "Follow colocation chains when using --set-parameter or --constraints")
  private boolean recursive;

  @Option(
      names = {"-f", "--force"},
      description = "Force the action to be performed. See help for individual commands for additional behavior.")
  private boolean force;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Be less descriptive in output.")
  private boolean quiet;

  public CrmResource() {
    super("crm_resource");
  }

  @Option(
      names = {"-L", "--list"},
      description = "List all cluster resources with status")
  private void list(boolean yes) {
    mode = Mode.LIST;
  }

  @Option(
      names = {"-l", "--list-raw"},
      description = "List IDs of all instantiated resources (individual members rather than groups etc.)")
  private void listRaw(boolean yes) {
    mode = Mode.LIST_RAW;
  }

  @Option(
      names = {"-O", "--list-operations"},
      description = "List active resource operations, optionally filtered by -r and/or -N")
  private void operations(boolean yes) {
    mode = Mode.OPERATIONS;
  }

  @Option(
      names = {"-o", "--list-all-operations"},
      description = "List all resource operations, optionally filtered by -r and/or -N")
  private void allOperations(boolean yes) {
    mode = Mode.ALL_OPERATIONS;
  }

  @Option(
      names = {"-W", "--locate"},
      description = "Show node(s) currently running resource")
  private void locate(boolean yes) {
    mode = Mode.LOCATE;
  }

  @Option(
      names = {"-q", "--query-xml"},
      description = "Show XML configuration of resource (after any template expansion)")
  private void queryXml(boolean yes) {
    mode = Mode.QUERY_XML;
  }

  @Option(
      names = {"-w", "--query-xml-raw"},
      description = "Show XML configuration of resource (before any template expansion)")
  private void queryXmlRaw(boolean yes) {
    mode = Mode.QUERY_XML_RAW;
  }

  @Option(
      names = {"-Y", "--why"},
      description = "Show why resources are not running, optionally filtered by -r and/or -N")
  private void why(boolean yes) {
    mode = Mode.WHY;
  }

  @Option(
      names = {"-g", "--get-parameter"},
      paramLabel = "PARAM",
      description = "Display named parameter for resource (use instance attribute unless --element, --meta, or --utilization is specified)")
  private void get(String parameter) {
    mode = Mode.GET;
    name = parameter;
  }

  @Option(
      names = {"-p", "--set-parameter"},
      paramLabel = "PARAM",
      description = "Set named parameter for resource (requires -v)")
  private void set(String parameter) {
    mode = Mode.SET;
    name = parameter;
  }

  @Option(
      names = {"-d", "--delete-parameter"},
      paramLabel = "PARAM",
      description = "Delete named parameter for resource")
  private void deleteParameter(String parameter) {
    mode = Mode.DELETE_PARAMETER;
    name = parameter;
  }

  @Option(
      names = {"-m", "--meta"},
      description = "Modify a resource's configuration option rather than one which is passed to the resource agent script. For use with -p, -g, -d.")
  private void meta(boolean yes) {
    setType = ResourceParameters.META;
  }

  @Option(
      names = {"-z", "--utilization"},
      description = "Modify a resource's utilization attribute. For use with -p, -g, -d.")
  private void utilization(boolean yes) {
    setType = ResourceParameters.UTILIZATION;
  }

  @Option(
      names = "--element",
      description = "Modify a resource's element attribute. For use with -p, -g, -d.")
  private void element(boolean yes) {
    setType = ResourceParameters.ELEMENT;
  }

  @Option(
      names = {"-C", "--cleanup"},
      description = "If resource has any past failures, clear its history and fail counts.")
  private void cleanup(boolean yes) {
    mode = Mode.CLEANUP;
  }

  @Option(
      names = {"-R", "--refresh"},
      description = "Delete resource's history (including failures) so its current state is rechecked.")
  private void refresh(boolean yes) {
    mode = Mode.REFRESH;
  }

  @Option(
      names = {"-M", "--move"},
      description = "Create a constraint to move resource.")
  private void move(boolean yes) {
    mode = Mode.MOVE;
  }

  @Option(
      names = {"-B", "--ban"},
      description = "Create a constraint to keep resource off a node.")
  private void ban(boolean yes) {
    mode = Mode.BAN;
  }

  @Option(
      names = {"-U", "--clear"},
      description = "Remove all constraints created by the --ban and/or --move commands.")
  private void clear(boolean yes) {
    mode = Mode.CLEAR;
  }

  @Option(
      names = {"-D", "--delete"},
      description = "(Advanced) Delete a resource from the CIB. Required: -t")
  private void delete(boolean yes) {
    mode = Mode.DELETE;
  }

  @Option(
      names = {"-F", "--fail"},
      description = "(Advanced) Tell the cluster this resource has failed")
  private void fail(boolean yes) {
    mode = Mode.FAIL;
  }

  @Option(
      names = "--wait",
      description = "(Advanced) Wait until the cluster settles into a stable state")
  private void waitForIdle(boolean yes) {
    mode = Mode.WAIT;
  }

  @Override
  protected void setUp(org.systole.common.output.Output output) {
    if (output instanceof TextOutput text) {
      text.setFancy(mode == Mode.LIST);
    } else if (output instanceof XmlOutput xml) {
      xml.setListElements(mode == Mode.GET || mode == Mode.LIST_RAW);
    }
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    try {
      return run();
    } catch (CommandException e) {
      // What went wrong, and what that comes to; a mistake on the command line says it all itself.
      if (e.status() == ExitStatus.USAGE) {
        throw e;
      }
      var why = "Error performing operation: " + e.status().text();
      var message = e.getMessage() == null ? "" : e.getMessage();
      throw new CommandException(e.status(), message.isEmpty() ? why : message + "\n" + why);
    }
  }

  private ExitStatus run() throws CommandException {
    checkLine();
    var environment = terminal().environment();
    try (var cib =
        Cibs.open(Layout.of(environment), environment, "crm_resource", CibTarget.TIMEOUT)) {
      if (mode == Mode.WAIT) {
        return awaitIdle();
      }
      return on(cib);
    } catch (CibException e) {
      throw new CommandException(
          e.rc().exit(), "Could not connect to the CIB: " + e.rc().text());
    }
  }

  private void checkLine() throws CommandException {
    if (expired && mode != Mode.CLEAR) {
      throw CommandException.usage("--expired requires --clear or -U");
    }
    if (!arguments().isEmpty()) {
      var message = new StringBuilder("non-option ARGV-elements:");
      for (var at = 0; at < arguments().size(); at++) {
        message.append(
            "\n[%d of %d] %s".formatted(at + 1, arguments().size(), arguments().get(at)));
      }
      throw CommandException.usage(message.toString());
    }
    var needsResource =
        switch (mode) {
          case LOCATE, BAN, MOVE, SET, GET, DELETE_PARAMETER, DELETE, QUERY_XML, QUERY_XML_RAW,
              FAIL ->
              true;
          case CLEAR -> !expired;
          case LIST, LIST_RAW, CLEANUP, REFRESH, WHY, WAIT, OPERATIONS, ALL_OPERATIONS -> false;
        };
    if (needsResource && requested == null) {
      throw CommandException.usage("Must supply a resource ID with -r/--resource");
    }
    if (mode == Mode.FAIL && nodeName == null) {
      throw CommandException.usage("Must supply a node name with -N/--node");
    }
  }

  private ExitStatus on(CibTarget cib) throws CommandException, CibException {
    var original = cib.cib();
    var upgraded = SchemaUpgrade.toCurrent(original);
    if (upgraded == null) {
      throw new CommandException(
          ExitStatus.CONFIG, "The CIB cannot be brought up to the current schema; crm_verify tells why");
    }
    var status =
        Status.of(upgraded.cib(), terminal().clock().get(), ClusterFlag.NO_COUNTS);
    Node node = null;
    if (nodeName != null) {
      node = status.node(nodeName);
      if (node == null) {
        throw new CommandException(ExitStatus.NOSUCH, "Node '" + nodeName + "' not found");
      }
    }
    var rsc = requested == null ? null : find(status, requested);
    var context =
        new ResourceContext(
            terminal(),
            out(),
            cib,
            original,
            status,
            requested == null ? "" : requested,
            rsc,
            node,
            force);
    return act(context);
  }

  private @Nullable Resource find(WorkingSet status, String id) throws CommandException {
    if (mode == Mode.DELETE || mode == Mode.OPERATIONS || mode == Mode.ALL_OPERATIONS) {
      return null; // taken by its name alone
    }
    var how = EnumSet.of(Resource.Match.HISTORY);
    switch (mode) {
      case SET, GET, DELETE_PARAMETER, QUERY_XML, QUERY_XML_RAW ->
          how.add(Resource.Match.BASE_NAME);
      case FAIL -> {}
      default -> how.add(Resource.Match.ANONYMOUS_BASE_NAME);
    }
    var rsc = status.find(id, how.toArray(Resource.Match[]::new));
    if (rsc == null) {
      throw new CommandException(ExitStatus.NOSUCH, "Resource '" + id + "' not found");
    }
    var rejectsInstance = mode == Mode.BAN || mode == Mode.MOVE || mode == Mode.CLEAR;
    if (rejectsInstance && rsc.parent != null && rsc.parent.isClone() && id.contains(":")) {
      throw new CommandException(
          ExitStatus.INVALID_PARAM, "Cannot operate on clone resource instance '" + id + "'");
    }
    return rsc;
  }

  private ExitStatus act(ResourceContext context) throws CommandException {
    switch (mode) {
      case LIST -> {
        return list(context);
      }
      case LIST_RAW -> {
        return listRaw(context);
      }
      case OPERATIONS, ALL_OPERATIONS ->
          OperationsView.show(
              new View(
                  context.status(),
                  out(),
                  EnumSet.of(Show.PENDING),
                  NameFilter.ALL,
                  NameFilter.ALL,
                  terminal().zone()),
              requested,
              nodeName,
              mode == Mode.OPERATIONS);
      case LOCATE -> new ResourceReasons(context).locate();
      case WHY -> new ResourceReasons(context).explain();
      case BAN -> moves(context).ban();
      case MOVE -> moves(context).move();
      case CLEAR -> moves(context).clear(expired);
      case CLEANUP -> new ResourceCleanup(context, operation, interval).cleanup();
      case REFRESH -> new ResourceCleanup(context, operation, interval).refresh();
      case FAIL -> new ResourceCleanup(context, operation, interval).fail();
      case GET -> new ResourceParameters(context).show(which());
      case SET -> {
        if (value.isEmpty()) {
          throw CommandException.usage("You need to supply a value with the -v option");
        }
        ResourceContext.check(new ResourceParameters(context).set(which(), value, recursive));
      }
      case DELETE_PARAMETER ->
          ResourceContext.check(new ResourceParameters(context).delete(which()));
      case DELETE -> delete(context);
      case QUERY_XML, QUERY_XML_RAW -> xml(context, mode == Mode.QUERY_XML);
      case WAIT -> throw new IllegalStateException("done before");
    }
    return ExitStatus.OK;
  }

  private ResourceParameters.Which which() {
    return new ResourceParameters.Which(setType, setName, nvpair, name);
  }

  private ResourceMoves moves(ResourceContext context) {
    return new ResourceMoves(context, lifetime, promoted);
  }

  private ExitStatus list(ResourceContext context) {
    var view =
        View.of(
            context.status(), out(), EnumSet.of(Show.INACTIVE, Show.RESOURCE_ONLY, Show.PENDING));
    return ResourceView.showAll(view, false, false) ? ExitStatus.OK : ExitStatus.NOSUCH;
  }

  private ExitStatus listRaw(ResourceContext context) {
    if (context.status().resources.isEmpty()) {
      out().error("NO resources configured\n");
      return ExitStatus.NOSUCH;
    }
    out().begin("Resource Names");
    names(context.status().resources);
    out().end();
    return ExitStatus.OK;
  }

  private void names(List<Resource> resources) {
    for (var rsc : resources) {
      if (rsc.children.isEmpty()) {
        out().item("resource", rsc.id);
      } else {
        names(rsc.children);
      }
    }
  }

  private void delete(ResourceContext context) throws CommandException {
    if (type == null) {
      throw CommandException.usage("You need to specify a resource type with -t");
    }
    var rc =
        context
            .cib()
            .update(CibOp.delete("resources", Element.of(type, "id", context.requested())))
            .rc();
    if (rc != Rc.OK && rc != Rc.ENXIO) {
      throw new CommandException(
          rc.exit(),
          "Could not delete resource %s: %s".formatted(context.requested(), rc.text()));
    }
  }

  private void xml(ResourceContext context, boolean expanded) {
    var rsc = context.theResource();
    out().begin("Resource Config");
    ResourceView.show(
        View.of(context.status(), out(), EnumSet.of(Show.PENDING)), rsc);
    var config = expanded ? rsc.xml : rsc.originalXml == null ? rsc.xml : rsc.originalXml;
    switch (out()) {
      case TextOutput text -> text.print("Resource XML:\n" + XmlWriter.pretty(config) + "\n");
      case XmlOutput xml -> xml.xml("xml", XmlWriter.pretty(config));
    }
    out().end();
  }

  private ExitStatus awaitIdle() throws CommandException {
    var millis = timeout == null ? 0 : Interval.parse(timeout, 0);
    var limit = millis == 0 ? Duration.ofHours(1) : Duration.ofMillis(millis);
    try (var controller = CtlConnection.open(terminal().environment(), limit)) {
      var until = terminal().clock().get().plus(limit);
      while (true) {
        var answer = controller.ask(new CtlMessage.WorkQuery());
        if (answer instanceof CtlMessage.Work(var idle, var _, var pending)) {
          if (idle) {
            return ExitStatus.OK;
          }
          if (terminal().clock().get().isAfter(until)) {
            out().error("Pending actions:");
            pending.forEach(it -> out().error("\t" + it));
            throw new CommandException(ExitStatus.TIMEOUT, "");
          }
        }
        pause();
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Error connecting to the controller: Not connected (is the cluster running on this"
              + " node?)");
    }
  }

  /// The controller is asked anew this often: it has no event for being idle yet.
  private static void pause() throws CommandException {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException(ExitStatus.ERROR, "interrupted");
    }
  }
}
