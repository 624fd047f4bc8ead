package org.systole.hostha.config;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// Hosts, the zones and partitions they are in, and the settings of all of them. Immutable.
///
/// A configuration that was found good by [Builder#build] is good: every parent is there, nothing is
/// inside itself, every value can be read.
public final class Configuration {
  private static final int DEPTH_MAX = 16;

  private final Map<Setting, String> cluster;
  private final SortedMap<String, Partition> partitions;
  private final SortedMap<NodeName, HostEntry> hosts;
  private final Map<String, Values> shared = new HashMap<>();
  private final @Nullable String flaw;

  private Configuration(Builder from) {
    flaw = from.flaw;
    cluster = new EnumMap<>(from.cluster);
    partitions = new TreeMap<>(from.partitions);
    hosts = new TreeMap<>(from.hosts);
    shared.put("", new Values(cluster));
    partitions.keySet().forEach(it -> shared.put(it, new Values(merged(chain(it)))));
  }

  public SortedMap<NodeName, HostEntry> hosts() {
    return hosts;
  }

  public SortedMap<String, Partition> partitions() {
    return partitions;
  }

  /// Why nothing is to be recovered or fenced by it; null if that may be.
  public @Nullable String flaw() {
    return flaw;
  }

  /// The settings of the cluster.
  public Values values() {
    return valuesIn(null);
  }

  /// The settings of a zone or partition; null for the cluster.
  public Values valuesIn(@Nullable String partition) {
    var values = shared.get(partition == null ? "" : partition);
    if (values == null) {
      throw new IllegalArgumentException("there is no partition " + partition);
    }
    return values;
  }

  /// The settings of a host. Hosts of a partition that set nothing themselves share one object.
  public Values valuesOf(HostEntry host) {
    if (host.settings().isEmpty()) {
      return valuesIn(host.partition());
    }
    var all = merged(chain(host.partition()));
    merge(all, host.settings());
    return new Values(all);
  }

  /// What a host is in, the narrowest first; without the cluster.
  public List<Partition> around(HostEntry host) {
    return chain(host.partition());
  }

  /// A zone or partition and what that is in, the narrowest first; without the cluster.
  public List<Partition> around(String partition) {
    return chain(partition);
  }

  private List<Partition> chain(@Nullable String from) {
    return chain(partitions, from);
  }

  private static List<Partition> chain(Map<String, Partition> all, @Nullable String from) {
    var chain = new ArrayList<Partition>();
    var at = from == null ? null : all.get(from);
    while (at != null && chain.size() < DEPTH_MAX) {
      chain.add(at);
      at = at.parent() == null ? null : all.get(at.parent());
    }
    return chain;
  }

  private Map<Setting, String> merged(List<Partition> chain) {
    var all = new EnumMap<Setting, String>(Setting.class);
    all.putAll(cluster);
    chain.reversed().forEach(it -> merge(all, it.settings()));
    return all;
  }

  /// The narrower counts; but what is switched off, or in maintenance, as a whole, is so in every
  /// part.
  private static void merge(Map<Setting, String> all, Map<Setting, String> narrower) {
    for (var one : narrower.entrySet()) {
      var setting = one.getKey();
      var wider = all.get(setting);
      var kept =
          wider != null
              && (setting == Setting.ENABLED && isFlag(setting, wider, false)
                  || setting == Setting.MAINTENANCE && isFlag(setting, wider, true));
      if (!kept) {
        all.put(setting, one.getValue());
      }
    }
  }

  private static boolean isFlag(Setting setting, String text, boolean value) {
    var read = setting.read(text);
    return read != null && (read != 0) == value;
  }

  /// Collects a configuration. What it does not accept it says in words, and leaves out.
  public static final class Builder {
    private final Map<Setting, String> cluster = new EnumMap<>(Setting.class);
    private final Map<String, Partition> partitions = new TreeMap<>();
    private final Map<NodeName, HostEntry> hosts = new TreeMap<>();
    private @Nullable String flaw;

    public Builder() {}

    /// Begins with another one.
    public Builder(Configuration from) {
      cluster.putAll(from.cluster);
      partitions.putAll(from.partitions);
      hosts.putAll(from.hosts);
    }

    /// @return what is wrong with it, null if nothing
    public @Nullable String partition(String name, Scope scope, @Nullable String parent) {
      if (name.isBlank() || partitions.containsKey(name)) {
        return name.isBlank() ? "a partition needs a name" : name + " is there already";
      }
      var outer = parent == null ? null : partitions.get(parent);
      if (parent != null && outer == null) {
        return "there is no zone or partition " + parent;
      }
      if (chain(partitions, parent).size() >= DEPTH_MAX - 1) {
        return name + " is nested too deeply";
      }
      if (scope == Scope.ZONE && outer != null && outer.scope() == Scope.PARTITION) {
        return "a zone cannot be in a partition";
      }
      partitions.put(name, new Partition(name, scope, parent, Map.of()));
      return null;
    }

    /// Adds a host, or puts it elsewhere.
    ///
    /// @return what is wrong with it, null if nothing
    public @Nullable String host(NodeName name, @Nullable String partition, List<String> volumes) {
      if (partition != null && !partitions.containsKey(partition)) {
        return "there is no zone or partition " + partition;
      }
      var before = hosts.get(name);
      var settings = before == null ? Map.<Setting, String>of() : before.settings();
      hosts.put(name, new HostEntry(name, partition, List.copyOf(volumes), settings));
      return null;
    }

    /// Whether there is a zone or partition of that name.
    public boolean has(String partition) {
      return partitions.containsKey(partition);
    }

    public boolean hasHost(NodeName name) {
      return hosts.containsKey(name);
    }

    /// @param kind `zone`, `partition` or `host`
    public boolean isThere(String kind, String name) {
      var partition = partitions.get(name);
      var host = NodeName.of(name);
      return kind.equals(Scope.HOST.text())
          ? host != null && hasHost(host)
          : partition != null && partition.scope().text().equals(kind);
    }

    /// The host is no longer there.
    public void remove(NodeName name) {
      hosts.remove(name);
    }

    /// Sets something for the cluster, a zone, a partition or a host.
    ///
    /// @param where a name; null for the cluster
    /// @return what is wrong with it, null if nothing
    public @Nullable String set(String name, String value, @Nullable String where) {
      var setting = Setting.of(name);
      if (setting == null) {
        return "there is no setting %s: crm_hostha --list-settings shows all".formatted(name);
      }
      if (setting.read(value) == null) {
        return "%s takes %s, not '%s'".formatted(setting.text(), setting.takes(), value);
      }
      if (where == null) {
        cluster.put(setting, value);
        return null;
      }
      var partition = partitions.get(where);
      var node = NodeName.of(where);
      var host = node == null ? null : hosts.get(node);
      if (partition == null && host == null) {
        return "there is no zone, partition or host " + where;
      }
      var scope = partition != null ? partition.scope() : Scope.HOST;
      if (!scope.reaches(setting.narrowest())) {
        return "%s cannot be set for a %s: %s"
            .formatted(
                setting.text(),
                scope.text(),
                setting.narrowest() == Scope.CLUSTER
                    ? "only for the whole cluster"
                    : "at most for a " + setting.narrowest().text());
      }
      if (partition != null) {
        partitions.put(where, with(partition, setting, value));
        return nested(setting, where);
      }
      if (host != null) {
        hosts.put(host.name(), with(host, setting, value));
      }
      return null;
    }

    /// One provider looks after a host: a partition inside one that has a provider has none of its
    /// own.
    private @Nullable String nested(Setting setting, String where) {
      if (setting != Setting.PROVIDER) {
        return null;
      }
      for (var inner : partitions.values()) {
        if (!inner.settings().containsKey(setting)) {
          continue;
        }
        for (var outer : chain(partitions, inner.parent())) {
          if (outer.settings().containsKey(setting)
              && (outer.name().equals(where) || inner.name().equals(where))) {
            partitions.put(where, without(partitions.get(where), setting));
            return "%s has a provider, and so has %s, which it is in: one of them is too many"
                .formatted(inner.name(), outer.name());
          }
        }
      }
      return null;
    }

    /// @param why nothing is to be recovered or fenced by it
    public void flaw(String why) {
      flaw = why;
    }

    public Configuration build() {
      return new Configuration(this);
    }

    private static Partition with(Partition it, Setting setting, String value) {
      var all = new EnumMap<Setting, String>(Setting.class);
      all.putAll(it.settings());
      all.put(setting, value);
      return new Partition(it.name(), it.scope(), it.parent(), all);
    }

    private static Partition without(@Nullable Partition it, Setting setting) {
      if (it == null) {
        throw new IllegalStateException("the partition is gone");
      }
      var all = new EnumMap<Setting, String>(Setting.class);
      all.putAll(it.settings());
      all.remove(setting);
      return new Partition(it.name(), it.scope(), it.parent(), all);
    }

    private static HostEntry with(HostEntry it, Setting setting, String value) {
      var all = new EnumMap<Setting, String>(Setting.class);
      all.putAll(it.settings());
      all.put(setting, value);
      return new HostEntry(it.name(), it.partition(), it.volumes(), all);
    }
  }
}
