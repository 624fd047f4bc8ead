package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The machines that are no members: hosts, which can be remote nodes, and guests, which live in
/// what a resource runs on a member.
final class SimHosts {
  private static final int PORT = 3121;

  /// After this, people switch a machine on again.
  private static final long SWITCHED_ON_NANOS = 10_000_000_000L;

  private final SimCluster cluster;
  private final Map<String, SimNode> hosts = new LinkedHashMap<>();

  private final SimVolumes volumes;

  /// By the resource that runs it.
  private final Map<String, SimGuest> guests = new LinkedHashMap<>();

  private boolean switchesOnAgain;

  SimHosts(SimCluster cluster) {
    this.cluster = cluster;
    this.volumes = new SimVolumes(cluster);
  }

  SimVolumes volumes() {
    return volumes;
  }

  /// A host; its name is its address.
  SimNode host(String name) {
    return hosts.computeIfAbsent(name, it -> new SimNode(cluster, it, SimNode.NO_MEMBER));
  }

  /// A machine loses its power now.
  void ends(SimNode machine) {
    volumes.written(machine);
    cluster.hostChecks().lostPower(machine);
  }

  /// Whether people switch on again what the cluster has switched off, from now on.
  void switchesOnAgain(boolean on) {
    switchesOnAgain = on;
  }

  /// The cluster has switched a machine off, and leaves it off.
  void switchedOff(SimNode machine) {
    if (switchesOnAgain) {
      machine.powerOnAfter(SWITCHED_ON_NANOS);
    }
  }

  /// A guest.
  ///
  /// @param resource what runs it
  SimNode guest(String name, String resource) {
    var machine = new SimNode(cluster, name, SimNode.NO_MEMBER);
    var guest = new SimGuest(machine, resource);
    machine.livesIn(guest);
    guests.put(resource, guest);
    return machine;
  }

  List<SimNode> hosts() {
    return List.copyOf(hosts.values());
  }

  List<SimGuest> guests() {
    return List.copyOf(guests.values());
  }

  List<SimNode> all() {
    var all = new ArrayList<>(hosts.values());
    guests.values().forEach(it -> all.add(it.machine()));
    return all;
  }

  @Nullable SimNode named(String name) {
    for (var each : all()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    return null;
  }

  /// Whether a machine is a container, which ends with its first process.
  boolean endsWithItsDaemon(SimNode machine) {
    return guests.values().stream()
        .anyMatch(it -> it.machine() == machine && it.endsWithItsDaemon());
  }

  /// The machine behind an address and port, null if there is none. Each has more addresses than one: its name, and what begins with that and a dot.
  @Nullable SimNode at(String server, int port) {
    var dot = server.indexOf('.');
    var named = cluster.nodeOrNull(server);
    var host = named == null && dot > 0 ? cluster.nodeOrNull(server.substring(0, dot)) : named;
    for (var guest : guests.values()) {
      var machine = guest.machine();
      if (machine.isPowered()
          && (host == null ? guest.serves(server, port) : guest.serves(host, port))) {
        return machine;
      }
    }
    return port == PORT ? host : null; // its own executor listens there, and nowhere else
  }

  /// What runs a guest, null for a resource that runs none.
  @Nullable SimGuest in(String resource) {
    return guests.get(resource);
  }

  void changed(SimNode node, String resource, SimAgents.State state) {
    var guest = guests.get(resource);
    if (guest != null) {
      switch (state) {
        case STARTED, PROMOTED -> guest.runsOn(node);
        case STOPPED -> guest.gone(node);
      }
    }
  }

  void lost(SimNode carrier) {
    guests.values().forEach(it -> it.gone(carrier));
  }

  /// The guests of a machine that has stood still go on with it.
  void goneOn(SimNode carrier) {
    for (var guest : guests.values()) {
      if (guest.carrier() == carrier) {
        guest.machine().processes().forEach(SimProcess::unpark);
      }
    }
  }
}
