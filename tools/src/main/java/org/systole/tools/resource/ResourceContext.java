package org.systole.tools.resource;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.cibd.client.CibTarget;
import org.systole.common.output.Output;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Status;
import org.systole.tools.cib.ConfiguredCib;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// What the parts of `crm_resource` work on.
///
/// @param original the CIB as it is, before it is brought up to the present schema
/// @param requested the resource's id as the user wrote it, empty if none
/// @param resource the resource that is, null if the user named none
/// @param node the node the user named, null if none
public record ResourceContext(
    Terminal terminal,
    Output out,
    CibTarget cib,
    Element original,
    WorkingSet status,
    String requested,
    @Nullable Resource resource,
    @Nullable Node node,
    boolean force) {

  /// The CIB and what it says.
  public record Read(Element original, WorkingSet status) {}

  public static Read read(CibTarget cib, Terminal terminal) throws CommandException, CibException {
    return read(cib.cib(), terminal);
  }

  /// What a CIB says that need not be the cluster's.
  public static Read read(Element original, Terminal terminal) throws CommandException {
    var current = ConfiguredCib.upgrade(terminal, original);
    return new Read(original, status(current, terminal));
  }

  private static WorkingSet status(Element cib, Terminal terminal) {
    var flags = Set.of(ClusterFlag.NO_COUNTS);
    return Status.of(cib, terminal.clock().get(), terminal.zone(), flags);
  }

  /// The same with the CIB as it is now, about another resource of it.
  ResourceContext renewed(String rsc, boolean withNode) throws CommandException {
    try {
      var read = read(cib, terminal);
      return new ResourceContext(
          terminal,
          out,
          cib,
          read.original(),
          read.status(),
          rsc,
          read.status().find(rsc, Resource.Match.HISTORY, Resource.Match.ANONYMOUS_BASE_NAME),
          withNode && node != null ? read.status().node(node.name()) : null,
          force);
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not read the CIB: " + e.rc().text());
    }
  }

  Resource theResource() {
    if (resource == null) {
      throw new IllegalStateException("checked before: there is a resource");
    }
    return resource;
  }

  /// The id as it is in the configuration, without an instance number.
  static String plainId(Resource rsc) {
    return plainId(rsc.id());
  }

  static String plainId(String id) {
    var colon = id.lastIndexOf(':');
    if (colon < 0 || colon == id.length() - 1) {
      return id;
    }
    return id.substring(colon + 1).chars().allMatch(Character::isDigit)
        ? id.substring(0, colon)
        : id;
  }

  /// The outermost resource it is part of.
  static Resource outermost(Resource rsc) {
    return rsc.top(true);
  }

  /// Turns what an update came to into the end of the command.
  static void check(Rc rc) throws CommandException {
    if (rc != Rc.OK) {
      throw new CommandException(rc.exit(), "");
    }
  }
}
