package org.systole.controld.remote;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Members that are lost, one of which may have taken a connection over unasked: with two nodes each side has quorum, and has the
/// connection made that it takes for lost with the other one. It is that side's until it was fenced, and then nobody's. The CIB of
/// this side never names it.
///
/// A side without quorum fences nobody: the connection is the other side's by right.
final class LostTakers {
  private final World world;
  private boolean seen;

  LostTakers(World world) {
    this.world = world;
  }

  /// The connection was taken over just now.
  void begin(@Nullable Element cib) {
    seen = false;
    look(cib);
  }

  /// The CIB has changed since.
  void look(@Nullable Element cib) {
    seen = seen || isAnyLeft(cib);
  }

  /// Whether one is to be fenced yet.
  boolean isAnyLeft(@Nullable Element cib) {
    var status = cib == null ? null : cib.first("status");
    return cib != null
        && hasQuorum(cib)
        && (status == null ? List.<Element>of() : status.children("node_state")).stream().anyMatch(LostTakers::isLost)
        && ClusterOptions.read(cib, world.now(), world.zone()).fencing();
  }

  /// Whether there were any since [#begin], and all of them were fenced, or are members again.
  boolean areOver(@Nullable Element cib) {
    look(cib);
    return seen && cib != null && hasQuorum(cib) && !isAnyLeft(cib);
  }

  private static boolean hasQuorum(Element cib) {
    return !"0".equals(cib.get("have-quorum"));
  }

  private static boolean isLost(Element state) {
    return !RemoteRecords.isRemote(state)
        && "member".equals(state.get("expected"))
        && ("0".equals(state.get("in_ccm")) || "0".equals(state.get("crmd")));
  }
}
