package org.systole.fenced;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.Task;
import org.systole.common.operation.TaskName;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.fenced.client.FenceMessage;

/// Serves this node's clients.
final class FenceService
    implements RpcServer.Handler<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> {
  private static final Set<String> ACTIONS = Set.of(TaskName.REBOOT, TaskName.OFF, TaskName.ON);
  private static final Set<String> DEVICE_ACTIONS =
      Set.of(TaskName.MONITOR, TaskName.LIST, TaskName.STATUS, TaskName.VALIDATE_ALL);

  private final World world;
  private final Fencer fencer;
  private final FenceAgents agents;
  private final Devices devices;
  private final Topology topology;
  private final History history;
  private final Set<RpcServer.Session<FenceMessage.Event>> subscribers = new LinkedHashSet<>();

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
  }

  @Override
  public void request(
      RpcServer.Session<FenceMessage.Event> session,
      RpcServer.Call<FenceMessage.Reply> call,
      FenceMessage.Request request) {
    if (!session.peer().privileged() && !isHarmless(request)) {
      call.reply(
          new FenceMessage.Refused(
              ExecStatus.INVALID, "user " + session.peer().user() + " may not do that"));
      return;
    }
    switch (request) {
      case FenceMessage.Subscribe _ -> {
        subscribers.add(session);
        call.reply(new FenceMessage.Ok());
      }
      case FenceMessage.Fence fence -> {
        var wrong = mistake(fence);
        if (wrong == null) {
          fencer.fence(call, fence);
        } else {
          call.reply(wrong);
        }
      }
      case FenceMessage.HistoryQuery(var target, var refresh) -> {
        if (refresh) {
          fencer.refreshHistory();
        }
        call.reply(new FenceMessage.History(history.list(target)));
      }
      case FenceMessage.HistoryCleanup(var target) -> {
        fencer.clearHistory(target);
        call.reply(new FenceMessage.Ok());
      }
      case FenceMessage.Confirm(var target, var client) -> call.reply(confirm(target, client));
      case FenceMessage.RegisterDevice(var device, var agent, var parameters) -> {
        if (device.isEmpty() || !FenceAgents.isName(agent)) {
          call.reply(refused("\"" + agent + "\" is not a fence agent"));
        } else {
          devices.register(device, agent, parameters);
          call.reply(new FenceMessage.Ok());
          tellAll(new FenceMessage.DevicesChanged());
        }
      }
      case FenceMessage.DeregisterDevice(var device) -> {
        devices.deregister(device);
        call.reply(new FenceMessage.Ok());
        tellAll(new FenceMessage.DevicesChanged());
      }
      case FenceMessage.RegisterLevel level -> call.reply(register(level));
      case FenceMessage.DeregisterLevel(var target, var index) -> {
        topology.deregister(Topology.Target.parse(target), index);
        call.reply(new FenceMessage.Ok());
      }
      case FenceMessage.DeviceQuery query -> list(call, query);
      case FenceMessage.RunDevice run -> run(call, run);
      case FenceMessage.MetadataQuery(var agent, var timeoutMillis) ->
          agents.describe(
              agent, limit(timeoutMillis), described -> call.reply(metadata(described)));
      case FenceMessage.Validate validate -> validate(call, validate);
    }
  }

  private static boolean isHarmless(FenceMessage.Request request) {
    return request instanceof FenceMessage.HistoryQuery(var _, var refresh) && !refresh
        || request instanceof FenceMessage.Subscribe
        || request instanceof FenceMessage.MetadataQuery
        || request instanceof FenceMessage.DeviceQuery(var target, var _) && target.isEmpty();
  }

  private static FenceMessage.Reply refused(String why) {
    return new FenceMessage.Refused(ExecStatus.INVALID, why);
  }

  private static Duration limit(long millis) {
    return Duration.ofMillis(Math.clamp(millis, 1, Duration.ofHours(1).toMillis()));
  }

  private FenceMessage.@Nullable Reply mistake(FenceMessage.Fence fence) {
    if (fence.target().isEmpty() || !ACTIONS.contains(fence.action())) {
      return refused("fencing needs a target and one of the actions reboot, off, on");
    }
    if (fence.timeoutMillis() <= 0) {
      return refused("fencing needs a timeout");
    }
    return fencer.isJoined()
        ? null
        : new FenceMessage.Refused(
            ExecStatus.NOT_CONNECTED, "the fencer has no connection to the cluster");
  }

  private FenceMessage.Reply confirm(String target, String client) {
    if (!fencer.isJoined()) {
      return new FenceMessage.Refused(
          ExecStatus.NOT_CONNECTED, "the fencer has no connection to the cluster");
    }
    var wrong = fencer.confirm(target, client);
    return wrong == null ? new FenceMessage.Ok() : refused(wrong);
  }

  private FenceMessage.Reply register(FenceMessage.RegisterLevel level) {
    if (level.index() < 1 || level.index() > Topology.LEVEL_MAX || level.devices().isEmpty()) {
      return refused(
          "a topology level needs an index from 1 to " + Topology.LEVEL_MAX + " and devices");
    }
    topology.register(
        new Topology.Level(Topology.Target.parse(level.target()), level.index(), level.devices()));
    return new FenceMessage.Ok();
  }

  private void list(RpcServer.Call<FenceMessage.Reply> call, FenceMessage.DeviceQuery query) {
    if (query.target().isEmpty()) {
      call.reply(new FenceMessage.Devices(devices.list()));
      return;
    }
    devices.offers(
        query.target(),
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
      call.reply(refused("a device is not asked to " + run.action() + " this way"));
    } else if (device == null) {
      call.reply(none("'" + run.device() + "' not found"));
    } else if (Task.MONITOR.is(run.action()) && !device.started) {
      call.reply(none("'" + run.device() + "' not active"));
    } else {
      device.add(
          run.action(),
          run.target().isEmpty() ? null : run.target(),
          limit(run.timeoutMillis()),
          -1,
          0,
          outcome ->
              call.reply(
                  new FenceMessage.DeviceResult(
                      outcome.rc(), outcome.status(), outcome.reason(), outcome.output())));
    }
  }

  private static FenceMessage.Reply none(String why) {
    return new FenceMessage.DeviceResult(1, ExecStatus.NO_FENCE_DEVICE, why, "");
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
              validate.agent(),
              parameters.forAgent(TaskName.VALIDATE_ALL, null, null),
              limit(validate.timeoutMillis()),
              outcome ->
                  call.reply(
                      new FenceMessage.Validated(
                          outcome.rc(), outcome.status(), outcome.output(), outcome.reason())));
        });
  }
}
