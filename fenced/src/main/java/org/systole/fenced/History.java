package org.systole.fenced;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The fencing operations of the whole cluster, as far as they are remembered.
final class History {
  static final int ENTRIES_MAX = 500;

  private final Map<String, FencePeerMessage.Past> byId = new LinkedHashMap<>();

  FencePeerMessage.@Nullable Past get(String id) {
    return byId.get(id);
  }

  /// Whether an operation is known to be over.
  boolean hasEnded(String id) {
    var entry = byId.get(id);
    return entry != null && !entry.record().pending();
  }

  /// @return whether this was news
  boolean put(FencePeerMessage.Past entry) {
    var before = byId.get(entry.record().id());
    if (before != null && !isNews(before, entry)) {
      return false;
    }
    byId.put(entry.record().id(), entry);
    trim();
    return true;
  }

  /// An end replaces a beginning, and a success replaces a failure that was only presumed.
  private static boolean isNews(FencePeerMessage.Past before, FencePeerMessage.Past now) {
    return before.record().pending()
        ? !before.equals(now)
        : before.record().progress() != Progress.DONE && now.record().progress() == Progress.DONE;
  }

  private void trim() {
    if (byId.size() <= ENTRIES_MAX) {
      return;
    }
    var oldest =
        byId.values().stream()
            .filter(entry -> !entry.record().pending())
            .min(Comparator.comparingLong(entry -> entry.record().completedMillis()));
    oldest.ifPresent(entry -> byId.remove(entry.record().id()));
  }

  /// @param target of this node only; empty for all
  void clear(String target) {
    byId.values()
        .removeIf(
            entry ->
                !entry.record().pending()
                    && (target.isEmpty() || entry.record().target().text().equals(target)));
  }

  /// Operations under way first, then what ended last.
  ///
  /// @param target of this node only; null for all
  List<FenceRecord> list(@Nullable NodeName target) {
    return byId.values().stream()
        .map(FencePeerMessage.Past::record)
        .filter(record -> target == null || record.target().equals(target))
        .sorted(
            Comparator.comparing((FenceRecord record) -> !record.pending())
                .thenComparing(FenceRecord::completedMillis, Comparator.reverseOrder()))
        .toList();
  }

  List<FencePeerMessage.Past> all() {
    return List.copyOf(byId.values());
  }

  /// An operation of the same kind that is under way and about this stay of its target, null if
  /// there is none. One that began before the target came back may have acted before that, too.
  @Nullable FenceRecord pending(NodeName target, String action, long stay) {
    for (var entry : byId.values()) {
      var record = entry.record();
      if (record.pending()
          && record.target().equals(target)
          && record.action().equals(action)
          && record.covers(stay)) {
        return record;
      }
    }
    return null;
  }

  /// Whether an operation other than this one is to fence this stay of a target.
  boolean isToBeFenced(NodeName target, String otherThan, long stay) {
    return byId.values().stream()
        .map(FencePeerMessage.Past::record)
        .anyMatch(
            record ->
                record.pending()
                    && Device.isFencing(record.action())
                    && record.target().equals(target)
                    && !record.id().equals(otherThan)
                    && record.covers(stay));
  }

  /// What is under way, by id.
  Map<String, FenceRecord> pending() {
    var pending = new LinkedHashMap<String, FenceRecord>();
    for (var entry : byId.values()) {
      if (entry.record().pending()) {
        pending.put(entry.record().id(), entry.record());
      }
    }
    return pending;
  }

  /// A success of the same kind at or after a moment, null if there is none.
  FencePeerMessage.@Nullable Past success(NodeName target, String action, long sinceMillis) {
    for (var entry : byId.values()) {
      var record = entry.record();
      if (record.progress() == Progress.DONE
          && record.target().equals(target)
          && record.action().equals(action)
          && record.completedMillis() >= sinceMillis) {
        return entry;
      }
    }
    return null;
  }

  /// An operation under way as it stands once its origin is lost: failed.
  static FencePeerMessage.Past lost(FenceRecord record, long nowMillis) {
    var failed =
        new FenceRecord(
            record.id(),
            record.target(),
            record.action(),
            record.origin(),
            record.delegate(),
            record.client(),
            Progress.FAILED,
            nowMillis,
            "Fencer that was asked is gone",
            record.membership());
    return new FencePeerMessage.Past(failed, 1, ExecStatus.ERROR);
  }
}
