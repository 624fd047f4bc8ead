package org.systole.common.rules;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.IsoTime;

/// What a rule is evaluated against. Anything that is not known in the place of the rule is null or
/// empty; a condition on it is then not satisfied.
///
/// @param now in the zone that date specifications are meant in
/// @param nodeAttributes attributes of the node in question
/// @param standard class of the resource agent
/// @param provider provider of the resource agent
/// @param agent type of the resource agent
/// @param operation name of the operation
/// @param intervalMs interval of the operation
/// @param submatches what a pattern of resource ids matched: whole, first group and so on; a group
///     that matched nothing is empty
/// @param parameters instance attributes of the resource
/// @param meta meta-attributes of the resource
public record RuleContext(
    IsoTime now,
    Map<String, String> nodeAttributes,
    @Nullable String standard,
    @Nullable String provider,
    @Nullable String agent,
    @Nullable String operation,
    long intervalMs,
    List<String> submatches,
    Map<String, String> parameters,
    Map<String, String> meta) {

  public static RuleContext at(IsoTime now) {
    return new RuleContext(now, Map.of(), null, null, null, null, 0, List.of(), Map.of(), Map.of());
  }

  public RuleContext withNodeAttributes(Map<String, String> attributes) {
    return new RuleContext(
        now,
        attributes,
        standard,
        provider,
        agent,
        operation,
        intervalMs,
        submatches,
        parameters,
        meta);
  }

  public RuleContext withAgent(
      @Nullable String newStandard, @Nullable String newProvider, @Nullable String newAgent) {
    return new RuleContext(
        now,
        nodeAttributes,
        newStandard,
        newProvider,
        newAgent,
        operation,
        intervalMs,
        submatches,
        parameters,
        meta);
  }

  public RuleContext withOperation(@Nullable String name, long newIntervalMs) {
    return new RuleContext(
        now,
        nodeAttributes,
        standard,
        provider,
        agent,
        name,
        newIntervalMs,
        submatches,
        parameters,
        meta);
  }

  public RuleContext withSubmatches(List<String> matched) {
    return new RuleContext(
        now,
        nodeAttributes,
        standard,
        provider,
        agent,
        operation,
        intervalMs,
        matched,
        parameters,
        meta);
  }

  public RuleContext withResource(Map<String, String> newParameters, Map<String, String> newMeta) {
    return new RuleContext(
        now,
        nodeAttributes,
        standard,
        provider,
        agent,
        operation,
        intervalMs,
        submatches,
        newParameters,
        newMeta);
  }
}
