package org.systole.tools.resource;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.cib.CibOp;
import org.systole.common.layout.Layout;
import org.systole.common.options.OptionListing;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.StatusMessages;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Mixin;

/// `crm_resource`: everything an administrator does with resources.
@picocli.CommandLine.Command(description = "perform tasks related to Pacemaker cluster resources")
public final class CrmResource extends Command {
  @Mixin private final ResourceOptions options = new ResourceOptions();

  public CrmResource() {
    super("crm_resource");
  }

  @Override
  protected void setUp(Output output) {
    var mode = options.mode;
    if (output instanceof TextOutput text) {
      text.setFancy(mode == ResourceMode.LIST || mode == ResourceMode.CONSTRAINTS);
    } else if (output instanceof XmlOutput xml) {
      xml.setListElements(
          mode == ResourceMode.GET
              || mode == ResourceMode.LIST_RAW
              || mode == ResourceMode.LIST_STANDARDS);
    }
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(options.quiet);
    try {
      var status = run();
      if (status != ExitStatus.OK) {
        throw new CommandException(status, "");
      }
      return status;
    } catch (CommandException e) {
      // What went wrong, and what that comes to; a mistake on the command line says it all itself.
      if (e.status() == ExitStatus.USAGE) {
        throw e;
      }
      var why = "Error performing operation: " + e.status().text();
      var message = e.getMessage() == null ? "" : e.getMessage();
      throw e.saying(message.isEmpty() ? why : message + "\n" + why);
    }
  }

  private ExitStatus run() throws CommandException {
    checkLine();
    if (options.mode.isLocal()) {
      return local();
    }
    var execution = new ResourceExecution(terminal(), out(), options, overrides(), verbosity());
    if (options.namesAgent()) {
      return execution.ofCommandLine();
    }
    var environment = terminal().environment();
    if (options.mode.needsDaemons()) {
      CibInUse.refuseElsewhere(environment, "This");
    }
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, "crm_resource", CibTarget.TIMEOUT)) {
      if (options.mode == ResourceMode.WAIT) {
        new ClusterIdle(terminal(), out(), cib).await(options.timeout);
        return ExitStatus.OK;
      }
      var context = readable(cib);
      return options.mode == ResourceMode.EXECUTE ? execution.ofResource(context) : act(context);
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not connect to the CIB: " + e.rc().text());
    }
  }

  private ResourceContext readable(CibTarget cib) throws CommandException {
    try {
      return context(cib);
    } catch (CibException e) {
      out().error("Could not obtain the current CIB: " + e.rc().text());
      throw new CommandException(e.rc().exit(), "");
    }
  }

  private void checkLine() throws CommandException {
    var mode = options.mode;
    if (options.expired && mode != ResourceMode.CLEAR) {
      throw CommandException.usage("--expired requires --clear or -U");
    }
    if (!arguments().isEmpty() && !options.takesOverrides) {
      var message = new StringBuilder("non-option ARGV-elements:");
      for (var at = 0; at < arguments().size(); at++) {
        message.append(
            "\n[%d of %d] %s".formatted(at + 1, arguments().size(), arguments().get(at)));
      }
      throw CommandException.usage(message.toString());
    }
    overrides();
    if (options.namesAgent()) {
      new ResourceExecution(terminal(), out(), options, Map.of(), 0).named();
      return;
    }
    if (!options.given.isEmpty()) {
      throw CommandException.usage("--option must be used with --validate and without -r");
    }
    if (mode.needsResource() && !options.expired && options.requested == null) {
      throw CommandException.usage("Must supply a resource ID with -r/--resource");
    }
    if (options.explain && (mode != ResourceMode.WHY || options.requested == null)) {
      throw CommandException.usage("--explain requires --why and -r/--resource");
    }
    if (mode.needsNode() && options.nodeName == null) {
      throw CommandException.usage("Must supply a node name with -N/--node");
    }
  }

  /// Parameters to use instead of those configured.
  private Map<String, String> overrides() throws CommandException {
    var overrides = new LinkedHashMap<String, String>();
    for (var pair : options.takesOverrides ? arguments() : java.util.List.<String>of()) {
      var equals = pair.indexOf('=');
      if (equals <= 0) {
        throw CommandException.usage("Error parsing '" + pair + "' as a name=value pair");
      }
      overrides.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return overrides;
  }

  private ExitStatus local() throws CommandException {
    var agents = new AgentListings(terminal(), out());
    switch (options.mode) {
      case LIST_STANDARDS -> agents.standards();
      case LIST_PROVIDERS -> agents.providers(options.spec);
      case LIST_ALTERNATIVES -> agents.alternatives(options.spec);
      case LIST_AGENTS -> agents.agents(options.spec);
      case METADATA -> agents.metadata(options.spec);
      default ->
          (options.spec.equals("fencing") ? OptionListing.FENCING : OptionListing.PRIMITIVE)
              .show(out(), options.all);
    }
    return ExitStatus.OK;
  }

  private ResourceContext context(CibTarget cib) throws CommandException, CibException {
    var read = ResourceContext.read(cib, terminal());
    new StatusMessages(terminal(), verbosity()).tell(read.status());
    Node node = null;
    if (options.nodeName != null) {
      node = read.status().node(options.nodeName);
      if (node == null) {
        throw new CommandException(ExitStatus.NOSUCH, "Node '" + options.nodeName + "' not found");
      }
    }
    var requested = options.requested;
    return new ResourceContext(
        terminal(),
        out(),
        cib,
        read.original(),
        read.status(),
        requested == null ? "" : requested,
        requested == null ? null : find(read.status(), requested),
        node,
        options.force);
  }

  private @Nullable Resource find(WorkingSet status, String id) throws CommandException {
    var mode = options.mode;
    if (mode.takesAnyName()) {
      return null;
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
    if (mode.rejectsInstance()
        && rsc.parent() != null
        && rsc.parent().isClone()
        && id.contains(":")) {
      throw new CommandException(
          ExitStatus.INVALID_PARAM, "Cannot operate on clone resource instance '" + id + "'");
    }
    return rsc;
  }

  private ExitStatus act(ResourceContext context) throws CommandException {
    var listings = new ResourceListings(context);
    switch (options.mode) {
      case LIST -> {
        return listings.resources();
      }
      case LIST_RAW -> {
        return listings.instances();
      }
      case LIST_CTS -> listings.forTests();
      case OPERATIONS -> listings.operations(options.requested, options.nodeName, true);
      case ALL_OPERATIONS -> listings.operations(options.requested, options.nodeName, false);
      case LOCATE -> new ResourceReasons(context).locate();
      case WHY -> new ResourceReasons(context).explain(options.explain, verbosity() > 0);
      case CONSTRAINTS -> new ResourceConstraints(context, options.recursive).show();
      case DIGESTS -> new ResourceDigests(context, overrides()).show();
      case BAN -> moves(context).ban();
      case MOVE -> moves(context).move();
      case CLEAR -> moves(context).clear(options.expired);
      case CLEANUP -> cleanup(context).cleanup();
      case REFRESH -> cleanup(context).refresh();
      case FAIL -> cleanup(context).fail();
      case RESTART -> new ResourceRestart(context, options).restart();
      case GET -> new ResourceParameters(context).show(options.which());
      case SET -> set(context);
      case DELETE_PARAMETER ->
          ResourceContext.check(new ResourceParameters(context).delete(options.which()));
      case DELETE -> delete(context);
      case QUERY_XML -> listings.xml(true);
      case QUERY_XML_RAW -> listings.xml(false);
      case WAIT,
          EXECUTE,
          LIST_STANDARDS,
          LIST_PROVIDERS,
          LIST_ALTERNATIVES,
          LIST_AGENTS,
          METADATA,
          LIST_OPTIONS ->
          throw new IllegalStateException("done before");
    }
    return ExitStatus.OK;
  }

  private ResourceMoves moves(ResourceContext context) {
    return new ResourceMoves(context, options.lifetime, options.promoted);
  }

  private ResourceCleanup cleanup(ResourceContext context) {
    return new ResourceCleanup(context, options.operation, options.interval);
  }

  private void set(ResourceContext context) throws CommandException {
    if (options.value.isEmpty()) {
      throw CommandException.usage("You need to supply a value with the -v option");
    }
    ResourceContext.check(
        new ResourceParameters(context).set(options.which(), options.value, options.recursive));
  }

  private void delete(ResourceContext context) throws CommandException {
    if (options.type == null) {
      throw CommandException.usage("You need to specify a resource type with -t");
    }
    var answer =
        context
            .cib()
            .update(CibOp.delete("resources", Element.of(options.type, "id", context.requested())));
    var rc = answer.rc();
    if (rc != Rc.OK && rc != Rc.ENXIO) {
      answer.why().lines().forEach(terminal().err()::println); // such as the constraints that name it
      throw new CommandException(
          rc.exit(), "Could not delete resource %s: %s".formatted(context.requested(), rc.text()));
    }
  }
}
