package org.systole.tools.resource;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/// The command line of `crm_resource`. Of several things to do, the last one counts.
final class ResourceOptions {
  ResourceMode mode = ResourceMode.LIST;
  String name = "";
  String setType = ResourceParameters.INSTANCE;

  /// What of the agents is asked for: a standard, a type, a specification, a kind of options.
  String spec = "";

  /// What the agent is to do, as the option says it.
  String action = "";

  @Nullable String checkLevel;

  /// Whether arguments beside options are NAME=VALUE pairs.
  boolean takesOverrides;

  final Map<String, String> given = new LinkedHashMap<>();

  @Option(
      names = "--class",
      paramLabel = "CLASS",
      description = "The standard the agent conforms to (with --validate, --agent)")
  @Nullable String standard;

  @Option(
      names = "--provider",
      paramLabel = "PROVIDER",
      description = "Who supplies the agent (with --validate, --class=ocf)")
  @Nullable String provider;

  @Option(
      names = "--agent",
      paramLabel = "AGENT",
      description = "The agent to use (with --validate, --class)")
  @Nullable String agent;

  @Option(
      names = "--all",
      description = "List all options, including advanced and deprecated (with --list-options)")
  boolean all;

  @Option(
      names = {"-r", "--resource"},
      paramLabel = "ID",
      description = "Resource ID")
  @Nullable String requested;

  @Option(
      names = {"-N", "--node", "-H", "--host-uname"},
      paramLabel = "NAME",
      description = "Node name")
  @Nullable String nodeName;

  @Option(
      names = {"-v", "--parameter-value"},
      paramLabel = "PARAM",
      description = "Value to use with -p")
  String value = "";

  @Option(
      names = {"-s", "--set-name"},
      paramLabel = "ID",
      description = "(Advanced) XML ID of attributes element to use (with -p, -d)")
  String setName = "";

  @Option(
      names = {"-i", "--nvpair"},
      paramLabel = "ID",
      description = "(Advanced) XML ID of nvpair element to use (with -p, -d)")
  String nvpair = "";

  @Option(
      names = {"-t", "--resource-type"},
      paramLabel = "ELEMENT",
      description = "Resource XML element (primitive, group, etc.) (with -D)")
  @Nullable String type;

  @Option(
      names = {"-n", "--operation"},
      paramLabel = "OPERATION",
      description = "Operation to clear instead of all (with -C -r)")
  String operation = "";

  @Option(
      names = {"-I", "--interval"},
      paramLabel = "N",
      description = "Interval of operation to clear (default 0) (with -C -r -n)")
  @Nullable String interval;

  @Option(
      names = {"-u", "--lifetime"},
      paramLabel = "TIMESPEC",
      description = "Lifespan (as ISO 8601 duration) of created constraints (with -B, -M)")
  @Nullable String lifetime;

  @Option(
      names = {"--promoted", "--master"},
      description = "Limit scope of command to promoted role (with -B, -M, -U)")
  boolean promoted;

  @Option(
      names = {"-e", "--expired"},
      description = "Modifies the --clear argument to remove constraints with expired lifetimes.")
  boolean expired;

  @Option(
      names = {"-T", "--timeout"},
      paramLabel = "N",
      description =
          "(Advanced) Abort if command does not finish in this time (with --restart, --wait,"
              + " --force-*)")
  @Nullable String timeout;

  @Option(
      names = "--recursive",
      description = "Follow colocation chains when using --set-parameter or --constraints")
  boolean recursive;

  @Option(
      names = {"-f", "--force"},
      description =
          "Force the action to be performed. See help for individual commands for additional"
              + " behavior.")
  boolean force;

  @Option(
      names = {"-Q", "--quiet"},
      description = "Be less descriptive in output.")
  boolean quiet;

  @Option(
      names = {"-L", "--list"},
      description = "List all cluster resources with status")
  private void list(boolean yes) {
    mode = ResourceMode.LIST;
  }

  @Option(
      names = {"-l", "--list-raw"},
      description =
          "List IDs of all instantiated resources (individual members rather than groups etc.)")
  private void listRaw(boolean yes) {
    mode = ResourceMode.LIST_RAW;
  }

  @Option(
      names = {"-O", "--list-operations"},
      description = "List active resource operations, optionally filtered by -r and/or -N")
  private void operations(boolean yes) {
    mode = ResourceMode.OPERATIONS;
  }

  @Option(
      names = {"-o", "--list-all-operations"},
      description = "List all resource operations, optionally filtered by -r and/or -N")
  private void allOperations(boolean yes) {
    mode = ResourceMode.ALL_OPERATIONS;
  }

  @Option(
      names = {"-W", "--locate"},
      description = "Show node(s) currently running resource")
  private void locate(boolean yes) {
    mode = ResourceMode.LOCATE;
  }

  @Option(
      names = {"-q", "--query-xml"},
      description = "Show XML configuration of resource (after any template expansion)")
  private void queryXml(boolean yes) {
    mode = ResourceMode.QUERY_XML;
  }

  @Option(
      names = {"-w", "--query-xml-raw"},
      description = "Show XML configuration of resource (before any template expansion)")
  private void queryXmlRaw(boolean yes) {
    mode = ResourceMode.QUERY_XML_RAW;
  }

  @Option(
      names = {"-Y", "--why"},
      description = "Show why resources are not running, optionally filtered by -r and/or -N")
  private void why(boolean yes) {
    mode = ResourceMode.WHY;
  }

  @Option(
      names = {"--explain"},
      description = "With --why and -r, show all that decided where the resource is placed")
  boolean explain;

  @Option(
      names = {"-g", "--get-parameter"},
      paramLabel = "PARAM",
      description =
          "Display named parameter for resource (use instance attribute unless --element, --meta,"
              + " or --utilization is specified)")
  private void get(String parameter) {
    mode = ResourceMode.GET;
    name = parameter;
  }

  @Option(
      names = {"-p", "--set-parameter"},
      paramLabel = "PARAM",
      description = "Set named parameter for resource (requires -v)")
  private void set(String parameter) {
    mode = ResourceMode.SET;
    name = parameter;
  }

  @Option(
      names = {"-d", "--delete-parameter"},
      paramLabel = "PARAM",
      description = "Delete named parameter for resource")
  private void deleteParameter(String parameter) {
    mode = ResourceMode.DELETE_PARAMETER;
    name = parameter;
  }

  @Option(
      names = {"-m", "--meta"},
      description =
          "Modify a resource's configuration option rather than one which is passed to the resource"
              + " agent script. For use with -p, -g, -d.")
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
    mode = ResourceMode.CLEANUP;
  }

  @Option(
      names = {"-R", "--refresh"},
      description =
          "Delete resource's history (including failures) so its current state is rechecked.")
  private void refresh(boolean yes) {
    mode = ResourceMode.REFRESH;
  }

  @Option(
      names = {"-M", "--move"},
      description = "Create a constraint to move resource.")
  private void move(boolean yes) {
    mode = ResourceMode.MOVE;
  }

  @Option(
      names = {"-B", "--ban"},
      description = "Create a constraint to keep resource off a node.")
  private void ban(boolean yes) {
    mode = ResourceMode.BAN;
  }

  @Option(
      names = {"-U", "--clear"},
      description = "Remove all constraints created by the --ban and/or --move commands.")
  private void clear(boolean yes) {
    mode = ResourceMode.CLEAR;
  }

  @Option(
      names = {"-D", "--delete"},
      description = "(Advanced) Delete a resource from the CIB. Required: -t")
  private void delete(boolean yes) {
    mode = ResourceMode.DELETE;
  }

  @Option(
      names = {"-F", "--fail"},
      description = "(Advanced) Tell the cluster this resource has failed")
  private void fail(boolean yes) {
    mode = ResourceMode.FAIL;
  }

  @Option(
      names = "--wait",
      description = "(Advanced) Wait until the cluster settles into a stable state")
  private void waitForIdle(boolean yes) {
    mode = ResourceMode.WAIT;
  }

  @Option(
      names = {"-a", "--constraints"},
      description =
          "Display the location and colocation constraints that apply to a resource, with"
              + " --recursive also those of the resources involved")
  private void constraints(boolean yes) {
    mode = ResourceMode.CONSTRAINTS;
  }

  @Option(
      names = {"-A", "--stack"},
      description = "Equivalent to --constraints --recursive")
  private void stack(boolean yes) {
    mode = ResourceMode.CONSTRAINTS;
    recursive = true;
  }

  @Option(
      names = {"-c", "--list-cts"},
      hidden = true)
  private void listCts(boolean yes) {
    mode = ResourceMode.LIST_CTS;
  }

  @Option(
      names = "--digests",
      description =
          "(Advanced) Show the hashes of parameters by which changes of the configuration are"
              + " noticed; NAME=VALUE arguments are used instead of what is configured (with -r,"
              + " -N)")
  private void digests(boolean yes) {
    mode = ResourceMode.DIGESTS;
    takesOverrides = true;
  }

  @Option(names = "--list-standards", description = "List supported standards")
  private void standards(boolean yes) {
    mode = ResourceMode.LIST_STANDARDS;
  }

  @Option(
      names = "--list-ocf-providers",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "AGENT",
      description = "List all available OCF providers, or those of one agent")
  private void providers(String type) {
    mode = ResourceMode.LIST_PROVIDERS;
    spec = type;
  }

  @Option(
      names = "--list-ocf-alternatives",
      paramLabel = "AGENT",
      description = "List all available providers for the named OCF agent")
  private void alternatives(String type) {
    mode = ResourceMode.LIST_ALTERNATIVES;
    spec = type;
  }

  @Option(
      names = "--list-agents",
      paramLabel = "STD:PROV",
      description = "List all agents available for the named standard and/or provider")
  private void agents(String which) {
    mode = ResourceMode.LIST_AGENTS;
    spec = which;
  }

  @Option(
      names = "--show-metadata",
      paramLabel = "SPEC",
      description = "Show the metadata for the named class:provider:agent")
  private void metadata(String which) {
    mode = ResourceMode.METADATA;
    spec = which;
  }

  @Option(
      names = "--list-options",
      paramLabel = "TYPE",
      description = "List all available options of the given type: primitive, fencing")
  private void listOptions(String type) {
    if (!type.equals("primitive") && !type.equals("fencing")) {
      throw new TypeConversionException("Error parsing option --list-options");
    }
    mode = ResourceMode.LIST_OPTIONS;
    spec = type;
  }

  @Option(
      names = "--validate",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "LEVEL",
      description =
          "Have the agent check the configuration of a resource (-r), or of --class, --provider,"
              + " --agent and any number of --option")
  private void validate(String level) {
    execute("validate", level);
  }

  @Option(
      names = "--force-check",
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "LEVEL",
      description =
          "(Advanced) Bypass the cluster and check the state of a resource on the local node")
  private void forceCheck(String level) {
    execute("force-check", level);
  }

  @Option(
      names = "--force-start",
      description = "(Advanced) Bypass the cluster and start a resource on the local node")
  private void forceStart(boolean yes) {
    execute("force-start", "");
  }

  @Option(
      names = "--force-stop",
      description = "(Advanced) Bypass the cluster and stop a resource on the local node")
  private void forceStop(boolean yes) {
    execute("force-stop", "");
  }

  @Option(
      names = "--force-promote",
      description = "(Advanced) Bypass the cluster and promote a resource on the local node")
  private void forcePromote(boolean yes) {
    execute("force-promote", "");
  }

  @Option(
      names = "--force-demote",
      description = "(Advanced) Bypass the cluster and demote a resource on the local node")
  private void forceDemote(boolean yes) {
    execute("force-demote", "");
  }

  @Option(
      names = "--restart",
      description =
          "(Advanced) Tell the cluster to restart this resource and anything that depends on it")
  private void restart(boolean yes) {
    mode = ResourceMode.RESTART;
  }

  @Option(
      names = "--option",
      paramLabel = "PARAM",
      description = "Parameter as NAME=VALUE (with --validate and without -r)")
  private void parameter(String pair) {
    var equals = pair.indexOf('=');
    if (equals <= 0) {
      throw new TypeConversionException("Error parsing option --option");
    }
    given.put(pair.substring(0, equals), pair.substring(equals + 1));
  }

  private void execute(String newAction, String level) {
    mode = ResourceMode.EXECUTE;
    action = newAction;
    takesOverrides = true;
    if (!level.isEmpty()) {
      if (!level.chars().allMatch(c -> c >= '0' && c <= '9') || level.length() > 9) {
        throw new TypeConversionException("Invalid check level setting: " + level);
      }
      checkLevel = level;
    }
  }

  /// Whether an agent is named on the command line itself.
  boolean namesAgent() {
    return standard != null || provider != null || agent != null;
  }

  ResourceParameters.Which which() {
    return new ResourceParameters.Which(setType, setName, nvpair, name);
  }
}
