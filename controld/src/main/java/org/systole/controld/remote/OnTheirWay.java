package org.systole.controld.remote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.LeftRunning;

/// What is about to be moved live to remote nodes that this member is not connected to, with the parameters it was sent with.
///
/// All members hear of it: the one that was connected may be losing the node just then, and the executor there be another one by the time
/// somebody connects anew, which knows nothing. Whoever connects next is to look for it. What has been settled since under another member, as
/// the CIB says, is nothing to that one: an executor that does not tell what it has started, as Pacemaker's, may have started it with others.
public final class OnTheirWay {
  private static final int LIMIT = 10_000;

  private record Way(NodeName node, ResourceId resource) {}

  /// @param at when it was told, on the monotonic clock
  private record Told(LeftRunning.Resource resource, long at) {}

  private final World world;
  private final LinkedHashMap<Way, Told> sent = new LinkedHashMap<>();

  public OnTheirWay(World world) {
    this.world = world;
  }

  void note(NodeName node, LeftRunning.Resource resource) {
    if (sent.size() == LIMIT) {
      sent.remove(sent.firstEntry().getKey());
    }
    sent.putLast(new Way(node, resource.id()), new Told(resource, world.nanoTime()));
  }

  /// This member has connected to a node, and knows by itself what comes there from now on.
  List<LeftRunning.Resource> take(NodeName node, @Nullable Element cib) {
    var taken = new ArrayList<LeftRunning.Resource>();
    for (var it : List.copyOf(sent.entrySet())) {
      if (it.getKey().node().equals(node)) {
        var told = it.getValue();
        var isNew = world.nanoTime() - told.at < HalfMoved.UNANNOUNCED.toNanos();
        if (isNew || HalfMoved.mayArrive(cib, it.getKey().resource(), node)) {
          taken.add(told.resource);
        }
        sent.remove(it.getKey());
      }
    }
    return taken;
  }
}
