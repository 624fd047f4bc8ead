package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.controld.operations.LeftRunning;

/// What is about to be moved live to remote nodes that this member is not connected to, with the parameters it was sent with.
///
/// All members hear of it: the one that was connected may be losing the node just then, and the executor there be another one by the time
/// somebody connects anew, which knows nothing. Whoever connects next is to look for it. What has never come, or has been settled since
/// under another member, costs that one more probe.
public final class OnTheirWay {
  private static final int LIMIT = 10_000;

  private record Way(NodeName node, ResourceId resource) {}

  private final LinkedHashMap<Way, LeftRunning.Resource> sent = new LinkedHashMap<>();

  void note(NodeName node, LeftRunning.Resource resource) {
    if (sent.size() == LIMIT) {
      sent.remove(sent.firstEntry().getKey());
    }
    sent.putLast(new Way(node, resource.id()), resource);
  }

  /// This member has connected to a node, and knows by itself what comes there from now on.
  List<LeftRunning.Resource> take(NodeName node) {
    var taken = new ArrayList<LeftRunning.Resource>();
    for (var it : List.copyOf(sent.entrySet())) {
      if (it.getKey().node().equals(node)) {
        taken.add(it.getValue());
        sent.remove(it.getKey());
      }
    }
    return taken;
  }
}
