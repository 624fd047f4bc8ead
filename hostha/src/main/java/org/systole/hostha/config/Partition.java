package org.systole.hostha.config;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A zone, or a partition of the hosts that look after each other: a rack, a pod, a set of hosts with
/// the same storage.
///
/// @param scope [Scope#ZONE] or [Scope#PARTITION]
/// @param parent the zone or partition it is in; null for the cluster
/// @param settings what is set for it, by texts that were found good
public record Partition(
    String name, Scope scope, @Nullable String parent, Map<Setting, String> settings) {}
