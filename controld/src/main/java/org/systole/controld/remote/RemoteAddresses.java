package org.systole.controld.remote;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.options.ClusterOptions;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Where connections to remote nodes lead to, as the CIB has it: another address may be another machine's, and the same one is the
/// same machine's, whatever the node is called.
final class RemoteAddresses {
  private RemoteAddresses() {}

  /// Why a remote node must not be connected at an address now. The CIB says that it is connected at another one, or was when its
  /// member was lost: all may run there, and nothing of that would be found here. Or it says so of another node at this
  /// address: a node that is called otherwise now, or one that somebody has configured twice, would be taken away
  /// from that, which would be lost and fenced.
  ///
  /// @param address as in [Connected]
  /// @return null if it may be
  static @Nullable String objection(World world, @Nullable Element cib, NodeName node, String address) {
    var status = cib == null || address.isEmpty() ? null : cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var has = state.get(Connected.ADDRESS, "");
      if (has.isEmpty() || !RemoteRecords.isRemote(state)) {
        continue;
      }
      var itself = node.text().equals(state.id());
      if (itself && !has.equals(address) && mayRun(state, fences(world, cib))) {
        return "what runs at %s was neither stopped nor fenced".formatted(has);
      }
      if (!itself && has.equals(address) && !RemoteRecords.since(state).equals("0")) {
        return "remote node %s is connected there".formatted(state.id());
      }
    }
    return null;
  }

  private static boolean fences(World world, @Nullable Element cib) {
    return cib == null || ClusterOptions.read(cib, world.now(), world.zone()).fencing();
  }

  /// Whether something of the node may run at the address it was connected at. Where nobody can be fenced, that a member has stopped
  /// the connection has to do, whichever that was: a person has disabled it. Else that says nothing unless it is the member that had it:
  /// one that could not make it, as it was not to, stops it too before another one is to try.
  private static boolean mayRun(Element state, boolean fences) {
    return fences
        ? !RemoteRecords.isLeft(state) && !RemoteRecords.isDownAndClean(state)
        : !RemoteRecords.since(state).equals("0");
  }
}
