package org.systole.hostha.config;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// A host.
///
/// @param partition what it is in; null for the cluster alone
/// @param volumes what its neighbours look at for signs of life, in order
public record HostEntry(
    NodeName name,
    @Nullable String partition,
    List<String> volumes,
    Map<Setting, String> settings) {}
