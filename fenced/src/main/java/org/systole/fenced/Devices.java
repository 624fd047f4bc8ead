package org.systole.fenced;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceMessage;

/// The devices this node's fencer may use.
final class Devices {
  private final World world;
  private final FenceAgents agents;
  private final Targets targets;
  private final Map<String, Device> byName = new TreeMap<>();

  /// Devices that are gone, or have changed, while an agent of theirs still ran.
  private final List<Device> leaving = new ArrayList<>();

  private @Nullable NodeName localNode; // null until the link was there for the first time

  Devices(World world, FenceAgents agents, Targets targets) {
    this.world = world;
    this.agents = agents;
    this.targets = targets;
  }

  void localNode(NodeName name) {
    localNode = name;
  }

  @Nullable Device get(String name) {
    return byName.get(name);
  }

  List<Device> all() {
    return List.copyOf(byName.values());
  }

  /// A target has come back. Agents that still run are ended, those of devices that are gone too.
  void targetIsBack() {
    acting().forEach(Device::targetIsBack);
  }

  /// The target is to be fenced: nothing may switch it on from now on.
  void targetIsToBeFenced(NodeName target) {
    acting().forEach(device -> device.targetIsToBeFenced(target));
  }

  private List<Device> acting() {
    var acting = new ArrayList<>(byName.values());
    acting.addAll(leaving);
    return acting;
  }

  /// Takes over the devices of the CIB.
  ///
  /// @return whether anything changed
  boolean configure(List<CibDevices.Configured> configured) {
    var changed = false;
    var named = new TreeMap<String, CibDevices.Configured>();
    configured.forEach(device -> named.put(device.name(), device));
    for (var device : all()) {
      if (device.configured && !named.containsKey(device.name())) {
        device.configured = false;
        device.started = false;
        drop(device);
        changed = true;
      }
    }
    for (var device : named.values()) {
      changed |=
          put(device.name(), device.agent(), device.parameters(), device.providesUnfencing());
      var known = byName.get(device.name());
      if (known != null) {
        known.configured = true;
      }
    }
    return changed;
  }

  /// Takes over a device that a client registers.
  void register(String name, String agent, Map<String, String> parameters) {
    var provides = "unfencing".equals(parameters.get("CRM_meta_provides"));
    put(name, agent, new DeviceParameters(parameters), provides);
    var device = byName.get(name);
    if (device != null) {
      device.started = true;
    }
  }

  private boolean put(
      String name, String agent, DeviceParameters parameters, boolean providesUnfencing) {
    var before = byName.get(name);
    if (before != null && before.is(agent, parameters)) {
      return false;
    }
    var device = new Device(world, agents, targets, name, agent, parameters, providesUnfencing);
    if (before != null) {
      device.configured = before.configured;
      device.started = before.started;
      remove(before);
    }
    byName.put(name, device);
    world.log().notice("Fence device " + name + " (" + agent + ") is known");
    return true;
  }

  /// See [Device#dropUnwanted].
  void dropUnwanted() {
    byName.values().forEach(Device::dropUnwanted);
  }

  /// A client withdraws a device.
  void deregister(String name) {
    var device = byName.get(name);
    if (device == null) {
      return;
    }
    device.started = false;
    device.verified = false;
    if (!device.configured) {
      drop(device);
    }
  }

  private void drop(Device device) {
    byName.remove(device.name());
    remove(device);
    world.log().notice("Fence device " + device.name() + " is not used any more");
  }

  private void remove(Device device) {
    device.remove();
    leaving.add(device);
    leaving.removeIf(it -> !it.isActing());
  }

  /// Finds out what the devices can do to a target.
  ///
  /// @param timeout for one query of a device
  /// @param done called once, maybe from within this call, with offers sorted by device
  void offers(
      NodeName target,
      String action,
      boolean selfFencing,
      Duration timeout,
      Consumer<List<Offer>> done) {
    var devices = all();
    var search = new Search(target, action, selfFencing, devices.size(), done);
    if (devices.isEmpty()) {
      done.accept(List.of());
    }
    for (var device : devices) {
      device.whenDescribed(() -> ask(device, search, timeout));
    }
  }

  private void ask(Device device, Search search, Duration timeout) {
    if (Task.ON.is(search.action) && !device.supportsOn() || !mayAct(device, search)) {
      search.answer(device, null);
      return;
    }
    device.canFence(
        search.target, timeout, can -> search.answer(device, can ? offer(device, search) : null));
  }

  private boolean mayAct(Device device, Search search) {
    var enough = Task.OFF.is(search.action) ? List.of(search.action) : actions(search.action);
    for (var action : enough) {
      if (isAllowed(device, action, search)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAllowed(Device device, String action, Search search) {
    var targetIsLocal = localNode != null && search.target.equalsIgnoreCase(localNode);
    // the target of a reboot in two parts is off when it is to be switched on
    var selfFencing = search.selfFencing && !(Task.ON.is(action) && !Task.ON.is(search.action));
    return device.isAllowed(action, targetIsLocal, selfFencing);
  }

  /// A reboot may have to be done in two parts; what is off may have to be switched on again.
  private static List<String> actions(String action) {
    if (Task.REBOOT.is(action)) {
      return List.of(TaskName.REBOOT, TaskName.OFF, TaskName.ON);
    }
    return Task.OFF.is(action) ? List.of(TaskName.OFF, TaskName.ON) : List.of(action);
  }

  private Offer offer(Device device, Search search) {
    var terms = new LinkedHashMap<String, Offer.Terms>();
    for (var action : actions(search.action)) {
      terms.put(
          action,
          new Offer.Terms(
              isAllowed(device, action, search),
              device.timeout(action, Duration.ZERO).toMillis(),
              device.delayMax(action, search.target).toMillis()));
    }
    return new Offer(
        device.name(),
        device.verified,
        device.isAutomatic(),
        device.supportsOn(),
        device.parameters().staysOff(),
        terms);
  }

  List<FenceMessage.Device> list() {
    var list = new ArrayList<FenceMessage.Device>();
    byName.forEach(
        (name, device) -> list.add(new FenceMessage.Device(name, device.agent(), device.verified)));
    return list;
  }

  private static final class Search {
    private final NodeName target;
    private final String action;
    private final boolean selfFencing;
    private final Consumer<List<Offer>> done;
    private final Map<String, Offer> found = new TreeMap<>();
    private int missing;

    Search(
        NodeName target,
        String action,
        boolean selfFencing,
        int missing,
        Consumer<List<Offer>> done) {
      this.target = target;
      this.action = action;
      this.selfFencing = selfFencing;
      this.missing = missing;
      this.done = done;
    }

    void answer(Device device, @Nullable Offer offer) {
      if (offer != null) {
        found.put(device.name(), offer);
      }
      missing--;
      if (missing == 0) {
        done.accept(List.copyOf(found.values()));
      }
    }
  }
}
