package org.systole.fenced;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceMessage;

/// Serves this node's clients.
final class FenceService
    implements RpcServer.Handler<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> {
  private static final Set<String> ACTIONS = Set.of(TaskName.REBOOT, TaskName.OFF, TaskName.ON);
  private static final Set<String> DEVICE_ACTIONS =
      Set.of(TaskName.MONITOR, TaskName.LIST, TaskName.STATUS, TaskName.VALIDATE_ALL);

  private static final String NO_TARGET =
      "a topology level needs a node's name, @PATTERN or ATTRIBUTE=VALUE";

  private final World world;
  private final Fencer fencer;
  private final FenceAgents agents;
  private final Devices devices;
  private final Topology topology;
  private final History history;
  private final Set<RpcServer.Session<FenceMessage.Event>> subscribers = new LinkedHashSet<>();
  private final Map<RpcServer.Session<FenceMessage.Event>, Set<FenceMessage.Withdraw>> tied = new LinkedHashMap<>();

  FenceService(
      World world,
      Fencer fencer,
      FenceAgents agents,
      Devices devices,
      Topology topology,
      History history) {
    this.world = world;
    this.fencer = fencer;
    this.agents = agents;
    this.devices = devices;
    this.topology = topology;
    this.history = history;
  }

  void open() {
    RpcServer.serve(world, FenceMessage.SOCKET, World.Access.GROUP, FenceMessage.PROTOCOL, this);
  }

  void tellAll(FenceMessage.Event event) {
    if (subscribers.isEmpty()) {
      return;
    }
    var frame = FenceMessage.PROTOCOL.event(event);
    for (var subscriber : List.copyOf(subscribers)) {
      subscriber.eventEncoded(frame);
    }
  }

  @Override
  public void closed(RpcServer.Session<FenceMessage.Event> session) {
    subscribers.remove(session);
    var itsOwn = tied.remove(session);
    if (itsOwn != null) {
      itsOwn.forEach(fencer::withdraw); // those that have ended are not there any more
    }
  }

  @Override
  public void request(
      RpcServer.Session<FenceMessage.Event> session,
      RpcServer.Call<FenceMessage.Reply> call,
      FenceMessage.Request request) {
    switch (request) {
      case FenceMessage.Subscribe _ -> call.reply(subscribe(session));
      case FenceMessage.Fence fence -> fence(session, call, fence);
      case FenceMessage.Withdraw it -> {
        fencer.withdraw(it);
        call.reply(new FenceMessage.Ok());
      }
      case FenceMessage.HistoryQuery query -> call.reply(history(query));
      case FenceMessage.HistoryCleanup(var target) -> call.reply(clearHistory(target));
      case FenceMessage.Confirm(var target, var client) -> call.reply(confirm(target, client));
      case FenceMessage.RegisterDevice device -> call.reply(register(device));
      case FenceMessage.DeregisterDevice(var device) -> call.reply(deregister(device));
      case FenceMessage.RegisterLevel level -> call.reply(register(level));
      case FenceMessage.DeregisterLevel level -> call.reply(deregister(level));
      case FenceMessage.DeviceQuery query -> list(call, query);
      case FenceMessage.RunDevice run -> run(call, run);
      case FenceMessage.MetadataQuery query -> describe(call, query);
      case FenceMessage.Validate validate -> validate(call, validate);
    }
  }

  @Override
  public FenceMessage.Reply denied(FenceMessage.Request request, String why) {
    return new FenceMessage.Denied(why);
  }

  private static FenceMessage.Reply refused(String why) {
    return new FenceMessage.Refused(ExecStatus.INVALID, why);
  }

  private static Duration limit(long millis) {
    return Duration.ofMillis(Math.clamp(millis, 1, Duration.ofHours(1).toMillis()));
  }

  private FenceMessage.Reply subscribe(RpcServer.Session<FenceMessage.Event> session) {
    subscribers.add(session);
    return new FenceMessage.Ok();
  }

  private void fence(
      RpcServer.Session<FenceMessage.Event> session, RpcServer.Call<FenceMessage.Reply> call, FenceMessage.Fence fence) {
    var target = fence.target();
    if (target == null || !ACTIONS.contains(fence.action())) {
      call.reply(refused("fencing needs a target and one of the actions reboot, off, on"));
      return;
    }
    var origin = fencer.origin();
    if (fence.timeoutMillis() <= 0) {
      call.reply(refused("fencing needs a timeout"));
    } else if (origin == null) {
      call.reply(cutOff());
    } else {
      if (fence.tied()) {
        tied.computeIfAbsent(session, _ -> new LinkedHashSet<>())
            .add(new FenceMessage.Withdraw(target, fence.action(), fence.client(), true));
      }
      fencer.fence(call, fence, target, origin);
    }
  }

  private static FenceMessage.Reply cutOff() {
    return new FenceMessage.Refused(
        ExecStatus.NOT_CONNECTED, "the fencer has no connection to the cluster");
  }

  private FenceMessage.Reply history(FenceMessage.HistoryQuery query) {
    if (query.refresh()) {
      fencer.refreshHistory();
    }
    return new FenceMessage.History(history.list(query.target()));
  }

  private FenceMessage.Reply clearHistory(String target) {
    fencer.clearHistory(target);
    return new FenceMessage.Ok();
  }

  private FenceMessage.Reply confirm(NodeName target, String client) {
    var origin = fencer.origin();
    if (origin == null) {
      return cutOff();
    }
    var wrong = fencer.confirm(target, origin, client);
    return wrong == null ? new FenceMessage.Ok() : refused(wrong);
  }

  private FenceMessage.Reply register(FenceMessage.RegisterDevice it) {
    if (it.device().isEmpty() || !FenceAgents.isName(it.agent())) {
      return refused("\"" + it.agent() + "\" is not a fence agent");
    }
    devices.register(it.device(), it.agent(), it.parameters());
    tellAll(new FenceMessage.DevicesChanged());
    return new FenceMessage.Ok();
  }

  private FenceMessage.Reply deregister(String device) {
    devices.deregister(device);
    tellAll(new FenceMessage.DevicesChanged());
    return new FenceMessage.Ok();
  }

  private FenceMessage.Reply register(FenceMessage.RegisterLevel level) {
    if (level.index() < 1 || level.index() > Topology.LEVEL_MAX || level.devices().isEmpty()) {
      return refused(
          "a topology level needs an index from 1 to " + Topology.LEVEL_MAX + " and devices");
    }
    var target = Topology.Target.parse(level.target());
    if (target == null) {
      return refused(NO_TARGET);
    }
    topology.register(new Topology.Level(target, level.index(), level.devices()));
    return new FenceMessage.Ok();
  }

  private FenceMessage.Reply deregister(FenceMessage.DeregisterLevel level) {
    var target = Topology.Target.parse(level.target());
    if (target == null) {
      return refused(NO_TARGET);
    }
    topology.deregister(target, level.index());
    return new FenceMessage.Ok();
  }

  private void list(RpcServer.Call<FenceMessage.Reply> call, FenceMessage.DeviceQuery query) {
    var target = query.target();
    if (target == null) {
      call.reply(new FenceMessage.Devices(devices.list()));
      return;
    }
    devices.offers(
        target,
        TaskName.OFF,
        true,
        limit(query.timeoutMillis()),
        offers -> {
          var names = offers.stream().map(Offer::device).toList();
          call.reply(
              new FenceMessage.Devices(
                  devices.list().stream()
                      .filter(device -> names.contains(device.name()))
                      .toList()));
        });
  }

  private void run(RpcServer.Call<FenceMessage.Reply> call, FenceMessage.RunDevice run) {
    var device = devices.get(run.device());
    if (!DEVICE_ACTIONS.contains(run.action())) {
      call.reply(
          refused(
              "a device cannot be asked to %s: use monitor, list, status or validate-all"
                  .formatted(run.action())));
    } else if (device == null) {
      call.reply(none("'" + run.device() + "' not found"));
    } else if (Task.MONITOR.is(run.action()) && !device.started) {
      call.reply(none("'" + run.device() + "' not active"));
    } else {
      var patience = limit(run.timeoutMillis());
      var asked = world.nanoTime();
      device.add(
          run.action(),
          run.target(),
          patience,
          -1,
          0,
          () -> world.nanoTime() - asked < patience.toNanos(),
          outcome ->
              call.reply(
                  new FenceMessage.DeviceResult(
                      outcome.rc(), outcome.status(), outcome.reason(), outcome.output())));
    }
  }

  private static FenceMessage.Reply none(String why) {
    return new FenceMessage.DeviceResult(1, ExecStatus.NO_FENCE_DEVICE, why, "");
  }

  private void describe(RpcServer.Call<FenceMessage.Reply> call, FenceMessage.MetadataQuery query) {
    agents.describe(
        query.agent(), limit(query.timeoutMillis()), described -> call.reply(metadata(described)));
  }

  private static FenceMessage.Reply metadata(FenceAgents.Described described) {
    var metadata = described.metadata();
    return new FenceMessage.Metadata(
        metadata == null ? "" : metadata.forClients(), described.status(), described.why());
  }

  private void validate(RpcServer.Call<FenceMessage.Reply> call, FenceMessage.Validate validate) {
    agents.describe(
        validate.agent(),
        limit(validate.timeoutMillis()),
        described -> {
          if (described.metadata() == null) {
            call.reply(new FenceMessage.Validated(1, described.status(), "", described.why()));
            return;
          }
          var parameters = new DeviceParameters(validate.parameters());
          agents.run(
              validate.device(),
              validate.agent(),
              parameters.forAgent(TaskName.VALIDATE_ALL, null, null),
              limit(validate.timeoutMillis()),
              _ -> {},
              outcome ->
                  call.reply(
                      new FenceMessage.Validated(
                          outcome.rc(), outcome.status(), outcome.output(), outcome.reason())));
        });
  }
}
