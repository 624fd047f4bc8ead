package org.systole.controld.hosts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.client.CtlMessage.HaTry;
import org.systole.hostha.Input;
import org.systole.hostha.Order;
import org.systole.hostha.PowerState;
import org.systole.hostha.VolumeRead;

/// All checks of a host, done once for a person. They are asked for as a decider asks, by numbers that
/// no decider uses; it does not hear of the answers.
final class HostTrials {
  /// Within which all of it ends, so that who asks is answered.
  private static final Duration LIMIT = Duration.ofSeconds(25);

  private static final int MAX = 20;
  private static final long MILLIS = 1000;

  /// One check that is waited for.
  private record Waiting(Trial trial, int at) {}

  private static final class Trial {
    final List<HaTry> found = new ArrayList<>();
    final NodeName host;
    final Consumer<CtlMessage.Reply> done;
    int left;
    World.@Nullable Timer limit;

    Trial(NodeName host, Consumer<CtlMessage.Reply> done) {
      this.host = host;
      this.done = done;
    }
  }

  private final World world;
  private final HostOrders orders;
  private final Map<Long, Waiting> waiting = new HashMap<>();
  private long lastId;

  HostTrials(World world, HostOrders orders) {
    this.world = world;
    this.orders = orders;
  }

  /// @param neighbour who is to look; null if there is nobody
  void begin(
      NodeName host,
      @Nullable NodeName neighbour,
      List<String> volumes,
      Consumer<CtlMessage.Reply> done) {
    if (waiting.size() >= MAX) {
      done.accept(
          new CtlMessage.Refused(CtlMessage.Reason.NOT_NOW, "too many such checks are under way"));
      return;
    }
    if (waiting.values().stream().anyMatch(it -> it.trial().host.equals(host))) {
      // the host does one check of a kind at a time: what the DC wants to know would wait behind them
      done.accept(
          new CtlMessage.Refused(CtlMessage.Reason.NOT_NOW, "such checks of " + host + " are under way: try again when they have ended"));
      return;
    }
    var trial = new Trial(host, done);
    trial.limit = world.after(LIMIT, () -> end(trial));
    orders.eligibility(new Order.CheckEligibility(next(trial, "eligible", ""), host));
    orders.health(new Order.CheckHealth(next(trial, "health", ""), host));
    if (neighbour == null) {
      trial.found.add(new HaTry("activity", "", false, "no neighbour is available"));
    } else {
      var id = next(trial, "activity", neighbour.text());
      orders.activity(new Order.CheckActivity(id, host, neighbour, volumes));
    }
    orders.power(new Order.ReadPower(next(trial, "power", ""), host));
  }

  private long next(Trial trial, String check, String by) {
    var id = --lastId;
    waiting.put(id, new Waiting(trial, trial.found.size()));
    trial.found.add(
        new HaTry(check, by, false, "no answer within %d s".formatted(LIMIT.toSeconds())));
    trial.left++;
    return id;
  }

  /// Takes an answer that is one to a person.
  ///
  /// @return whether it is
  boolean took(Input input) {
    switch (input) {
      case Input.Eligible(var id, var yes, var why) -> {
        return took(id, yes, yes ? "yes" : why);
      }
      case Input.Health(var id, var passed, var why) -> {
        return took(id, passed, passed ? "it is well" : why);
      }
      case Input.Activity(var id, var volumes, var error) -> {
        var read = volumes.values().stream().anyMatch(it -> it.error() == null);
        return took(id, error == null && read, error == null ? text(volumes) : error);
      }
      case Input.Power(var id, var state) -> {
        return took(id, state != PowerState.UNKNOWN, state.name());
      }
      default -> {
        return false;
      }
    }
  }

  private boolean took(long id, boolean well, String said) {
    if (id >= 0) {
      return false;
    }
    var one = waiting.remove(id);
    if (one != null) {
      var before = one.trial().found.get(one.at());
      one.trial().found.set(one.at(), new HaTry(before.check(), before.by(), well, said));
      if (--one.trial().left == 0) {
        end(one.trial());
      }
    }
    return true;
  }

  private void end(Trial trial) {
    if (trial.limit != null) {
      trial.limit.cancel();
    }
    for (var id : List.copyOf(waiting.keySet())) {
      if (waiting.get(id).trial() == trial) {
        waiting.remove(id);
        orders.abandon(id);
      }
    }
    trial.done.accept(new CtlMessage.Tried(trial.found));
  }

  private static String text(Map<String, VolumeRead> volumes) {
    var parts = new ArrayList<String>();
    volumes.forEach((name, read) -> parts.add(name + ": " + text(read)));
    return parts.isEmpty() ? "it has no volume to look at" : String.join("; ", parts);
  }

  private static String text(VolumeRead read) {
    if (read.error() != null) {
      return read.error();
    }
    return read.ageMs() == null
        ? "it can be read"
        : "last written to %d s ago".formatted(read.ageMs() / MILLIS);
  }
}
