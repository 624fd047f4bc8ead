package org.systole.scheduler.model;

/// "Dependent with primary": a constraint between the places of two resources.
///
/// @param nodeAttribute the attribute whose value must be the same, `#uname` for the same node
/// @param explicit configured by the user rather than implied by a group or the like
/// @param influence whether the dependent's preferences influence where the primary goes
public record Colocation(
    String id,
    String nodeAttribute,
    Resource dependent,
    Resource primary,
    Role dependentRole,
    Role primaryRole,
    int score,
    boolean explicit,
    boolean influence) {}
