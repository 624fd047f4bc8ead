package org.systole.scheduler.unpack;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.systole.scheduler.model.WorkingSet;

/// Collects the failed actions that are shown to people.
final class FailedActions {
  private final WorkingSet ws;
  private final Set<String> known = new HashSet<>();

  FailedActions(WorkingSet ws) {
    this.ws = ws;
  }

  /// Adds an entry, unless its node is offline or the same operation there was added before.
  void add(RecordedResult entry) {
    if (entry.node.online()
        && known.add(entry.key + '\n' + entry.node.name().toLowerCase(Locale.ROOT))) {
      ws.failed()
          .add(
              ws.history(entry.xml)
                  .with("uname", entry.node.name())
                  .with(WorkingSet.FAILED_RESOURCE, entry.resource.id()));
    }
  }
}
