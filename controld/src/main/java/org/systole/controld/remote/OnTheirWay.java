package org.systole.controld.remote;

import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.LeftRunning;

/// What is about to be moved live to other nodes, with the parameters it was sent with.
///
/// All members hear of it. A member to which something is moved may lose its controller as it is told that, and who had it sent may be lost, too.
/// Of a remote node the one that is connected may be losing the node just then, and the executor there be another one by the time
/// somebody connects anew, which knows nothing. Whoever connects next is to look for it, this member as well. What has been settled since
/// under another member, as the CIB says, is nothing to that one: an executor that does not tell what it has started, as Pacemaker's, may have
/// started it with others.
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

  /// This member has connected to a node: what may come there, or have come, for all that it knows.
  List<LeftRunning.Resource> to(NodeName node, @Nullable Element cib) {
    sent.entrySet().removeIf(it -> it.getKey().node().equals(node) && !mayCome(it.getKey(), it.getValue(), cib));
    return sent.entrySet().stream()
        .filter(it -> it.getKey().node().equals(node))
        .map(it -> it.getValue().resource)
        .toList();
  }

  /// The controller of a member is back, or has not heard of all: what may have come there, or come yet, for all that the others know. With
  /// what runs there by then it may have been started.
  public List<LeftRunning.Resource> toMember(NodeName member, @Nullable Element cib) {
    return to(member, cib).stream().filter(it -> !HalfMoved.isKnownToRun(cib, it.id(), member)).toList();
  }

  private boolean mayCome(Way way, Told told, @Nullable Element cib) {
    return world.nanoTime() - told.at < HalfMoved.UNANNOUNCED.toNanos() || HalfMoved.mayArrive(cib, way.resource(), way.node());
  }

  /// This member is connected to a node.
  ///
  /// @param left what may run there; of all else it is known what has become of it
  void settle(NodeName node, List<LeftRunning.Resource> left) {
    sent.entrySet().removeIf(it -> it.getKey().node().equals(node) && !left.contains(it.getValue().resource));
  }

  /// The connection to a node was closed in good order: its executor tells what there is.
  void forget(NodeName node) {
    settle(node, List.of());
  }
}
