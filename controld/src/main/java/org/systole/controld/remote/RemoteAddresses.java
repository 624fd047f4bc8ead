package org.systole.controld.remote;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
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
  /// So would be a host by a bundle's replica that has no address of its own, and whose container is there: what answers at that port is the
  /// host's own executor.
  ///
  /// A guest is where its machine is, whatever its address was before. And one whose member is lost has nothing that could be taken away.
  ///
  /// @return null if it may be
  static @Nullable String objection(World world, @Nullable Element cib, NodeName node, Opening by) {
    if (cib == null) {
      return null;
    }
    var address = by.target(node);
    var status = cib.first("status");
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var has = state.get(Connected.ADDRESS, "");
      if (has.isEmpty() || !RemoteRecords.isRemote(state)) {
        continue;
      }
      var itself = node.text().equals(state.id());
      if (itself && !by.isOfGuest() && !has.equals(address) && mayRun(state, fences(world, cib)) && !isConfigured(cib, node, has)) {
        return "what runs at %s was neither stopped nor fenced".formatted(has);
      }
      if (!itself && has.equals(address) && !RemoteRecords.since(state).equals("0") && isThere(cib, state, by)) {
        return "remote node %s is connected there".formatted(state.id());
      }
    }
    return null;
  }

  private static boolean isThere(Element cib, Element state, Opening by) {
    var other = NodeName.of(state.id());
    var made = other == null ? null : RemoteRecords.madeBy(cib, other);
    return !by.isOfGuest() && (made == null || made.equals(state.id())) || other != null && isMadeByMember(cib, other, NodeName.of(state.get(RemoteRecords.CONNECTION)));
  }

  /// Whether that member is there and has made the connection itself: what it had before it was lost is over.
  private static boolean isMadeByMember(Element cib, NodeName node, @Nullable NodeName member) {
    var status = cib.first("status");
    return status != null
        && member != null
        && status.children("node_state").stream()
            .anyMatch(it -> member.text().equals(it.get("uname")) && !"0".equals(it.get("crmd", "0")) && RemoteRecords.isMadeBy(it, node));
  }

  /// Whether a resource of the configuration is called so: it may run a guest. What runs a bundle's replica is none.
  static boolean isMachine(@Nullable Element cib, @Nullable String id) {
    var resources = cib == null || id == null ? null : cib.path("configuration", "resources");
    return resources != null && resources.find(it -> it.is("primitive") && id.equals(it.id())) != null;
  }

  /// Whether the connection of a node is configured with an address, too, as where members of several sites reach the host by several: rules
  /// choose then. All of them are the same host's.
  private static boolean isConfigured(Element cib, NodeName node, String address) {
    var resources = cib.path("configuration", "resources");
    var connection = resources == null ? null : resources.find(it -> it.is("primitive") && node.text().equals(it.id()));
    if (resources == null || connection == null) {
      return false;
    }
    var servers = new TreeSet<String>();
    var ports = new TreeSet<>(Set.of(String.valueOf(Opening.DEFAULT_PORT)));
    var template = resources.first("template", connection.get("template", ""));
    for (var from : template == null ? List.of(connection) : List.of(connection, template)) {
      from.children("instance_attributes").forEach(it -> note(resources, it, servers, ports));
    }
    return servers.stream().anyMatch(server -> ports.stream().anyMatch(port -> address.equals(server + ":" + port)));
  }

  private static void note(Element resources, Element named, Set<String> servers, Set<String> ports) {
    var reference = named.get("id-ref");
    var set = reference == null ? named : resources.find(it -> it.is("instance_attributes") && reference.equals(it.id()));
    for (var each : set == null ? List.<Element>of() : set.children("nvpair")) {
      switch (each.get("name", "")) {
        case "server", "addr" -> servers.add(each.get("value", ""));
        case "port" -> ports.add(each.get("value", ""));
        default -> {}
      }
    }
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
