package org.systole.scheduler.model;

/// A resource's dependence on a ticket.
public record TicketConstraint(
    String id, Resource resource, Ticket ticket, LossPolicy lossPolicy, Role role) {
  /// What happens to the resource when the ticket is lost.
  public enum LossPolicy {
    STOP,
    DEMOTE,
    FENCE,
    FREEZE
  }
}
