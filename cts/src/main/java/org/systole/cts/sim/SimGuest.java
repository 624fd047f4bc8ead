package org.systole.cts.sim;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A machine inside another one: a virtual machine or a container, which is there as long as the
/// resource that runs it. It has the power, the network and the standstills of its carrier.
final class SimGuest {
  private static final Pattern PORT = Pattern.compile(" -p (?:([0-9.]+):)?([0-9]+):[0-9]+");
  private static final Set<String> CONTAINERS = Set.of("docker", "podman");

  private final SimNode machine;
  private final String resource;
  private final Set<String> addresses = new TreeSet<>(); // of its ports that the carrier publishes
  private @Nullable SimNode carrier;
  private boolean endsWithItsDaemon;

  /// @param resource what runs it
  SimGuest(SimNode machine, String resource) {
    this.machine = machine;
    this.resource = resource;
  }

  SimNode machine() {
    return machine;
  }

  @Nullable SimNode carrier() {
    return carrier;
  }

  /// A container ends when its first process does, which is its only daemon here.
  boolean endsWithItsDaemon() {
    return endsWithItsDaemon;
  }

  /// Whether it has what a carrier serves at an address and port.
  boolean serves(SimNode host, int port) {
    return carrier == host && addresses.contains(":" + port);
  }

  boolean serves(String address, int port) {
    return addresses.contains(address + ":" + port);
  }

  /// Its resource's agent is asked to start it.
  void configured(String type, Map<String, String> environment) {
    endsWithItsDaemon = CONTAINERS.contains(type);
    addresses.clear();
    var matcher = PORT.matcher(environment.getOrDefault("OCF_RESKEY_run_opts", ""));
    while (matcher.find()) {
      var address = matcher.group(1) == null ? "" : matcher.group(1);
      addresses.add(address + ":" + matcher.group(2));
    }
  }

  /// The agent moves it as it is, as `migrate_to` does: it runs there from then on, whether or not
  /// `migrate_from` follows.
  ///
  /// @return whether it runs there now
  boolean move(SimNode from, SimNode to) {
    if (carrier == from && machine.isPowered() && to.isPowered()) {
      carrier = to;
    }
    return runs(to);
  }

  boolean runs(SimNode on) {
    return carrier == on && machine.isPowered();
  }

  void runsOn(SimNode node) {
    if (!machine.isPowered()) {
      carrier = node;
      machine.switchOn();
    } else if (carrier != node && machine.cluster().checks().areFenced()) {
      machine
          .cluster()
          .fail(
              SimCheck.TWO_ACTIVE,
              "%s is started on %s while it runs on %s".formatted(resource, node, carrier));
    }
  }

  /// Its resource is not active there any more.
  void gone(SimNode from) {
    if (carrier == from) {
      carrier = null;
      machine.switchOff();
    }
  }

  /// It has ended by itself.
  void ended() {
    var was = carrier;
    carrier = null;
    if (was != null) {
      was.agents().force(resource, SimAgents.State.STOPPED);
    }
  }
}
