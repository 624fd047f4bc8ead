package org.systole.tools.attributes;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrConnection;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibTarget;
import org.systole.common.layout.Layout;
import org.systole.common.options.OptionListing;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.LocalNodeName;
import org.systole.tools.cli.Named;
import org.systole.tools.remote.CibInUse;
import picocli.CommandLine.Option;

/// `crm_attribute`: queries and changes cluster options, resource and operation defaults, and node
/// attributes.
@picocli.CommandLine.Command(
    description = "query and update Pacemaker cluster options and node attributes")
public final class CrmAttribute extends Command {
  private enum Mode {
    QUERY,
    UPDATE,
    DELETE,
    LIST
  }

  private Mode mode = Mode.QUERY;
  private String value = "";
  private @Nullable String name;
  private boolean promotion;
  private @Nullable String listed;
  private AttrMessage.Wait until = AttrMessage.Wait.NO;

  @Option(
      names = {"-a", "--all"},
      description = "With -L/--list-options, include advanced and deprecated options in the output")
  private boolean all;

  @Option(
      names = {"-i", "--id"},
      paramLabel = "XML_ID",
      description = "(Advanced) Operate on instance of specified attribute with this XML ID")
  private String id = "";

  @Option(
      names = {"-P", "--pattern"},
      paramLabel = "PATTERN",
      description = "Operate on all attributes matching this pattern (with -v, -D, or -G)")
  private @Nullable String pattern;

  @Option(
      names = {"-s", "--set-name"},
      paramLabel = "NAME",
      description =
          "(Advanced) Operate on instance of specified attribute that is within set with this XML"
              + " ID")
  private String set = "";

  @Option(
      names = {"-d", "--default"},
      paramLabel = "VALUE",
      description = "(Advanced) Default value to display if none is found in configuration")
  private @Nullable String otherwise;

  @Option(
      names = {"-N", "--node", "-U", "--node-uname"},
      paramLabel = "NODE",
      description = "Set a node attribute for named node (instead of a cluster option)")
  private @Nullable String node;

  @Option(
      names = {"-l", "--lifetime", "-t", "--type"},
      paramLabel = "LIFETIME|SECTION",
      description =
          "Lifetime of the node attribute (reboot, forever), or the part of the configuration:"
              + " crm_config, rsc_defaults, op_defaults, tickets")
  private void type(String newType) {
    section = newType;
  }

  private @Nullable String section;

  @Option(
      names = "--score",
      description = "Treat new attribute values as atomic score updates where possible")
  private boolean score;

  @Option(
      names = {"-q", "-Q", "--quiet"},
      description = "Print only the value on stdout")
  private boolean quiet;

  private String setType = "";

  public CrmAttribute() {
    super("crm_attribute");
  }

  @Option(
      names = {"-n", "--name", "--attr-name"},
      paramLabel = "NAME",
      description = "Operate on attribute or option with this name")
  private void name(String newName) {
    promotion = false;
    name = newName;
  }

  @Option(
      names = {"-p", "--promotion"},
      arity = "0..1",
      fallbackValue = "",
      paramLabel = "RESOURCE",
      description =
          "Operate on node attribute used as promotion score for specified resource, or resource"
              + " given in OCF_RESOURCE_INSTANCE environment variable if none is specified")
  private void promotion(String resource) {
    promotion = true;
    var of =
        resource.isEmpty() ? System.getenv().getOrDefault("OCF_RESOURCE_INSTANCE", "") : resource;
    name = of.isEmpty() ? null : "master-" + of;
  }

  @Option(
      names = {"-L", "--list-options"},
      paramLabel = "TYPE",
      description = "List all available options of the given type. Allowed values: cluster")
  private void list(String type) {
    mode = Mode.LIST;
    listed = type;
  }

  @Option(
      names = {"-D", "--delete"},
      description = "Delete the attribute/option (with -n or -P)")
  private void delete(boolean yes) {
    mode = Mode.DELETE;
  }

  @Option(
      names = {"-G", "--query", "--get-value"},
      description = "Query the current value of the attribute/option. See also: -n, -P")
  private void query(boolean yes) {
    mode = Mode.QUERY;
  }

  @Option(
      names = {"-v", "--update"},
      paramLabel = "VALUE",
      description = "Update the value of the attribute/option (with -n or -P)")
  private void update(String newValue) {
    mode = Mode.UPDATE;
    value = newValue;
  }

  @Option(
      names = {"-z", "--utilization"},
      description = "Set an utilization attribute for the node.")
  private void utilization(boolean yes) {
    section = "nodes";
    setType = "utilization";
  }

  @Option(
      names = {"-W", "--wait"},
      paramLabel = "UNTIL",
      description = "Wait for some event to occur before returning: no, local, cluster")
  private void until(String event) {
    until =
        switch (event) {
          case "no" -> AttrMessage.Wait.NO;
          case "local" -> AttrMessage.Wait.LOCAL;
          case "cluster" -> AttrMessage.Wait.CLUSTER;
          default ->
              throw new picocli.CommandLine.TypeConversionException(
                  "--wait= must be one of 'no', 'local', 'cluster'");
        };
  }

  @Override
  protected boolean errorsInResult() {
    return true;
  }

  @Override
  protected ExitStatus execute() throws CommandException {
    out().setQuiet(quiet);
    if (mode == Mode.LIST) {
      return list();
    }
    if (promotion && name == null) {
      throw CommandException.usage(
          "-p/--promotion must be called from an OCF resource agent or with a resource ID"
              + " specified");
    }
    var environment = terminal().environment();
    try (var cib =
        CibInUse.open(Layout.of(environment), environment, "crm_attribute", CibTarget.TIMEOUT)) {
      return execute(cib);
    } catch (org.systole.cibd.client.CibException e) {
      throw new CommandException(e.rc().exit(), "Could not connect to the CIB: " + e.rc().text());
    }
  }

  private ExitStatus execute(CibTarget cib) throws CommandException {
    var type = sectionMeant();
    var attributes = new CibAttributes(cib, out());
    var nodeId = new CibAttributes.NodeId("", false);
    var nodeName = node;
    if (!type.equals("crm_config") && !type.equals("tickets")) {
      nodeName = nodeMeant(cib);
      var known = attributes.node(nodeName);
      if (known == null) {
        throw new CommandException(
            ExitStatus.NOSUCH, "Could not map name=" + nodeName + " to a UUID");
      }
      nodeId = known;
    }
    check();
    var place =
        new CibAttributes.Place(type, nodeId.id(), setType, set, id, name == null ? "" : name);
    var rc = act(cib, attributes, place, nodeName, nodeId.remote());
    if (rc == Rc.ENOTUNIQ) {
      throw new CommandException(
          rc.exit(),
          "Please choose from one of the matches below and supply the 'id' with --attr-id");
    }
    if (rc != Rc.OK) {
      throw new CommandException(rc.exit(), "Error performing operation: " + rc.text());
    }
    return ExitStatus.OK;
  }

  private Rc act(
      CibTarget cib,
      CibAttributes attributes,
      CibAttributes.Place place,
      @Nullable String nodeName,
      boolean remote)
      throws CommandException {
    if (mode != Mode.QUERY && place.section().equals("status") && cib.isLive()) {
      return throughAttributeManager(nodeName == null ? "" : nodeName, remote);
    }
    return switch (mode) {
      case DELETE -> delete(attributes, place);
      case UPDATE -> update(attributes, place, remote);
      case QUERY, LIST -> query(attributes, place);
    };
  }

  private void check() throws CommandException {
    if (mode == Mode.DELETE && name == null && pattern == null) {
      throw CommandException.usage("Error: must specify attribute name or pattern to delete");
    }
    if (mode == Mode.UPDATE && name == null && pattern == null) {
      throw CommandException.usage("Error: must specify attribute name or pattern to update");
    }
    if (pattern != null && name != null) {
      throw CommandException.usage("Error: --name and --pattern cannot be used at the same time");
    }
  }

  private String sectionMeant() {
    if (section == null) {
      return promotion ? "status" : node != null ? "nodes" : "crm_config";
    }
    return switch (section.toLowerCase(java.util.Locale.ROOT)) {
      case "reboot" -> "status";
      case "forever" -> "nodes";
      default -> section;
    };
  }

  /// The node named, else the one an agent is told it runs for, else this one.
  private String nodeMeant(CibTarget cib) throws CommandException {
    if (node == null || node.equalsIgnoreCase("auto") || node.equalsIgnoreCase("localhost")) {
      var environment = terminal().environment();
      var host = environment.get("OCF_RESKEY_CRM_meta_physical_host");
      if (host != null
          && "host"
              .equalsIgnoreCase(
                  environment.get("OCF_RESKEY_CRM_meta_container_attribute_target"))) {
        return host;
      }
      var onNode = environment.get("OCF_RESKEY_CRM_meta_on_node");
      if (onNode != null) {
        return onNode;
      }
      if (node != null) {
        return node;
      }
    } else {
      return node;
    }
    return LocalNodeName.of(terminal(), cib.isLive());
  }

  private Rc throughAttributeManager(String nodeName, boolean remote) throws CommandException {
    var environment = terminal().environment();
    var update =
        new AttrMessage.Update(
            AttrMessage.Change.VALUE,
            pattern != null || name == null ? "" : name,
            pattern == null ? "" : pattern,
            Named.node(nodeName),
            mode == Mode.DELETE ? null : value,
            -1,
            new AttrMessage.Kind(set, setType.equals("utilization"), false),
            remote,
            until);
    try (var manager = AttrConnection.open(Layout.of(environment), CibTarget.TIMEOUT)) {
      var done = manager.update(update);
      return switch (done.outcome()) {
        case OK -> Rc.OK;
        case MISSING -> Rc.ENXIO;
        case DENIED -> Rc.EACCES;
        case REFUSED -> Rc.EINVAL;
        case FAILED -> Rc.ETIME;
      };
    } catch (IOException e) {
      throw new CommandException(
          ExitStatus.DISCONNECT,
          "Could not update %s=%s: the attribute manager does not answer (is the cluster running on this node?)"
              .formatted(name, value));
    }
  }

  private Rc delete(CibAttributes attributes, CibAttributes.Place place) throws CommandException {
    if (pattern == null) {
      var rc = attributes.delete(place);
      return rc == Rc.ENXIO ? Rc.OK : rc;
    }
    for (var each : matching(attributes, place)) {
      var rc = attributes.delete(place.named(each));
      if (rc != Rc.OK && rc != Rc.ENXIO) {
        return rc;
      }
    }
    return Rc.OK;
  }

  private Rc update(CibAttributes attributes, CibAttributes.Place place, boolean remote)
      throws CommandException {
    if (pattern == null) {
      return attributes.update(place, value, remote);
    }
    var found = attributes.find(place.any());
    if (found.rc() != Rc.OK) {
      return found.rc();
    }
    for (var each : CibAttributes.names(found.nvpairs(), expression())) {
      var rc = attributes.update(place.named(each), value, remote);
      if (rc != Rc.OK) {
        return rc;
      }
    }
    return Rc.OK;
  }

  private List<String> matching(CibAttributes attributes, CibAttributes.Place place)
      throws CommandException {
    return CibAttributes.names(attributes.find(place.any()).nvpairs(), expression());
  }

  private Pattern expression() throws CommandException {
    try {
      return Pattern.compile(pattern == null ? "" : pattern);
    } catch (PatternSyntaxException e) {
      throw CommandException.usage(
          "'" + pattern + "' is not a valid pattern: " + e.getDescription());
    }
  }

  private Rc query(CibAttributes attributes, CibAttributes.Place place) throws CommandException {
    var found = attributes.find(pattern == null ? place : place.any());
    if (found.rc() == Rc.ENXIO && otherwise != null) {
      show(place.section(), name, otherwise);
      return Rc.OK;
    }
    if (found.rc() != Rc.OK) {
      return found.rc();
    }
    var shown = false;
    for (var pair : found.nvpairs()) {
      var its = pair.get("name");
      if (pattern == null || its != null && expression().matcher(its).find()) {
        show(place.section(), its, pair.get("value"));
        shown = true;
      }
    }
    return shown ? Rc.OK : Rc.ENXIO;
  }

  private void show(String scope, @Nullable String attribute, @Nullable String itsValue) {
    switch (out()) {
      case TextOutput text -> {
        if (quiet) {
          if (itsValue != null) {
            text.print(itsValue + "\n");
          }
          return;
        }
        var line = new StringBuilder();
        line.append("scope=").append(scope);
        if (!id.isEmpty()) {
          line.append(" id=").append(id);
        }
        line.append(" name=").append(attribute == null ? "(null)" : attribute);
        var escaped = new StringBuilder();
        if (itsValue != null) {
          XmlWriter.escapeAttribute(itsValue, escaped);
        }
        line.append(" value=").append(itsValue == null ? "(null)" : escaped);
        text.info(line.toString());
      }
      case XmlOutput xml -> {
        var element =
            Element.builder("attribute")
                .attr("name", attribute)
                .attr("value", itsValue == null ? "" : itsValue)
                .attr("scope", scope);
        if (!id.isEmpty()) {
          element.attr("id", id);
        }
        xml.add(element.build());
      }
    }
  }

  private ExitStatus list() throws CommandException {
    if (!"cluster".equals(listed)) {
      throw CommandException.usage(
          "Invalid --list-options value '%s'. Allowed values: cluster".formatted(listed));
    }
    OptionListing.CLUSTER.show(out(), all);
    return ExitStatus.OK;
  }
}
