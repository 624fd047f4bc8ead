package org.systole.scheduler.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// What the configuration says about a resource's probes.
///
/// @param config the configured operation, null if there is none
/// @param meta its meta-attributes, defaults included
public record ProbeConfig(@Nullable Element config, Map<String, String> meta) {}
