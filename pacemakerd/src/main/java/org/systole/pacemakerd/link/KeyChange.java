package org.systole.pacemakerd.link;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.Channels;
import org.systole.common.world.Channels.Address;

/// A change of the cluster's key, as part of a [FileReload]: all members have the same new key on disk;
/// then all accept it, besides the present one; only then do they speak with it. So at no moment a
/// member speaks with a key that another one does not accept. One that has missed the last step does
/// it when it hears the first that has not.
final class KeyChange {
  /// The key this node accepts because another one, or itself, has told it to.
  private record Taken(Address asker, long id, String key) {}

  private @Nullable Taken taken;

  // ---- the link that was asked

  /// What is wrong with the keys that the members have read.
  ///
  /// @param read of each member; without one of those that have no encryption
  /// @param present what this node speaks with
  /// @return null if they are the same
  static @Nullable String differences(
      Map<NodeId, String> read, @Nullable String present, Function<NodeId, NodeName> name) {
    if (read.values().stream().distinct().count() <= 1) {
      return null;
    }
    var holders = new TreeMap<String, TreeSet<NodeId>>();
    read.forEach((node, key) -> holders.computeIfAbsent(key, _ -> new TreeSet<>()).add(node));
    var told =
        holders.entrySet().stream()
            .sorted(Map.Entry.comparingByValue((a, b) -> a.first().compareTo(b.first())))
            .map(
                it ->
                    "%s %s"
                        .formatted(
                            names(it.getValue(), name),
                            it.getKey().equals(present) ? "the one in use" : "a new one"))
            .collect(Collectors.joining(", "));
    return "The cluster's key on disk is not the same everywhere: %s; give all nodes the same."
        .formatted(told);
  }

  static String names(Collection<NodeId> nodes, Function<NodeId, NodeName> name) {
    return nodes.stream().map(it -> name.apply(it).text()).collect(Collectors.joining(" "));
  }

  // ---- every member

  /// Accepts a key.
  ///
  /// @return whether it is accepted by now
  boolean take(Channels channels, Address asker, long id, String key) {
    var accepted = channels.acceptKey(key);
    taken = accepted ? new Taken(asker, id, key) : null;
    return accepted;
  }

  void use(Channels channels, Address asker, long id) {
    var it = taken;
    if (it != null && it.asker.equals(asker) && it.id == id) {
      taken = null;
      channels.useKey(it.key);
    }
  }
}
