package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;

/// "Runs" fence devices: a start registers the device with the fencer and monitors it once, a stop
/// deregisters it. Fencing itself does not come through here.
final class FenceDeviceRunner implements Runner {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  /// A device that was started here, as it was registered.
  private record Device(String agent, Map<String, String> parameters) {}

  private final World world;
  private final FenceClient fencer;

  /// The result of a probe for each device that was started here; any other device is not running.
  private final Map<ResourceId, Outcome> probes = new TreeMap<>();

  private final Map<ResourceId, Device> started = new TreeMap<>();

  /// The tasks that wait for the fencer to come back.
  private final List<Runnable> waiting = new ArrayList<>();

  /// The fencer was lost and is not back, or does not know the devices yet.
  private boolean away;

  FenceDeviceRunner(World world) {
    this.world = world;
    this.fencer = new FenceClient(world, new FromFencer());
  }

  void open() {
    fencer.open();
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    var resource = operation.request().resource();
    switch (operation.request().task()) {
      case START -> start(operation, deadline(operation), done);
      case STOP -> stop(resource, done);
      case MONITOR -> {
        if (operation.recurs()) {
          monitor(operation, done);
        } else {
          var known = probes.getOrDefault(resource, notRunning());
          world.post(() -> done.accept(known));
        }
      }
      case null, default ->
          world.post(
              () ->
                  done.accept(
                      Outcome.error(
                          OcfCode.UNIMPLEMENTED,
                          ExecStatus.ERROR,
                          "a fence device has no action " + operation.request().operation())));
    }
    return () -> {}; // the fencer ends the agent at its timeout
  }

  private void start(Operation operation, long deadline, Consumer<Outcome> done) {
    var device = operation.request().resource();
    var parameters = new TreeMap<>(operation.request().parameters());
    var agent = operation.request().agent().type();
    fencer.register(
        device.text(),
        agent,
        parameters,
        answer -> {
          switch (answer) {
            case FenceMessage.Ok _ -> {
              started.put(device, new Device(agent, parameters));
              monitor(
                  operation,
                  outcome -> {
                    if (outcome.isSuccess()) {
                      probes.put(device, outcome);
                    }
                    done.accept(outcome);
                  });
            }
            case FenceMessage.Refused(var status, var why) -> {
              if (status == ExecStatus.NOT_CONNECTED && world.nanoTime() < deadline) {
                whenBack(deadline, () -> start(operation, deadline, done));
              } else {
                done.accept(Outcome.error(OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, why));
              }
            }
            case FenceMessage other -> done.accept(unexpected(other));
          }
        });
  }

  private void stop(ResourceId device, Consumer<Outcome> done) {
    started.remove(device);
    fencer.deregister(
        device.text(),
        answer -> {
          switch (answer) {
            case FenceMessage.Ok _ -> stopped(device, done);
            case FenceMessage.Refused(var status, var why) -> {
              if (status == ExecStatus.NOT_CONNECTED) {
                stopped(device, done); // a fencer that is gone has forgotten the device
              } else {
                done.accept(Outcome.error(OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, why));
              }
            }
            case FenceMessage other -> done.accept(unexpected(other));
          }
        });
  }

  private void stopped(ResourceId device, Consumer<Outcome> done) {
    probes.remove(device);
    done.accept(Outcome.done(OcfCode.OK));
  }

  private void monitor(Operation operation, Consumer<Outcome> done) {
    monitor(operation, deadline(operation), done);
  }

  /// Waits for a fencer that restarts: its absence says nothing about the device.
  private void monitor(Operation operation, long deadline, Consumer<Outcome> done) {
    if (away && world.nanoTime() < deadline) {
      whenBack(deadline, () -> monitor(operation, deadline, done));
      return;
    }
    fencer.run(
        operation.request().resource().text(),
        Task.MONITOR.text(),
        null,
        Duration.ofNanos(Math.max(1_000_000, deadline - world.nanoTime())),
        result -> {
          if (result.status() == ExecStatus.NOT_CONNECTED && world.nanoTime() < deadline) {
            whenBack(deadline, () -> monitor(operation, deadline, done));
          } else {
            done.accept(outcome(result));
          }
        });
  }

  private long deadline(Operation operation) {
    var limit = operation.timeout();
    return world.nanoTime() + (limit == null ? DEFAULT_TIMEOUT : limit).toNanos();
  }

  /// Runs `task` once the fencer is there and knows the devices again, or at the deadline.
  private void whenBack(long deadline, Runnable task) {
    var once = new Runnable[1];
    var timer =
        world.after(
            Duration.ofNanos(Math.max(0, deadline - world.nanoTime())),
            () -> {
              waiting.remove(once[0]);
              task.run();
            });
    once[0] =
        () -> {
          timer.cancel();
          task.run();
        };
    waiting.add(once[0]);
  }

  /// Translates a result: the scheduler does not know the fencer's own failures, so they become
  /// plain errors.
  private static Outcome outcome(FenceMessage.DeviceResult result) {
    var code = OcfCode.OK.is(result.rc()) ? OcfCode.OK : OcfCode.UNKNOWN_ERROR;
    return switch (result.status()) {
      case NO_FENCE_DEVICE -> notRunning();
      case NOT_CONNECTED, INVALID ->
          new Outcome(OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, result.exitReason(), "");
      case NOT_SUPPORTED ->
          new Outcome(OcfCode.UNIMPLEMENTED, result.status(), result.exitReason(), result.output());
      case DONE,
          UNKNOWN,
          PENDING,
          CANCELLED,
          TIMEOUT,
          ERROR,
          ERROR_HARD,
          ERROR_FATAL,
          NOT_INSTALLED,
          NO_SECRETS ->
          new Outcome(code, result.status(), result.exitReason(), result.output());
    };
  }

  /// Remembers a device that an earlier executor started: the fencer still knows it, or knows it
  /// from the CIB.
  void remember(OperationResult result) {
    if (!result.isSuccess()) {
      return;
    }
    switch (result.request().task()) {
      case STOP -> {
        probes.remove(result.resource());
        started.remove(result.resource());
      }
      case START, MONITOR -> {
        probes.put(result.resource(), Outcome.done(OcfCode.OK));
        if (result.is(Task.START)) {
          started.put(result.resource(), new Device(result.agent().type(), result.parameters()));
        }
      }
      case null, default -> {}
    }
  }

  private static Outcome notRunning() {
    return Outcome.done(OcfCode.NOT_RUNNING);
  }

  private static Outcome unexpected(FenceMessage answer) {
    return Outcome.error(OcfCode.UNKNOWN_ERROR, ExecStatus.ERROR, "the fencer answered " + answer);
  }

  @Override
  public void metadata(AgentName agent, Duration timeout, Consumer<ExecMessage.Metadata> done) {
    fencer.call(
        new FenceMessage.MetadataQuery(agent.type(), timeout.toMillis()),
        timeout.plusSeconds(5),
        answer ->
            done.accept(
                switch (answer) {
                  case FenceMessage.Metadata(var xml, var status, var why) ->
                      new ExecMessage.Metadata(xml, status, why);
                  case FenceMessage.Refused(var status, var why) ->
                      new ExecMessage.Metadata("", status, why);
                  case FenceMessage other ->
                      new ExecMessage.Metadata(
                          "", ExecStatus.ERROR, "the fencer answered " + other);
                }));
  }

  private final class FromFencer implements FenceClient.Listener {
    /// Registers the devices again: a restarted fencer knows only those of the CIB, and not at
    /// once.
    @Override
    public void connected() {
      away = false;
      started.forEach(
          (id, device) ->
              fencer.register(
                  id.text(),
                  device.agent(),
                  device.parameters(),
                  answer -> {
                    if (answer instanceof FenceMessage.Refused(var _, var why)) {
                      world
                          .log()
                          .warning(
                              "The fencer refuses to register %s again: %s".formatted(id, why));
                    } else {
                      verify(id);
                    }
                  }));
      var tasks = List.copyOf(waiting);
      waiting.clear();
      tasks.forEach(Runnable::run);
    }

    /// The fencer prefers devices that it has seen answer, and the next recurring monitor may be
    /// far off. Only that fencer needs to know the result of this one.
    private void verify(ResourceId device) {
      fencer.run(
          device.text(),
          Task.MONITOR.text(),
          null,
          DEFAULT_TIMEOUT,
          result -> world.log().info("%s answered %s".formatted(device, result.status().text())));
    }

    @Override
    public void disconnected(String why) {
      away = true;
    }

    @Override
    public void fenced(FenceMessage.Fenced event) {}
  }
}
