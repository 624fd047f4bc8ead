package org.systole.hostha.cib;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.NodeName;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.HostEntry;
import org.systole.hostha.config.Partition;
import org.systole.hostha.config.Setting;

/// What the CIB configures for host HA.
///
/// @param parameters for the provider of each host
/// @param placed the parameters by where they are set: for a zone, partition or host by its name, for the cluster by an empty one
/// @param faults what makes no sense, in words; it is left out
/// @param flaw the one of these for which nothing is to be recovered or fenced before it is mended; null for none
/// @param doubts what can hardly be meant
public record HostSetup(
    Configuration configuration,
    Map<NodeName, Map<String, String>> parameters,
    Map<String, Map<String, String>> placed,
    List<String> faults,
    @Nullable String flaw,
    List<String> doubts) {
  /// Where the agents are that ship.
  private static final String OURS = "systole";

  private static final String PREFIX = "ha-";

  /// What a decider goes by. Where a flaw keeps that from being read, hosts that were looked after are so still, and nothing
  /// is recovered or fenced.
  ///
  /// @param isLookedAfter whether host HA looks after a host, by what is known of it
  public HostSetup toGoBy(Predicate<NodeName> isLookedAfter) {
    if (flaw == null) {
      return this;
    }
    var careful = new Configuration.Builder(configuration);
    careful.flaw(flaw);
    for (var host : configuration.hosts().values()) {
      if (isLookedAfter.test(host.name()) && !host.settings().containsKey(Setting.ENABLED)) {
        careful.set(Setting.ENABLED.text(), "true", host.name().text()); // not where a whole is off
      }
    }
    return new HostSetup(careful.build(), parameters, placed, faults, flaw, doubts);
  }

  /// The provider's parameters in a zone or partition; an empty name is the cluster.
  public SortedMap<String, String> parametersIn(String place) {
    var all = new TreeMap<>(placed.getOrDefault("", Map.of()));
    var around = place.isEmpty() ? List.<Partition>of() : configuration.around(place);
    around.reversed().forEach(it -> all.putAll(placed.getOrDefault(it.name(), Map.of())));
    return all;
  }

  /// The agent of a host's provider.
  public AgentName provider(HostEntry host) {
    var text = configuration.valuesOf(host).text(Setting.PROVIDER);
    var agent = agent(text);
    return agent == null ? new AgentName(AgentName.OCF, OURS, PREFIX + "generic") : agent;
  }

  /// The agent of a provider's name: `generic` is `ocf:systole:ha-generic`. Null if it can be none.
  static @Nullable AgentName agent(String name) {
    if (name.matches("[A-Za-z0-9_-]+")) {
      return new AgentName(AgentName.OCF, OURS, PREFIX + name);
    }
    var parts = name.split(":", -1);
    var good =
        parts.length == 3
            && parts[0].equals(AgentName.OCF)
            && parts[1].matches("[A-Za-z0-9_.-]+")
            && parts[2].matches("[A-Za-z0-9_.-]+")
            && !parts[1].startsWith(".")
            && !parts[2].startsWith(".");
    return good ? new AgentName(parts[0], parts[1], parts[2]) : null;
  }
}
