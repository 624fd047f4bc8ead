package org.systole.schedulerd.model;

/// A score that moved a placement, and why.
///
/// @param resource the resource whose score for a node was changed
/// @param score what was added; minus infinity for a ban
/// @param cause the constraint, `stickiness`, a failure, or whatever else it came from
public record ScoreCause(Resource resource, Node node, int score, String cause) {}
