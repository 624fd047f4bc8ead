package org.systole.pacemakerd.jgroups;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The keys this process goes by: one that it speaks with, and while the cluster's key is changed
/// others that it accepts too, the next one or the one before.
///
/// A key that was replaced is never taken again by this process: what was recorded under it could be
/// sent once more.
///
/// Safe for use by several threads.
final class KeyRing {
  /// A snapshot.
  ///
  /// @param present what this process speaks with
  /// @param accepted the present one first
  private record Keys(ClusterKey present, @Nullable ClusterKey next, List<ClusterKey> accepted) {}

  private final Set<String> replaced = new HashSet<>();
  private @Nullable ClusterKey offered;
  private volatile Keys keys;
  private volatile Consumer<String> whenSpoken = _ -> {};

  KeyRing(ClusterKey first) {
    keys = new Keys(first, null, List.of(first));
  }

  ClusterKey present() {
    return keys.present;
  }

  List<ClusterKey> accepted() {
    return keys.accepted;
  }

  /// @param told called, by any thread, with a key to come which a peer is heard to speak with
  void onSpoken(Consumer<String> told) {
    whenSpoken = told;
  }

  /// A key that was read and may be accepted later.
  ///
  /// @return why it cannot be; null if it can
  synchronized @Nullable String offer(ClusterKey key) {
    if (replaced.contains(key.alias())) {
      return "the cluster's key was replaced before and is not taken again by nodes that run; make a new one";
    }
    offered = key;
    return null;
  }

  /// Accepts what was offered last, besides the present key.
  ///
  /// @return whether it is accepted
  synchronized boolean accept(String alias) {
    if (isPresent(alias) || keys.next != null && keys.next.alias().equals(alias)) {
      return true;
    }
    var key = offered;
    if (key == null || !key.alias().equals(alias)) {
      return false;
    }
    var before = keys;
    var accepted = new ArrayList<>(before.accepted);
    accepted.remove(before.next);
    accepted.add(key);
    keys = new Keys(before.present, key, List.copyOf(accepted));
    return true;
  }

  /// Speaks with the next key from now on; the present one is still accepted.
  ///
  /// @return the key that was present, for [#forget]; null if this is not the next one
  synchronized @Nullable ClusterKey use(String alias) {
    var before = keys;
    if (before.next == null || !before.next.alias().equals(alias)) {
      return null;
    }
    var accepted = new ArrayList<>(before.accepted);
    accepted.remove(before.next);
    accepted.addFirst(before.next);
    replaced.add(before.present.alias());
    keys = new Keys(before.next, null, List.copyOf(accepted));
    return before.present;
  }

  /// No longer accepts a former key.
  synchronized void forget(ClusterKey former) {
    var before = keys;
    var accepted = new ArrayList<>(before.accepted);
    if (former != before.present && accepted.remove(former)) {
      keys = new Keys(before.present, before.next, List.copyOf(accepted));
    }
  }

  /// A peer was heard that has this key. If it is the next one the change was decided.
  void heard(ClusterKey key) {
    if (key == keys.next) {
      whenSpoken.accept(key.alias());
    }
  }

  private boolean isPresent(String alias) {
    return keys.present.alias().equals(alias);
  }
}
