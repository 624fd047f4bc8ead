package org.systole.tools.resource;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibException;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.IsoDuration;
import org.systole.common.values.IsoException;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.tools.cli.CommandException;

/// Moving, banning and what undoes it: location constraints whose ids begin with `cli-`.
final class ResourceMoves {
  private final ResourceContext context;
  private final @Nullable String lifetime;
  private boolean promotedOnly;

  /// @param lifetime an ISO 8601 duration after which the constraint has no effect, null for none
  ResourceMoves(ResourceContext context, @Nullable String lifetime, boolean promotedOnly) {
    this.context = context;
    this.lifetime = lifetime;
    this.promotedOnly = promotedOnly;
  }

  void ban() throws CommandException {
    var node = context.node();
    if (node == null) {
      ResourceContext.check(banCurrent());
    } else {
      ResourceContext.check(ban(node.name(), until()));
    }
  }

  void move() throws CommandException {
    var node = context.node();
    if (node == null) {
      ResourceContext.check(banCurrent());
    } else {
      ResourceContext.check(moveTo(node));
    }
  }

  private Rc banCurrent() throws CommandException {
    var rsc = context.theResource();
    var active = rsc.activeCountForRequires();
    var node = rsc.currentNode();
    if (active == 1 && node != null) {
      return ban(node.name(), until());
    }
    var requested = context.requested();
    if (!rsc.is(ResourceFlag.PROMOTABLE)) {
      throw CommandException.usage(
          """
          Resource '%1$s' not moved: active in %2$d locations.
          To prevent '%1$s' from running on a specific location, specify a node.\
          """
              .formatted(requested, active));
    }
    var promoted = promoted(rsc);
    if (promoted.size() == 1 && promoted.getFirst().currentNode() != null) {
      return ban(promoted.getFirst().currentNode().name(), until());
    }
    throw CommandException.usage(
        """
        Resource '%1$s' not moved: active in %2$d locations (promoted in %3$d).
        To prevent '%1$s' from running on a specific location, specify a node.\
        To prevent '%1$s' from being promoted at a specific location, specify a node and the \
        --promoted option.\
        """
            .formatted(requested, active, promoted.size()));
  }

  private static List<Resource> promoted(Resource rsc) {
    var found = new ArrayList<Resource>();
    for (var child : rsc.children()) {
      if (child.role(true) == Role.PROMOTED) {
        found.add(child);
      }
    }
    return found;
  }

  private Rc moveTo(Node target) throws CommandException {
    var rsc = context.theResource();
    var requested = context.requested();
    if (promotedOnly && !rsc.is(ResourceFlag.PROMOTABLE)) {
      context.out().info("Ignoring --promoted option: %s is not promotable".formatted(requested));
      promotedOnly = false;
    }
    var word = promotedOnly ? "promoted" : "active";
    var count = rsc.activeCountForRequires();
    var current = rsc.currentNode();
    if (rsc.is(ResourceFlag.PROMOTABLE)) {
      var promoted = promoted(rsc);
      if (promotedOnly || !promoted.isEmpty()) {
        count = promoted.size();
        current = promoted.isEmpty() ? null : promoted.getLast().currentNode();
        rsc = promoted.isEmpty() ? rsc : promoted.getLast();
      }
    }
    if (count > 1) {
      if (!rsc.isClone()) {
        return Rc.MULTIPLE;
      }
      current = null;
    }
    var alreadyThere = current != null && current.id().equals(target.id());
    if (alreadyThere && !context.force()) {
      return Rc.ALREADY;
    }
    var end = until();
    clearEverywhere(false);
    clear(target.name(), true);
    var rc = prefer(target.name(), end);
    if (context.force() && !alreadyThere) {
      banFormer(current, count, target, word, end);
    }
    return rc;
  }

  private void banFormer(
      @Nullable Node current, int count, Node target, String word, @Nullable String end) {
    if (current != null) {
      ban(current.name(), end);
    } else if (count > 1) {
      context
          .out()
          .info(
              "Resource '%s' is currently %s in %d locations. One may now move to %s"
                  .formatted(context.requested(), word, count, target));
      context
          .out()
          .info(
              "To prevent '%s' from being %s at a specific location, specify a node"
                  .formatted(context.requested(), word));
    }
  }

  private Rc ban(String host, @Nullable String end) {
    return withRole(role -> ban(host, end, role));
  }

  /// Schemas before 3.7 have another word for the role: it is tried where the present one is
  /// refused.
  private Rc withRole(Function<String, Rc> write) {
    if (!promotedOnly) {
      return write.apply("Started");
    }
    var rc = write.apply("Promoted");
    return rc == Rc.OK || write.apply("Master") != Rc.OK ? rc : Rc.OK;
  }

  private Rc ban(String host, @Nullable String end, String role) {
    var rsc = context.requested();
    var id = "cli-ban-%s-on-%s".formatted(rsc, host);
    context
        .out()
        .info(
            """
            WARNING: Creating rsc_location constraint '%1$s' with a score of -INFINITY for \
            resource %2$s on %3$s.
            \tThis will prevent %2$s from %4$s on %3$s until the constraint is removed using the \
            clear option or by editing the CIB with an appropriate tool.
            \tThis will be the case even if %3$s is the last node in the cluster\
            """
                .formatted(id, rsc, host, promotedOnly ? "being promoted" : "running"));
    return write(id, role, "-INFINITY", host, end, id + "-rule", id + "-expr", id + "-lifetime");
  }

  private Rc prefer(String host, @Nullable String end) {
    var rsc = context.requested();
    return withRole(
        role ->
            write(
                "cli-prefer-" + rsc,
                role,
                "INFINITY",
                host,
                end,
                "cli-prefer-rule-" + rsc,
                "cli-prefer-expr-" + rsc,
                "cli-prefer-lifetime-end-" + rsc));
  }

  private Rc write(
      String id,
      String role,
      String score,
      String host,
      @Nullable String end,
      String ruleId,
      String expressionId,
      String dateId) {
    var location =
        Element.builder("rsc_location")
            .attr("id", id)
            .attr("rsc", context.requested())
            .attr("role", role);
    if (end == null) {
      location.attr("node", host).attr("score", score);
    } else {
      location.add(
          Element.of("rule", "id", ruleId, "score", score, "boolean-op", "and")
              .plus(
                  Element.of(
                      "expression",
                      "id",
                      expressionId,
                      "attribute",
                      "#uname",
                      "operation",
                      "eq",
                      "value",
                      host,
                      "type",
                      "string"))
              .plus(Element.of("date_expression", "id", dateId, "operation", "lt", "end", end)));
    }
    var constraints = Element.of("constraints").plus(location.build());
    return context.cib().update(CibOp.modify("constraints", constraints)).rc();
  }

  /// The moment a lifetime ends, told to the user; null if there is none.
  private @Nullable String until() throws CommandException {
    if (lifetime == null) {
      return null;
    }
    var duration = parsed(lifetime);
    if (duration == null) {
      context
          .out()
          .error(
              """
              Invalid duration specified: %s
              Please refer to https://en.wikipedia.org/wiki/ISO_8601#Durations for examples of \
              valid durations\
              """
                  .formatted(lifetime));
      throw new CommandException(ExitStatus.USAGE, "");
    }
    var end = context.terminal().now().plus(duration);
    var text = end.toString();
    context.out().info("Migration will take effect until: " + text);
    return text;
  }

  private static @Nullable IsoDuration parsed(String text) {
    try {
      return IsoDuration.parse(text);
    } catch (IsoException e) {
      return null;
    }
  }

  /// Removes the constraints of moves and bans; which of them went is told.
  void clear(boolean onlyExpired) throws CommandException {
    var before = locationIds(context.original());
    var node = context.node();
    Rc rc;
    if (onlyExpired) {
      rc = clearExpired();
    } else if (node != null) {
      rc = clear(node.name(), true);
    } else {
      rc = clearEverywhere(true);
    }
    if (context.out().isQuiet()) {
      ResourceContext.check(rc);
      return;
    }
    try {
      var after = locationIds(context.cib().cib());
      for (var id : before) {
        if (!after.contains(id)) {
          context.out().info("Removing constraint: " + id);
        }
      }
    } catch (CibException e) {
      throw new CommandException(e.rc().exit(), "Could not get modified CIB: " + e.rc().text());
    }
  }

  private static TreeSet<String> locationIds(Element cib) {
    var ids = new TreeSet<String>();
    var constraints = cib.path("configuration", "constraints");
    if (constraints != null) {
      constraints.children("rsc_location").forEach(it -> ids.add(it.get("id", "")));
    }
    return ids;
  }

  private Rc clearEverywhere(boolean bans) {
    var names = new LinkedHashSet<String>();
    context.status().nodes().forEach(it -> names.add(it.name()));
    names.addAll(namedByMoves());
    for (var name : names) {
      var rc = clear(name, bans);
      if (rc != Rc.OK) {
        return rc;
      }
    }
    return Rc.OK;
  }

  /// The nodes that moves and bans of the resource name, which may be gone by now: once one of that name is there again they would count.
  private List<String> namedByMoves() {
    var rsc = context.requested();
    var ban = "cli-ban-" + rsc + "-on-";
    var names = new ArrayList<String>();
    var constraints = context.original().path("configuration", "constraints");
    for (var location : constraints == null ? List.<Element>of() : constraints.children("rsc_location")) {
      var id = location.get("id", "");
      if (!rsc.equals(location.get("rsc"))) {
        continue;
      }
      if (id.startsWith(ban)) {
        names.add(id.substring(ban.length()));
      } else if (id.equals("cli-prefer-" + rsc)) {
        var expression = location.find(it -> it.is("expression") && "#uname".equals(it.get("attribute")));
        names.add(expression == null ? location.get("node", "") : expression.get("value", ""));
      }
    }
    return names;
  }

  private Rc clear(String host, boolean bans) {
    var rsc = context.requested();
    var byRule =
        """
        //rsc_location[@id=%1$s][rule[@id=%2$s]\
        /expression[@attribute='#uname' and @value=%3$s]]\
        """
            .formatted(
                CibXPath.literal("cli-prefer-" + rsc),
                CibXPath.literal("cli-prefer-rule-" + rsc),
                CibXPath.literal(host));
    var rc = context.cib().update(CibOp.deleteXPath(byRule)).rc();
    if (rc != Rc.OK && rc != Rc.ENXIO) {
      return rc;
    }
    var constraints = Element.builder("constraints");
    if (bans) {
      constraints.add(Element.of("rsc_location", "id", "cli-ban-%s-on-%s".formatted(rsc, host)));
    }
    var preferred = Element.of("rsc_location", "id", "cli-prefer-" + rsc);
    constraints.add(context.force() ? preferred : preferred.with("node", host));
    rc = context.cib().update(CibOp.delete("constraints", constraints.build())).rc();
    return rc == Rc.ENXIO ? Rc.OK : rc;
  }

  private Rc clearExpired() {
    var constraints = context.original().path("configuration", "constraints");
    if (constraints == null) {
      return Rc.OK;
    }
    var now = context.terminal().now();
    for (var location : constraints.children("rsc_location")) {
      var id = location.get("id", "");
      if (!id.startsWith("cli-ban-") && !id.startsWith("cli-prefer-") || !isMeant(location)) {
        continue;
      }
      var date =
          location.find(
              it ->
                  it.is("date_expression")
                      && it.get("id", "")
                          .equals(
                              id.startsWith("cli-ban-")
                                  ? id + "-lifetime"
                                  : "cli-prefer-lifetime-end-" + location.get("rsc", "")));
      var end = date == null ? null : IsoTime.tryParse(date.get("end", ""), now);
      if (end != null && now.compareTo(end) > 0) {
        var rc =
            context
                .cib()
                .update(
                    CibOp.delete(
                        "constraints",
                        Element.of("constraints").plus(Element.of("rsc_location", "id", id))))
                .rc();
        if (rc != Rc.OK) {
          return rc;
        }
      }
    }
    return Rc.OK;
  }

  /// Whether an expired constraint is of the resource, node and role the user named, if any.
  private boolean isMeant(Element location) {
    if (!context.requested().isEmpty() && !context.requested().equals(location.get("rsc"))) {
      return false;
    }
    var role = location.get("role", "");
    if (promotedOnly && !role.equals("Promoted") && !role.equals("Master")) {
      return false;
    }
    var node = context.node();
    return node == null
        || node.name().equals(location.get("node"))
        || location.find(
                it ->
                    it.is("expression")
                        && "#uname".equals(it.get("attribute"))
                        && node.name().equals(it.get("value")))
            != null;
  }
}
