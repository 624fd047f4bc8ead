package org.systole.hostha.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Interval;
import org.systole.common.values.NodeName;
import org.systole.hostha.Input;
import org.systole.hostha.PowerState;
import org.systole.hostha.WorkKind;
import org.systole.hostha.config.Configuration;
import org.systole.hostha.config.Scope;
import org.systole.hostha.fsm.HostState;

/// Runs a script. Its statements are listed in `docs/host-ha.md`.
public final class Replay {
  private static final int LINES_MAX = 100_000;
  private static final int LOOKED_AT_A_STEP = 20;
  private static final String VOLUME = "disk";
  private static final int FAULTS_MAX = 20;

  private final Stage stage = new Stage();
  private Configuration.Builder configuration = new Configuration.Builder();
  private boolean changed = true;
  private int hosts;
  private int line;
  private final boolean reading; // nothing happens

  private Replay(boolean reading) {
    this.reading = reading;
  }

  /// Runs a script to its end.
  ///
  /// @return what happened, in order
  /// @throws ReplayException if lines cannot be understood; nothing is run then
  public static List<Entry> run(List<String> script) throws ReplayException {
    if (script.size() > LINES_MAX) {
      throw new ReplayException(LINES_MAX, "a script has at most that many lines");
    }
    read(script);
    var replay = new Replay(false);
    for (var text : script) {
      replay.line++;
      var words = words(text);
      if (!words.isEmpty()) {
        replay.carryOut(words);
        replay.stop();
      }
    }
    return replay.stage.entries();
  }

  /// All that cannot be understood is told at once.
  private static void read(List<String> script) throws ReplayException {
    var replay = new Replay(true);
    var faults = new ArrayList<String>();
    for (var text : script) {
      replay.line++;
      var words = words(text);
      try {
        if (!words.isEmpty() && faults.size() < FAULTS_MAX && !replay.stage.isSpent()) {
          replay.carryOut(words);
        }
      } catch (ReplayException e) {
        faults.add("" + e.getMessage());
      }
    }
    if (!faults.isEmpty()) {
      throw ReplayException.of(faults);
    }
  }

  /// Ends a script that would go on for hours.
  private void stop() throws ReplayException {
    if (stage.isSpent()) {
      throw refuse("this takes too many steps; run it for a shorter time, or with fewer hosts or lines");
    }
  }

  private static List<String> words(String text) {
    var stripped = text.strip();
    return stripped.isEmpty() || stripped.startsWith("#")
        ? List.of()
        : List.of(stripped.split("\\s+"));
  }

  private void carryOut(List<String> words) throws ReplayException {
    var verb = words.getFirst();
    switch (verb) {
      case "zone", "partition" -> group(words);
      case "host" -> hosts(words);
      case "remove" -> configuration.remove(host(words, 1));
      case "set" -> set(words);
      case "run" -> goOn(words);
      case "show" -> show(words);
      case "expect" -> expect(words);
      case "new-dc" -> takeOver(words);
      case "delay" -> delay(words);
      case "writes" -> stage.writes(answer(words, 1, "accepted", "", "refused"));
      default -> aboutHost(words);
    }
    switch (verb) {
      case "zone", "partition", "host", "remove", "set" -> changed = true;
      default -> {}
    }
  }

  private void aboutHost(List<String> words) throws ReplayException {
    switch (words.getFirst()) {
      case "health" -> each(words, (it, w) -> it.health = answer(w, 2, "ok", "", "failed"));
      case "eligible" -> each(words, (it, w) -> it.eligible = answer(w, 2, "yes", "", "no"));
      case "looks" -> each(words, (it, w) -> it.looks = answer(w, 2, "ok", "wrong", "blind"));
      case "recover" -> each(words, this::recover);
      case "fence" -> each(words, (it, w) -> it.fence = answer(w, 2, "off", "unproved", "failed"));
      case "power" -> each(words, this::power);
      case "activity" -> each(words, (it, w) -> it.write(isMoving(w, 2), stage.now()));
      case "volume" -> each(words, this::volume);
      case "clock" -> each(words, this::clock);
      default -> event(words);
    }
  }

  private void event(List<String> words) throws ReplayException {
    var verb = words.getFirst();
    var why = rest(words, 2);
    BiConsumer<NodeName, List<String>> tell =
        switch (verb) {
          case "maintenance" -> null;
          case "hold" -> (it, _) -> stage.tell(new Input.Hold(it, why));
          case "release" -> (it, _) -> stage.tell(new Input.Release(it));
          case "force-recovery" -> (it, _) -> stage.tell(new Input.ForceRecovery(it));
          case "force-fencing" -> (it, _) -> stage.tell(new Input.ForceFencing(it));
          case "confirm" -> (it, _) -> stage.tell(new Input.Confirm(it));
          case "fenced-by-others" -> (it, _) -> stage.tell(new Input.FencedByOthers(it, "it was fenced for somebody else"));
          case "clear" -> (it, _) -> stage.tell(new Input.Clear(it));
          case "check" -> (it, _) -> stage.tell(new Input.CheckNow(it));
          default -> throw refuse("'" + verb + "' is not known");
        };
    start();
    stage.note(new Entry.Said(stage.now(), String.join(" ", words)));
    for (var host : named(words, 1)) {
      if (tell != null) {
        if (!reading) {
          tell.accept(host, words);
        }
      } else {
        var on = isOn(words, 2);
        stage.actor(host).maintenance = on;
        if (!reading) {
          stage.tell(new Input.Maintenance(host, on));
        }
      }
    }
  }

  /// Has the decider know the configuration, and be there.
  private void start() {
    if (reading) {
      return;
    }
    if (changed) {
      stage.configure(configuration.build());
      configuration = new Configuration.Builder(configuration.build());
      changed = false;
    }
    if (stage.inOffice() == null) {
      stage.takeOver(false);
    }
  }

  private void takeOver(List<String> words) throws ReplayException {
    start();
    var beside = words.size() > 1 && words.get(1).equals("beside");
    if (words.size() > 1 && !beside) {
      throw refuse("new-dc, or new-dc beside");
    }
    stage.note(new Entry.Said(stage.now(), String.join(" ", words)));
    if (!reading) {
      stage.takeOver(beside);
    }
  }

  private void group(List<String> words) throws ReplayException {
    var scope = words.getFirst().equals("zone") ? Scope.ZONE : Scope.PARTITION;
    accept(configuration.partition(word(words, 1), scope, option(words, 2, "in")));
  }

  private void hosts(List<String> words) throws ReplayException {
    var end = words.size();
    for (var keyword : List.of("in", "volumes")) {
      var at = words.indexOf(keyword);
      end = at < 0 ? end : Math.min(end, at);
    }
    var volumes = option(words, end, "volumes");
    var list =
        volumes == null
            ? List.of(VOLUME)
            : volumes.equals("none") ? List.<String>of() : Arrays.asList(volumes.split(","));
    for (var name : names(words.subList(1, end))) {
      if (++hosts > HostNames.MAX) {
        throw refuse("at most " + HostNames.MAX + " hosts");
      }
      accept(configuration.host(name, option(words, end, "in"), list));
    }
  }

  private void set(List<String> words) throws ReplayException {
    if (stage.inOffice() != null) {
      stage.note(new Entry.Said(stage.now(), String.join(" ", words)));
    }
    var where = option(words, 3, "for");
    var at = where == null ? -1 : where.indexOf('='); // as crm_hostha --for takes it, too
    var name = where == null ? null : where.substring(at + 1);
    if (where != null && at >= 0 && !configuration.isThere(where.substring(0, at), "" + name)) {
      throw refuse("there is no " + where.replaceFirst("=", " "));
    }
    accept(configuration.set(word(words, 1), word(words, 2), name));
    changed = true;
    if (stage.inOffice() != null) {
      start();
    }
  }

  private void goOn(List<String> words) throws ReplayException {
    var time = time(word(words, 1));
    start();
    if (!reading) {
      stage.run(stage.now() + time);
      stop();
    }
    queues(false);
  }

  private void queues(boolean all) {
    var decider = stage.inOffice();
    if (decider == null) {
      return;
    }
    for (var it : decider.queues()) {
      if (all || it.waiting() + it.running() > 0) {
        stage.note(
            new Entry.Queue(
                stage.now(), it.kind().text(), it.waiting(), it.running(), it.refused()));
      }
    }
  }

  private void show(List<String> words) throws ReplayException {
    start();
    var named = words.size() > 1 ? named(words, 1) : List.<NodeName>of();
    var decider = stage.inOffice();
    if (decider == null) {
      return;
    }
    if (words.size() > 1) {
      for (var host : named) {
        var view = decider.view(host);
        if (view != null) {
          stage.note(new Entry.Shown(stage.now(), view));
        }
      }
      return;
    }
    stage.spend(decider.views().size());
    decider.views().forEach(it -> stage.note(new Entry.Shown(stage.now(), it)));
    queues(true);
  }

  private void delay(List<String> words) throws ReplayException {
    var what = word(words, 1);
    var ms = time(word(words, 2));
    if (what.equals("write")) {
      stage.delayWrites(ms);
      return;
    }
    for (var kind : WorkKind.values()) {
      if (kind.text().equals(what)) {
        stage.delay(kind, ms);
        return;
      }
    }
    throw refuse("there are no answers of kind " + what);
  }

  private void recover(Actor actor, List<String> words) throws ReplayException {
    if (word(words, 2).equals("boots")) {
      actor.recover = Answer.good();
      actor.boots = time(word(words, 3));
    } else {
      actor.recover = answer(words, 2, "done", "", "failed");
      actor.boots = -1;
    }
  }

  private void power(Actor actor, List<String> words) throws ReplayException {
    actor.power =
        switch (word(words, 2)) {
          case "on" -> PowerState.ON;
          case "off" -> PowerState.OFF;
          case "unknown" -> PowerState.UNKNOWN;
          case "silent" -> null;
          default -> throw refuse("power is on, off, unknown or silent");
        };
  }

  private void clock(Actor actor, List<String> words) throws ReplayException {
    var by = time(word(words, 3));
    actor.skew =
        switch (word(words, 2)) {
          case "ahead" -> by;
          case "behind" -> -by;
          default -> throw refuse("a clock is ahead or behind");
        };
  }

  private void volume(Actor actor, List<String> words) throws ReplayException {
    if (word(words, 3).equals("unreadable")) {
      actor.unreadable(word(words, 2), rest(words, 4));
    } else {
      actor.write(word(words, 2), isMoving(words, 3), stage.now());
    }
  }

  private void expect(List<String> words) throws ReplayException {
    var expected = new Expected(stage, line);
    stage.spend(stage.entries().size() / LOOKED_AT_A_STEP);
    switch (word(words, 1)) {
      case "told" -> expected.told(rest(words, 2), true);
      case "untold" -> expected.told(rest(words, 2), false);
      case "actions" ->
          expected.actions(action(word(words, 2)), host(words, 3), (int) count(word(words, 4)));
      case "moved" -> expected.moved(host(words, 2), state(words, 3), (int) count(word(words, 4)));
      case "states" -> expected.states(state(words, 2), (int) count(word(words, 3)));
      case "at-most" -> expected.atMost(action(word(words, 2)), (int) count(word(words, 3)));
      default -> {
        for (var host : named(words, 1)) {
          expected.state(host, state(words, 2));
        }
      }
    }
  }

  private String action(String word) throws ReplayException {
    accept(Expected.noAction(word));
    return word;
  }

  private HostState state(List<String> words, int at) throws ReplayException {
    var state = HostState.of(word(words, at));
    if (state == null) {
      throw refuse("there is no state " + word(words, at));
    }
    return state;
  }

  @FunctionalInterface
  private interface Change {
    void make(Actor actor, List<String> words) throws ReplayException;
  }

  private void each(List<String> words, Change change) throws ReplayException {
    for (var host : named(words, 1)) {
      change.make(stage.actor(host), words);
    }
  }

  private Answer answer(List<String> words, int at, String good, String unsure, String bad)
      throws ReplayException {
    var word = word(words, at);
    var why = rest(words, at + 1);
    if (word.equals(good)) {
      return Answer.good();
    }
    if (word.equals("silent")) {
      return new Answer(Answer.Kind.SILENT, "");
    }
    if (word.equals(unsure)) {
      return new Answer(Answer.Kind.UNSURE, why);
    }
    if (word.equals(bad)) {
      return new Answer(Answer.Kind.BAD, why);
    }
    var middle = unsure.isEmpty() ? "" : unsure + ", ";
    throw refuse("%s is %s, %s%s or silent".formatted(words.getFirst(), good, middle, bad));
  }

  private boolean isMoving(List<String> words, int at) throws ReplayException {
    return switch (word(words, at)) {
      case "moving" -> true;
      case "still" -> false;
      default -> throw refuse("a volume is moving or still");
    };
  }

  private boolean isOn(List<String> words, int at) throws ReplayException {
    return switch (word(words, at)) {
      case "on" -> true;
      case "off" -> false;
      default -> throw refuse("on or off");
    };
  }

  private void accept(@Nullable String problem) throws ReplayException {
    if (problem != null) {
      throw refuse(problem);
    }
  }

  private @Nullable String option(List<String> words, int from, String keyword)
      throws ReplayException {
    for (var at = from; at < words.size(); at++) {
      if (words.get(at).equals(keyword)) {
        return word(words, at + 1);
      }
    }
    return null;
  }

  private String word(List<String> words, int at) throws ReplayException {
    if (at >= words.size()) {
      throw refuse("'" + words.getFirst() + "' needs more words");
    }
    return words.get(at);
  }

  private static String rest(List<String> words, int from) {
    return from >= words.size() ? "" : String.join(" ", words.subList(from, words.size()));
  }

  private NodeName host(List<String> words, int at) throws ReplayException {
    return named(words, at).getFirst();
  }

  /// The hosts of a word: `n1`, `n1,n2` or `n1..n9`.
  private List<NodeName> named(List<String> words, int at) throws ReplayException {
    var names = names(List.of(word(words, at)));
    for (var name : names) {
      if (!configuration.hasHost(name)) {
        throw refuse("there is no host " + name);
      }
    }
    return names;
  }

  private List<NodeName> names(List<String> words) throws ReplayException {
    var all = new HostNames(line).of(words);
    stage.spend(all.size());
    return all;
  }

  private long count(String text) throws ReplayException {
    return HostNames.count(text, line);
  }

  private long time(String text) throws ReplayException {
    var ms = Interval.read(text);
    if (ms == null) {
      throw refuse("'" + text + "' is no time; 10s is one");
    }
    return ms;
  }

  private ReplayException refuse(String why) {
    return new ReplayException(line, why);
  }
}
