package org.systole.scheduler.constraints;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;
import org.systole.scheduler.constraints.ConstraintReader.Invalid;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Explanations;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause.Kind;
import org.systole.scheduler.model.Ticket;
import org.systole.scheduler.model.TicketConstraint;
import org.systole.scheduler.model.TicketConstraint.LossPolicy;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.operations.Fencing;

/// Reads ticket constraints, and applies those whose ticket is not there.
public final class TicketReader {
  private TicketReader() {}

  static void read(WorkingSet cluster, Element original) throws Invalid {
    var ticketId = original.get("ticket");
    if (ticketId == null) {
      cluster.configError("Ignoring constraint '%s' without ticket".formatted(original.id()));
      return;
    }
    if (ticketId.isEmpty()) {
      return;
    }
    var ticket = cluster.tickets().computeIfAbsent(ticketId, Ticket::new);
    var xml = expand(cluster, original);
    var sets = ConstraintReader.sets(cluster, xml);
    for (var set : sets) {
      readSet(cluster, set, ticket, xml.get("loss-policy"));
    }
    if (sets.isEmpty()) {
      var rsc = ConstraintReader.required(cluster, original, "rsc");
      add(
          original.get("id", ""),
          rsc,
          ticket,
          original.get("rsc-role"),
          original.get("loss-policy"));
    }
  }

  private static Element expand(WorkingSet cluster, Element xml) throws Invalid {
    var expanded = ConstraintReader.expandSets(cluster, xml);
    if (expanded != null) {
      return expanded;
    }
    var rsc = xml.get("rsc");
    if (rsc == null) {
      return xml;
    }
    ConstraintReader.mustExist(cluster, xml, rsc);
    return ConstraintReader.toSet(cluster, xml, "rsc", false, "rsc-role", "role");
  }

  private static void readSet(
      WorkingSet cluster, Element set, Ticket ticket, @Nullable String lossPolicy) throws Invalid {
    if (set.id() == null) {
      cluster.configError("Ignoring <resource_set> without id");
      throw new Invalid();
    }
    for (var ref : ConstraintReader.members(set)) {
      var rsc = ConstraintReader.resource(cluster, ref);
      if (rsc == null) {
        cluster.configError("%s: No resource found for %s".formatted(set.id(), ref));
        throw new Invalid();
      }
      add(set.get("id", ""), rsc, ticket, set.get("role"), lossPolicy);
    }
  }

  private static void add(
      String id,
      Resource rsc,
      Ticket ticket,
      @Nullable String roleText,
      @Nullable String lossPolicy)
      throws Invalid {
    var role = ConstraintReader.role(rsc.cluster(), id, roleText);
    var constraint =
        new TicketConstraint(
            id, rsc, ticket, policy(rsc.cluster(), ticket, role, lossPolicy), role);
    rsc.tickets().add(constraint);
    if (isMissing(ticket)) {
      apply(rsc, constraint);
    }
  }

  private static LossPolicy policy(
      WorkingSet cluster, Ticket ticket, Role role, @Nullable String text) {
    if ("fence".equalsIgnoreCase(text)) {
      if (cluster.is(ClusterFlag.FENCING_ENABLED)) {
        return LossPolicy.FENCE;
      }
      cluster.configError(
          "Resetting 'loss-policy' for ticket '%s' to 'stop' because fencing is not configured"
              .formatted(ticket.id()));
      return LossPolicy.STOP;
    }
    if ("freeze".equalsIgnoreCase(text)) {
      return LossPolicy.FREEZE;
    }
    if ("demote".equalsIgnoreCase(text)) {
      return LossPolicy.DEMOTE;
    }
    return !"stop".equalsIgnoreCase(text) && role == Role.PROMOTED
        ? LossPolicy.DEMOTE
        : LossPolicy.STOP;
  }

  private static boolean isMissing(Ticket ticket) {
    return !ticket.granted() || ticket.standby();
  }

  private static void apply(Resource rsc, TicketConstraint constraint) {
    if (!rsc.children().isEmpty()) {
      rsc.children().forEach(child -> apply(child, constraint));
      return;
    }
    var ticket = constraint.ticket();
    if (!ticket.granted() && !rsc.active().isEmpty()) {
      onLoss(rsc, constraint);
    } else if (constraint.role() != Role.PROMOTED || constraint.lossPolicy() == LossPolicy.STOP) {
      ban(rsc, constraint);
    }
  }

  private static void onLoss(Resource rsc, TicketConstraint constraint) {
    var roleMatches = constraint.role() == Role.UNKNOWN || constraint.role() == rsc.role();
    switch (constraint.lossPolicy()) {
      case STOP -> ban(rsc, constraint);
      case DEMOTE -> {
        if (constraint.role() != Role.PROMOTED) {
          ban(rsc, constraint);
        }
      }
      case FENCE -> {
        if (roleMatches) {
          ban(rsc, constraint);
          for (var node : rsc.active()) {
            Fencing.fenceNode(rsc.cluster(), node, "deadman ticket was lost", false);
          }
        }
      }
      case FREEZE -> {
        if (roleMatches) {
          rsc.clear(ResourceFlag.MANAGED);
          rsc.set(ResourceFlag.BLOCKED);
        }
      }
    }
  }

  private static void ban(Resource rsc, TicketConstraint constraint) {
    Explanations.preferEverywhere(rsc, -Score.INFINITY, Kind.TICKET, constraint.id());
  }

  /// Bans the resource where a promoted role depends on a ticket that is missing.
  public static void requireForPromotion(Resource rsc) {
    for (var constraint : rsc.tickets()) {
      if (constraint.role() == Role.PROMOTED && isMissing(constraint.ticket())) {
        ban(rsc, constraint);
      }
    }
  }
}
