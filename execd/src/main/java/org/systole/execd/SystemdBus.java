package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SystemBus;
import org.systole.common.world.SystemBus.Call;
import org.systole.common.world.SystemBus.Failed;
import org.systole.common.world.SystemBus.Reply;
import org.systole.common.world.SystemBus.Returned;
import org.systole.common.world.SystemBus.Signal;
import org.systole.common.world.World;

/// The executor's one connection to systemd over the machine's bus. It is made when the first unit is to be run, and made
/// again when it was lost and somebody needs it.
///
/// No call waits; what is told is told in the loop, later.
final class SystemdBus implements SystemBus.Handler {
  static final String SYSTEMD = "org.freedesktop.systemd1";
  static final String PATH = "/org/freedesktop/systemd1";
  static final String MANAGER = SYSTEMD + ".Manager";
  static final String UNIT = SYSTEMD + ".Unit";
  static final String PROPERTIES = "org.freedesktop.DBus.Properties";
  static final String BUS = "org.freedesktop.DBus";
  private static final String BUS_PATH = "/org/freedesktop/DBus";
  private static final String SUBSCRIBED = SYSTEMD + ".AlreadySubscribed";

  /// What systemd calls an object, which goes into a rule of the bus as it is.
  private static final Pattern OBJECT = Pattern.compile("/[A-Za-z0-9_/]{1,1000}");

  private static final Duration SETUP = Duration.ofSeconds(5);
  private static final Duration RELOAD = Duration.ofSeconds(90);
  private static final Duration AGAIN_MIN = Duration.ofSeconds(1);
  private static final Duration AGAIN_MAX = Duration.ofSeconds(60);

  /// Hears of a unit.
  interface Listener {
    /// The unit has changed.
    ///
    /// @param active its state; null where that may have stayed what it was
    void changed(@Nullable String active);

    /// What happens from now on is not heard of, before the bus is back.
    void lost();
  }

  /// What systemd says of a unit.
  sealed interface Answer {}

  /// @param active `ActiveState`
  /// @param load `LoadState`; not asked for where the unit is active
  /// @param busy whether it is to be started, stopped or the like
  record State(String active, String load, boolean busy) implements Answer {}

  record NoState(Failed why) implements Answer {}

  private enum Phase {
    CLOSED,
    OPENING,
    READY
  }

  /// A unit that somebody listens to.
  private static final class Unit {
    final Set<Listener> listeners = new LinkedHashSet<>();
    @Nullable String path; // on this connection; null before systemd has said it
  }

  private final World world;
  private final List<Consumer<Boolean>> waiting = new ArrayList<>();
  private final Map<String, Unit> units = new TreeMap<>();
  private final Map<String, List<Consumer<@Nullable String>>> jobs = new TreeMap<>();

  /// Results of jobs that ended before it was known whose they were.
  private final Map<String, String> ended = new TreeMap<>();

  /// Calls on this connection. A connection that ends from this side answers none.
  private final Map<Long, Consumer<Reply>> unanswered = new TreeMap<>();
  private long calls;
  private int beginning; // jobs that are asked for and not known yet
  private final List<Consumer<Reply>> reloading = new ArrayList<>();
  private final List<Consumer<Reply>> toReload = new ArrayList<>();
  private Phase phase = Phase.CLOSED;
  private SystemBus.@Nullable Link link;
  private String owner = "";
  private long openedNanos;
  private long notBeforeNanos;
  private boolean failed; // the last time, so that [#notBeforeNanos] counts
  private Duration again = AGAIN_MIN;
  private World.@Nullable Timer returns;
  private String said = "";

  SystemdBus(World world) {
    this.world = world;
  }

  /// Connects if need be.
  ///
  /// @param then told whether systemd can be asked over the bus; may be called from within this call
  void use(Consumer<Boolean> then) {
    switch (phase) {
      case READY -> then.accept(true);
      case OPENING -> waiting.add(then);
      case CLOSED -> {
        if (failed && world.nanoTime() - notBeforeNanos < 0) {
          then.accept(false);
        } else {
          waiting.add(then);
          open();
        }
      }
    }
  }

  private void open() {
    if (returns != null) {
      returns.cancel();
      returns = null;
    }
    phase = Phase.OPENING;
    openedNanos = world.nanoTime();
    link = world.systemBus().open(this);
  }

  @Override
  public void opened() {
    var left = new int[] {4};
    var mine = link;
    Consumer<Reply> step =
        reply -> {
          if (link != mine) {
            return; // given up already
          }
          if (reply instanceof Failed(var error, var message) && !error.equals(SUBSCRIBED)) {
            giveUp("systemd does not answer on the bus: " + (message.isEmpty() ? error : message));
          } else if (--left[0] == 0) {
            ready();
          }
        };
    askBus("GetNameOwner", reply -> {
          owner = reply instanceof Returned it ? Objects.requireNonNullElse(it.text(), "") : "";
          step.accept(reply);
        }, SYSTEMD);
    askBus("AddMatch", step, signals(BUS, BUS, "NameOwnerChanged") + ",arg0='%s'".formatted(SYSTEMD));
    askBus("AddMatch", step, signals(SYSTEMD, MANAGER, "JobRemoved") + ",path='%s'".formatted(PATH));
    manager("Subscribe", SETUP, step);
  }

  /// A rule of the bus.
  private static String signals(String sender, String type, String name) {
    return "type='signal',sender='%s',interface='%s',member='%s'".formatted(sender, type, name);
  }

  private void ready() {
    phase = Phase.READY;
    failed = false;
    again = AGAIN_MIN;
    say("systemd is asked over the machine's bus");
    var known = List.copyOf(units.keySet());
    var those = List.copyOf(waiting);
    waiting.clear();
    those.forEach(it -> it.accept(true));
    for (var name : known) {
      if (units.containsKey(name)) {
        state(name, SETUP, answer -> {
              if (answer instanceof State(var active, var _, var _)) {
                tell(name, active); // it may have changed while nobody heard
              }
            });
      }
    }
  }

  /// Ends the connection from this side.
  private void giveUp(String why) {
    var open = link;
    if (open != null && phase != Phase.CLOSED) {
      open.close();
      closed(why);
    }
  }

  @Override
  public void closed(String why) {
    if (phase == Phase.CLOSED) {
      return;
    }
    var opening = phase == Phase.OPENING;
    phase = Phase.CLOSED;
    link = null;
    say("systemd is asked by systemctl, as there is no way over the machine's bus: " + why);
    failed = opening;
    var slow = world.nanoTime() - openedNanos >= AGAIN_MIN.toNanos();
    notBeforeNanos = world.nanoTime() + (slow ? AGAIN_MAX : AGAIN_MIN).toNanos();
    forget();
    if (!units.isEmpty()) {
      returns =
          world.after(
              again,
              () -> {
                if (phase == Phase.CLOSED) {
                  open();
                }
              });
      again = again.multipliedBy(2).compareTo(AGAIN_MAX) < 0 ? again.multipliedBy(2) : AGAIN_MAX;
    }
  }

  /// Tells all that wait for something that it does not come.
  private void forget() {
    var users = List.copyOf(waiting);
    var ofJobs = jobs.values().stream().flatMap(List::stream).toList();
    var ofCalls = List.copyOf(unanswered.values());
    var ofReloads = new ArrayList<>(reloading);
    ofReloads.addAll(toReload);
    waiting.clear();
    unanswered.clear();
    jobs.clear();
    ended.clear();
    beginning = 0;
    reloading.clear();
    toReload.clear();
    users.forEach(it -> it.accept(false));
    ofJobs.forEach(it -> it.accept(null));
    ofCalls.forEach(it -> it.accept(new Failed(Failed.DISCONNECTED, "")));
    ofReloads.forEach(it -> it.accept(new Failed(Failed.DISCONNECTED, "")));
    for (var unit : List.copyOf(units.values())) {
      unit.path = null;
      List.copyOf(unit.listeners).forEach(Listener::lost);
    }
  }

  private void say(String what) {
    if (!what.equals(said)) {
      said = what;
      world.log().info(what);
    }
  }

  private void ask(
      String to, String path, String type, String name, Duration limit, Consumer<Reply> done, String... arguments) {
    var open = link;
    if (open == null) {
      world.post(() -> done.accept(new Failed(Failed.DISCONNECTED, "")));
      return;
    }
    var number = ++calls;
    unanswered.put(number, done);
    open.call(
        new Call(to, path, type, name, List.of(arguments)),
        limit,
        reply -> {
          if (unanswered.remove(number) == null) {
            return; // told already: the connection was given up
          }
          done.accept(reply);
          if (reply instanceof Failed(var error, var _) && error.equals(Failed.NO_REPLY) && link == open) {
            doubt(name, limit);
          }
        });
  }

  /// A call was not answered. That says nothing of the bus where an operation had hardly any time left for it.
  private void doubt(String name, Duration limit) {
    if (limit.compareTo(SETUP) < 0) {
      ask(SYSTEMD, PATH, BUS + ".Peer", "Ping", SETUP, _ -> {});
    } else {
      hangs(name);
    }
  }

  /// systemctl has a way of its own, past the bus.
  private void hangs(String name) {
    again = AGAIN_MAX;
    giveUp("no answer to " + name);
    failed = true;
    notBeforeNanos = world.nanoTime() + AGAIN_MAX.toNanos();
  }

  private void askBus(String name, Consumer<Reply> done, String... arguments) {
    ask(BUS, BUS_PATH, BUS, name, SETUP, done, arguments);
  }

  private void manager(String name, Duration limit, Consumer<Reply> done, String... arguments) {
    ask(SYSTEMD, PATH, MANAGER, name, limit, done, arguments);
  }

  /// Has systemd read its files anew. What is asked for while it does is done once more for all together.
  void reload(Consumer<Reply> done) {
    if (link == null) {
      world.post(() -> done.accept(new Failed(Failed.DISCONNECTED, "")));
      return;
    }
    toReload.add(done);
    if (reloading.isEmpty()) {
      reloadNext();
    }
  }

  private void reloadNext() {
    if (toReload.isEmpty()) {
      return;
    }
    reloading.addAll(toReload);
    toReload.clear();
    var on = link;
    askBus("GetId", _ -> {}); // this may take a while; the bus itself answers at once
    manager(
        "Reload",
        RELOAD,
        reply -> {
          if (link == on) {
            var those = List.copyOf(reloading);
            reloading.clear();
            those.forEach(it -> it.accept(reply));
            reloadNext();
          } // else they have been told
        });
  }

  /// Has a job of systemd's done with a unit.
  ///
  /// @param method such as `StartUnit`
  /// @param refused why there is no job
  /// @param begun told the job's name, which [#forgetJob] takes
  /// @param result told once what came of the job, in systemd's word; null where that is not known
  void job(
      String method,
      String unit,
      Duration limit,
      Consumer<Failed> refused,
      Consumer<String> begun,
      Consumer<@Nullable String> result) {
    beginning++;
    var on = link;
    manager(
        method,
        limit,
        reply -> {
          if (on == link) {
            beginning--;
          }
          switch (reply) {
            case Failed why -> refused.accept(why);
            case Returned it -> {
              var job = it.text();
              if (job == null) {
                refused.accept(new Failed(Failed.DISCONNECTED, "systemd names no job"));
                return;
              }
              begun.accept(job);
              var already = ended.remove(job);
              if (already != null) {
                result.accept(already);
              } else {
                jobs.computeIfAbsent(job, _ -> new ArrayList<>()).add(result);
              }
            }
          }
          if (beginning == 0) {
            ended.clear();
          }
        },
        unit,
        "replace");
  }

  /// Ends the wait for a job.
  void forgetJob(String job, Consumer<@Nullable String> result) {
    jobs.computeIfPresent(job, (_, who) -> who.remove(result) && who.isEmpty() ? null : who);
  }

  /// Tells of each change of a unit from now on, once its state was asked for.
  Runner.Watch listen(String unit, Listener listener) {
    units.computeIfAbsent(unit, _ -> new Unit()).listeners.add(listener);
    return () -> unlisten(unit, listener);
  }

  private void unlisten(String name, Listener listener) {
    var unit = units.get(name);
    if (unit == null || !unit.listeners.remove(listener) || !unit.listeners.isEmpty()) {
      return;
    }
    units.remove(name);
    if (unit.path != null && phase == Phase.READY) {
      askBus("RemoveMatch", _ -> {}, changesOf(unit.path));
    }
  }

  private static String changesOf(String path) {
    return signals(SYSTEMD, PROPERTIES, "PropertiesChanged") + ",path='%s'".formatted(path);
  }

  /// Asks for the state of a unit that somebody listens to. What changes after it is heard of.
  void state(String name, Duration limit, Consumer<Answer> done) {
    var unit = units.get(name);
    if (unit == null) {
      throw new IllegalStateException("nobody listens to " + name);
    }
    if (unit.path != null) {
      active(unit.path, limit, done);
      return;
    }
    manager("LoadUnit", limit, reply -> {
          var path = reply instanceof Returned it ? it.text() : null;
          if (path == null || !OBJECT.matcher(path).matches()) {
            done.accept(new NoState(reply instanceof Failed why ? why : new Failed(Failed.DISCONNECTED, "no object")));
            return;
          }
          if (unit.path == null && units.get(name) == unit) {
            unit.path = path;
            askBus("AddMatch", _ -> {}, changesOf(path));
          }
          active(path, limit, done);
        }, name);
  }

  private void active(String path, Duration limit, Consumer<Answer> done) {
    property(path, "ActiveState", limit, done, active -> {
          if (SystemdRun.ACTIVE.contains(String.valueOf(active))) {
            done.accept(new State(String.valueOf(active), "", false));
            return;
          }
          property(path, "LoadState", limit, done, load ->
              property(path, "Job", limit, done, job ->
                  done.accept(new State(String.valueOf(active), String.valueOf(load), isJob(job)))));
        });
  }

  private static boolean isJob(Object value) {
    return value instanceof List<?> job && !job.isEmpty() && job.getFirst() instanceof Long id && id != 0;
  }

  private void property(
      String path, String name, Duration limit, Consumer<Answer> failed, Consumer<Object> done) {
    ask(SYSTEMD, path, PROPERTIES, "Get", limit, reply -> {
          switch (reply) {
            case Failed why -> failed.accept(new NoState(why));
            case Returned(var values) when values.isEmpty() ->
                failed.accept(new NoState(new Failed(Failed.DISCONNECTED, "no value")));
            case Returned(var values) -> done.accept(values.getFirst());
          }
        }, UNIT, name);
  }

  @Override
  public void signal(Signal it) {
    switch (it.name()) {
      case "NameOwnerChanged" -> {
        if (it.sender().equals(BUS) && !it.values().isEmpty() && SYSTEMD.equals(it.values().getFirst())) {
          giveUp("systemd has left it, or begun anew");
        }
      }
      case "JobRemoved" -> {
        if (it.sender().equals(owner) && it.values().size() >= 4) {
          jobEnded(String.valueOf(it.values().get(1)), String.valueOf(it.values().get(3)));
        }
      }
      case "PropertiesChanged" -> {
        if (it.sender().equals(owner) && it.values().size() >= 2 && UNIT.equals(it.values().getFirst())) {
          changed(it.path(), it.values().get(1));
        }
      }
      default -> {} // not asked for
    }
  }

  private void jobEnded(String job, String result) {
    var who = jobs.remove(job);
    if (who != null) {
      who.forEach(it -> it.accept(result));
    } else if (beginning > 0) {
      ended.put(job, result);
    }
  }

  private void changed(String path, Object properties) {
    var active = properties instanceof Map<?, ?> map && map.get("ActiveState") instanceof String text ? text : null;
    for (var entry : List.copyOf(units.entrySet())) {
      if (path.equals(entry.getValue().path)) {
        tell(entry.getKey(), active);
      }
    }
  }

  private void tell(String name, @Nullable String active) {
    var unit = units.get(name);
    if (unit != null) {
      List.copyOf(unit.listeners).forEach(it -> it.changed(active));
    }
  }
}
