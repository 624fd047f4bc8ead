package org.systole.execd;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.systole.common.values.ExecStatus;
import org.systole.common.world.World;
import org.systole.execd.client.AgentName;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceClient;
import org.systole.fenced.client.FenceMessage;

/// "Runs" fence devices: to start one is to make it known to the fencer and to see it answer, to
/// stop
/// one is to take it back. Fencing itself does not go this way.
final class FenceDeviceRunner implements Runner {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);

  private final World world;
  private final FenceClient fencer;

  /// What a probe says of each device started here; one that is not in here is not running.
  private final Map<String, Outcome> probes = new TreeMap<>();

  FenceDeviceRunner(World world) {
    this.world = world;
    this.fencer = new FenceClient(world, new FromFencer());
  }

  void open() {
    fencer.open();
  }

  @Override
  public Run start(Operation operation, Consumer<Outcome> done) {
    switch (operation.name()) {
      case "start" -> start(operation.resource(), operation, done);
      case "stop" -> stop(operation.resource(), done);
      case "monitor" -> {
        if (operation.recurs()) {
          monitor(operation, done);
        } else {
          var known = probes.getOrDefault(operation.resource(), notRunning());
          world.post(() -> done.accept(known));
        }
      }
      default ->
          world.post(
              () ->
                  done.accept(
                      Outcome.error(
                          Outcome.UNIMPLEMENTED,
                          ExecStatus.ERROR,
                          "a fence device has no action " + operation.name())));
    }
    return () -> {}; // the fencer ends the agent at its timeout
  }

  private void start(String device, Operation operation, Consumer<Outcome> done) {
    var parameters = new TreeMap<>(operation.parameters());
    fencer.register(
        device,
        operation.agent().type(),
        parameters,
        answer -> {
          switch (answer) {
            case FenceMessage.Ok _ ->
                monitor(
                    operation,
                    outcome -> {
                      if (outcome.isSuccess()) {
                        probes.put(device, outcome);
                      }
                      done.accept(outcome);
                    });
            case FenceMessage.Refused(var _, var why) ->
                done.accept(Outcome.error(Outcome.UNKNOWN_ERROR, ExecStatus.ERROR, why));
            case FenceMessage other -> done.accept(strange(other));
          }
        });
  }

  private void stop(String device, Consumer<Outcome> done) {
    fencer.deregister(
        device,
        answer -> {
          switch (answer) {
            case FenceMessage.Ok _ -> {
              probes.remove(device);
              done.accept(new Outcome(Outcome.OK, ExecStatus.DONE, "", ""));
            }
            case FenceMessage.Refused(var _, var why) ->
                done.accept(Outcome.error(Outcome.UNKNOWN_ERROR, ExecStatus.ERROR, why));
            case FenceMessage other -> done.accept(strange(other));
          }
        });
  }

  private void monitor(Operation operation, Consumer<Outcome> done) {
    var limit = operation.timeout();
    fencer.run(
        operation.resource(),
        "monitor",
        "",
        limit == null ? DEFAULT_TIMEOUT : limit,
        result -> done.accept(outcome(result)));
  }

  /// The fencer's ways to fail mean nothing to the scheduler: they are plain errors here.
  private static Outcome outcome(FenceMessage.DeviceResult result) {
    var rc = result.rc() == 0 ? Outcome.OK : Outcome.UNKNOWN_ERROR;
    return switch (result.status()) {
      case NO_FENCE_DEVICE -> notRunning();
      case NOT_CONNECTED, INVALID ->
          new Outcome(Outcome.UNKNOWN_ERROR, ExecStatus.ERROR, result.exitReason(), "");
      case NOT_SUPPORTED ->
          new Outcome(Outcome.UNIMPLEMENTED, result.status(), result.exitReason(), result.output());
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
          new Outcome(rc, result.status(), result.exitReason(), result.output());
    };
  }

  private static Outcome notRunning() {
    return new Outcome(Outcome.NOT_RUNNING, ExecStatus.DONE, "", "");
  }

  private static Outcome strange(FenceMessage answer) {
    return Outcome.error(Outcome.UNKNOWN_ERROR, ExecStatus.ERROR, "the fencer answered " + answer);
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
    @Override
    public void connected() {}

    /// Whether the next fencer will know the devices is not known: a probe must say so.
    @Override
    public void disconnected(String why) {
      probes.replaceAll(
          (device, known) ->
              Outcome.error(Outcome.UNKNOWN_ERROR, ExecStatus.ERROR, "Lost connection to fencer"));
    }

    @Override
    public void fenced(FenceMessage.Fenced event) {}
  }
}
