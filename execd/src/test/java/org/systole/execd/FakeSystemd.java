package org.systole.execd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SystemBus.Call;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Reply;
import org.systole.common.world.SystemBus.Returned;
import org.systole.common.world.TestBus;
import org.systole.common.world.TestWorld;

/// systemd on a bus of a test. Its jobs end, and its units change, when the test says so.
final class FakeSystemd {
  static final String OWNER = ":1.1";
  private static final String BUS = "org.freedesktop.DBus";
  private static final String NAME = "org.freedesktop.systemd1";

  private final Map<String, String> active = new LinkedHashMap<>();
  private final Map<String, String> loaded = new LinkedHashMap<>();
  private final Map<String, Long> jobOf = new LinkedHashMap<>();
  private final Map<String, Reply> answers = new LinkedHashMap<>();
  private final Set<String> unanswered = new TreeSet<>();
  private final TestWorld world;
  final TestBus bus;
  private long lastJob;
  private boolean endsAtOnce;

  FakeSystemd(TestWorld world) {
    this.world = world;
    bus = new TestBus(world, this::answer);
    world.systemBus(bus);
  }

  /// From now on this is what is said to calls of a method; null for what it does by itself.
  void says(String method, @Nullable Reply reply) {
    answers.remove(method);
    if (reply != null) {
      answers.put(method, reply);
    }
  }

  /// From now on nothing is said to calls of a method.
  void saysNothingTo(String method) {
    unanswered.add(method);
  }

  /// systemd is another process from now on, that answers all. What the former one was asked for the bus answers only
  /// after it has told that.
  void beginsAnew() {
    unanswered.clear();
    bus.signal(BUS, "/org/freedesktop/DBus", BUS, "NameOwnerChanged", NAME, OWNER, "");
  }

  static Failed error(String name, String message) {
    return new Failed(NAME + "." + name, message);
  }

  /// Jobs end from now on before they are named to who has asked for them.
  void endsAtOnce() {
    endsAtOnce = true;
  }

  /// A unit is in a state, and nobody is told.
  void is(String unit, String state) {
    active.put(unit, state);
  }

  void isNotFound(String unit) {
    loaded.put(unit, "not-found");
  }

  /// A job of the unit is under way, or none is (0).
  void hasJob(String unit, long job) {
    jobOf.put(unit, job);
  }

  /// A unit changes to a state, and systemd says so.
  void becomes(String unit, String state) {
    is(unit, state);
    bus.signal(
        OWNER,
        path(unit),
        "org.freedesktop.DBus.Properties",
        "PropertiesChanged",
        NAME + ".Unit",
        Map.of("ActiveState", state),
        List.of());
  }

  /// The last job ends.
  void ends(String result) {
    ends(OWNER, lastJob, result);
  }

  void ends(String sender, long job, String result) {
    bus.signal(sender, "/org/freedesktop/systemd1", NAME + ".Manager", "JobRemoved", job, job(job), "u", result);
  }

  long lastJob() {
    return lastJob;
  }

  private static String job(long number) {
    return "/org/freedesktop/systemd1/job/" + number;
  }

  static String path(String unit) {
    return "/org/freedesktop/systemd1/unit/" + unit.replace('.', '_').replace('-', '_').replace('@', '_');
  }

  /// What was asked of systemd since the last time, each with its arguments, or the property's name.
  List<String> asked() {
    var done = new ArrayList<String>();
    for (var call : bus.calls()) {
      if (call.destination().equals(NAME)) {
        var arguments = call.arguments();
        done.add(
            call.name().equals("Get")
                ? arguments.get(1)
                : (call.name() + " " + String.join(" ", arguments)).strip());
      }
    }
    bus.forgetCalls();
    return done;
  }

  private @Nullable Reply answer(Call call) {
    if (unanswered.contains(call.name())) {
      return null;
    }
    if (answers.containsKey(call.name())) {
      return answers.get(call.name());
    }
    return switch (call.name()) {
      case "GetNameOwner" -> new Returned(List.of(OWNER));
      case "GetId", "AddMatch", "RemoveMatch", "Subscribe", "Reload", "Ping" -> new Returned(List.of());
      case "LoadUnit" -> new Returned(List.of(path(call.arguments().getFirst())));
      case "StartUnit", "StopUnit" -> begin();
      case "Get" -> new Returned(List.of(property(call)));
      default -> new Failed(BUS + ".Error.UnknownMethod", call.name());
    };
  }

  private Reply begin() {
    lastJob++;
    if (endsAtOnce) {
      world.post(() -> ends("done"));
    }
    return new Returned(List.of(job(lastJob)));
  }

  private Object property(Call call) {
    var unit =
        active.keySet().stream().filter(it -> path(it).equals(call.path())).findFirst().orElse("");
    return switch (call.arguments().get(1)) {
      case "ActiveState" -> active.getOrDefault(unit, "inactive");
      case "LoadState" -> loaded.getOrDefault(unit, "loaded");
      case "Job" -> List.of(jobOf.getOrDefault(unit, 0L), "/");
      default -> "";
    };
  }
}
