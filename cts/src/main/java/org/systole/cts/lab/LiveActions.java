package org.systole.cts.lab;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.systole.cts.local.LocalNode;
import org.systole.cts.replay.LiveAction;

/// What really ran in a lab's cluster: operations as the members carried them out, by their logs; those of
/// the lab's agents at the moments that the agents recorded; and fencings, by the fence agent.
final class LiveActions {
  /// A line is written a little before an agent begins, or after it ended.
  private static final long SLACK_NANOS = Duration.ofMillis(500).toNanos();

  private static final Pattern LINE =
      Pattern.compile(
          "^(\\w{3} \\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}) \\S+ controld\\[\\d+] \\(Operation(?:Runner|Log)\\) \\w+:"
              + " (Requesting|Result of) (\\S+) on ([^\\s:]+)(?:: (.*?))?(?: \\| .*)?$");

  private static final Pattern DONE = Pattern.compile("exit status ([078])\\b.*");

  /// What an agent records at the begin and at the end of an operation.
  private enum Deed {
    START("starting", "started"),
    STOP("stopping", "stopped"),
    PROMOTE("promoting", "promoted"),
    DEMOTE("demoting", "demoted"),
    MIGRATE_TO("leaving", "left"),
    MIGRATE_FROM("arriving", "arrived");

    private final String begins;
    private final String ends;

    Deed(String begins, String ends) {
      this.begins = begins;
      this.ends = ends;
    }

    String key(String resource) {
      return "%s_%s_0".formatted(resource, name().toLowerCase(Locale.ROOT));
    }
  }

  private final List<LiveAction> operations = new ArrayList<>();
  private final List<LiveAction> deeds = new ArrayList<>();
  private final List<LiveAction> fencings = new ArrayList<>();

  private LiveActions() {}

  /// Everything since then, in the order of its begin.
  ///
  /// @param witnessed the resources whose agents record what they do
  static List<LiveAction> since(
      List<LocalNode> members, Evidence evidence, long since, Set<String> witnessed)
      throws IOException {
    var found = new LiveActions();
    found.readLogs(members, since);
    found.readDeeds(evidence, since, witnessed);
    found.readFencings(evidence, since);
    return found.merged(witnessed);
  }

  /// A line that tells of an operation.
  private record Said(long at, String key, String action, boolean begins, String result) {}

  private static List<Said> log(LocalNode node) throws IOException {
    var found = new ArrayList<Said>();
    for (var line : LabLogs.lines(node.layout().log().resolve("pacemaker.log"))) {
      var match = LINE.matcher(line);
      if (match.matches()) {
        found.add(
            new Said(
                nanos(match.group(1)),
                match.group(3),
                LiveAction.name(match.group(3), match.group(4)),
                match.group(2).equals("Requesting"),
                String.valueOf(match.group(5))));
      }
    }
    return found;
  }

  /// The end of an operation on a remote node may be told to another member than had asked for it: the
  /// one that has the connection by then.
  private void readLogs(List<LocalNode> members, long since) throws IOException {
    var said = new ArrayList<Said>();
    for (var member : members) {
      said.addAll(log(member));
    }
    said.sort(Comparator.comparingLong(Said::at).thenComparing(it -> !it.begins()));
    var open = new LinkedHashMap<String, Long>();
    for (var it : said) {
      if (it.begins()) {
        open.putIfAbsent(it.action(), it.at());
      } else {
        var begin = open.remove(it.action());
        if (begin != null && begin >= since) {
          var failure = hasWorked(it.key(), it.result()) ? "" : it.result();
          operations.add(new LiveAction(it.action(), begin, it.at(), failure));
        }
      }
    }
    open.forEach(
        (action, begin) -> {
          if (begin >= since) {
            operations.add(new LiveAction(action, begin, 0, ""));
          }
        });
  }

  private static boolean hasWorked(String key, String result) {
    var done = DONE.matcher(result);
    return done.matches() && (done.group(1).equals("0") || key.contains("_monitor_"));
  }

  /// A line's time of day, which does not tell the year.
  private static long nanos(String text) {
    var now = ZonedDateTime.now();
    var format = DateTimeFormatter.ofPattern("yyyy MMM dd HH:mm:ss.SSS", Locale.ROOT);
    var at = LocalDateTime.parse(now.getYear() + " " + text, format).atZone(ZoneId.systemDefault());
    var moment = (at.isAfter(now.plusDays(1)) ? at.minusYears(1) : at).toInstant();
    return nanos(moment);
  }

  private static long nanos(Instant moment) {
    return moment.getEpochSecond() * 1_000_000_000L + moment.getNano();
  }

  private void readDeeds(Evidence evidence, long since, Set<String> witnessed) throws IOException {
    var open = new LinkedHashMap<String, Long>();
    for (var told : evidence.deeds(since)) {
      for (var deed : Deed.values()) {
        var action = LiveAction.name(deed.key(told.resource()), told.node());
        if (!witnessed.contains(told.resource())) {
          continue;
        } else if (told.deed().equals(deed.begins)) {
          open.put(action, told.at());
        } else if (told.deed().equals(deed.ends) && open.containsKey(action)) {
          deeds.add(new LiveAction(action, open.remove(action), told.at(), ""));
        }
      }
    }
    open.forEach((action, begin) -> deeds.add(new LiveAction(action, begin, 0, "")));
  }

  private void readFencings(Evidence evidence, long since) throws IOException {
    var open = new LinkedHashMap<String, Long>();
    for (var told : evidence.fencings(since)) {
      var action = LiveAction.fencing(told.target());
      if (told.progress().equals("begins")) {
        open.putIfAbsent(action, told.at());
      } else {
        var begin = open.remove(action);
        var failure = told.progress().equals("done") ? "" : told.progress();
        fencings.add(new LiveAction(action, begin == null ? told.at() : begin, told.at(), failure));
      }
    }
    open.forEach((action, begin) -> fencings.add(new LiveAction(action, begin, 0, "")));
  }

  /// What the members say, and what the agents say, have to be the same.
  private List<LiveAction> merged(Set<String> witnessed) {
    var all = new ArrayList<>(fencings);
    var left = new ArrayList<>(deeds);
    for (var operation : operations) {
      if (!isWitnessed(operation, witnessed)) {
        all.add(operation);
        continue;
      }
      var mine = left.stream().filter(it -> isWithin(it, operation)).findFirst();
      mine.ifPresent(left::remove);
      all.add(
          mine.filter(_ -> operation.hasEnded() && operation.failure().isEmpty())
              .orElseGet(() -> unwitnessed(operation)));
    }
    left.stream()
        .map(it -> new LiveAction(it.action(), it.begin(), it.end(), "no member asked for it"))
        .forEach(all::add);
    all.sort(Comparator.comparingLong(LiveAction::begin));
    return all;
  }

  private static LiveAction unwitnessed(LiveAction it) {
    return it.hasEnded() && it.failure().isEmpty()
        ? new LiveAction(it.action(), it.begin(), it.end(), "its agent has recorded nothing")
        : it;
  }

  private static boolean isWithin(LiveAction deed, LiveAction operation) {
    return deed.action().equals(operation.action())
        && deed.begin() >= operation.begin() - SLACK_NANOS
        && (!operation.hasEnded() || deed.begin() <= operation.end() + SLACK_NANOS);
  }

  private static boolean isWitnessed(LiveAction operation, Set<String> witnessed) {
    for (var resource : witnessed) {
      for (var deed : Deed.values()) {
        if (operation.action().startsWith(deed.key(resource) + " ")) {
          return true;
        }
      }
    }
    return false;
  }

  /// In lines, for whoever looks for what went wrong.
  static String tell(List<LiveAction> actions, long since) {
    var text = new StringBuilder();
    for (var it : actions) {
      text.append(
          String.format(
              Locale.ROOT,
              "%8.3f %8s %s %s%n",
              (it.begin() - since) / 1e9,
              it.hasEnded() ? String.format(Locale.ROOT, "%.3f", (it.end() - since) / 1e9) : "-",
              it.action(),
              it.failure()));
    }
    return text.toString();
  }
}
