package org.systole.hostha;

/// A queue as it is seen from outside.
///
/// @param waiting hosts in it
/// @param running hosts that are worked on
/// @param refused how many hosts found no room in it so far
public record QueueView(WorkKind kind, int waiting, int running, long refused) {}
