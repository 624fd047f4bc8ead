package org.systole.common.sbd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;

/// What the host's file `/etc/sysconfig/sbd` or `/etc/default/sbd` says, by SBD's names.
///
/// @param device the watchdog to keep fed; null if the node is to have none
/// @param timeout after which it resets a machine that does not feed it
/// @param disks devices that carry messages between nodes; none for a watchdog alone
/// @param name the node's name on the disks; null for its name in the cluster
/// @param cleanStart a node with a message to be fenced on a disk does not start
/// @param delay how long a node waits before it starts; null for [#delayOf]
/// @param action what is done to a machine that must go at once
public record SbdSettings(
    @Nullable String device,
    Duration timeout,
    List<String> disks,
    @Nullable String name,
    boolean cleanStart,
    @Nullable Duration delay,
    Action action) {
  /// The environment variable by which the supervisor tells its daemons that the node's watchdog is
  /// armed: after how many milliseconds without quorum it resets the node; 0 if it does not, because
  /// the node is told by disks.
  public static final String ARMED = "SYSTOLE_WATCHDOG_MS";

  /// The environment variable that says to the guardian that it is not the first of this node: its
  /// watchdog was armed before, and resources may run.
  public static final String AGAIN = "SYSTOLE_GUARDIAN_AGAIN";

  public static final String DEFAULT_DEVICE = "/dev/watchdog";
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  /// The longest delay that disks may ask for: more is a mistake.
  public static final Duration DELAY_MAX = Duration.ofMinutes(10);

  /// How many disks there can be.
  public static final int DISKS_MAX = 3;

  private static final String PREFIX = "SBD_";
  private static final String NO_DEVICE = "/dev/null";

  private static final Set<String> READ =
      Set.of(
          "SBD_DEVICE",
          "SBD_PACEMAKER",
          "SBD_STARTMODE",
          "SBD_DELAY_START",
          "SBD_WATCHDOG",
          "SBD_WATCHDOG_DEV",
          "SBD_WATCHDOG_TIMEOUT",
          "SBD_TIMEOUT_ACTION",
          "SBD_OPTS",
          "SBD_SYNC_RESOURCE_STARTUP");

  /// What the kernel is told to do to a machine that must go at once.
  public enum Action {
    REBOOT('b'),
    OFF('o'),
    CRASHDUMP('c');

    private final char key;

    Action(char key) {
      this.key = key;
    }

    /// As `/proc/sysrq-trigger` takes it.
    public char key() {
      return key;
    }
  }

  /// Settings and what is wrong with them, each in one line for the administrator.
  public record Read(SbdSettings settings, List<String> warnings) {}

  /// Whether the node has a watchdog to keep.
  public boolean isWanted() {
    return device != null;
  }

  /// Whether the disks say how long the node waits before it starts.
  public boolean isDelayOnDisk() {
    return delay == null && !disks.isEmpty();
  }

  /// How long a node waits before it starts, so that others who count on its reset have stopped
  /// waiting for it.
  ///
  /// @param messageWait what the disks say, null without disks
  public Duration delayOf(@Nullable Duration messageWait) {
    if (delay != null) {
      return delay;
    }
    return messageWait == null ? timeout.multipliedBy(2) : messageWait;
  }

  /// The variables of a file of shell assignments whose names begin as SBD's do. What is no
  /// assignment is left out.
  public static Map<String, String> variables(String text) {
    var found = new LinkedHashMap<String, String>();
    for (var raw : text.lines().toList()) {
      var line = raw.strip();
      if (line.startsWith("export ")) {
        line = line.substring("export ".length()).strip();
      }
      var at = line.indexOf('=');
      if (at > 0 && line.startsWith(PREFIX)) {
        found.put(line.substring(0, at), value(line.substring(at + 1).strip()));
      }
    }
    return found;
  }

  private static String value(String text) {
    if (text.length() > 1 && (text.charAt(0) == '"' || text.charAt(0) == '\'')) {
      var end = text.indexOf(text.charAt(0), 1);
      return end < 0 ? text.substring(1) : text.substring(1, end);
    }
    var comment = text.indexOf(" #");
    return (comment < 0 ? text : text.substring(0, comment)).strip();
  }

  /// Reads the settings out of variables. A node has a watchdog to keep when a device or a disk is
  /// named.
  public static Read of(Map<String, String> variables) {
    var warnings = new ArrayList<String>();
    for (var name : variables.keySet()) {
      if (name.startsWith(PREFIX) && !READ.contains(name)) {
        warnings.add(name + " has no effect here");
      }
    }
    if (isFalse(variables.get("SBD_SYNC_RESOURCE_STARTUP"))) {
      warnings.add("SBD_SYNC_RESOURCE_STARTUP=no has no effect: the watchdog always comes first");
    }
    var disks = disks(variables.getOrDefault("SBD_DEVICE", ""), warnings);
    var settings =
        new SbdSettings(
            device(variables, !disks.isEmpty(), warnings),
            timeout(variables.get("SBD_WATCHDOG_TIMEOUT"), warnings),
            disks,
            name(variables.getOrDefault("SBD_OPTS", ""), warnings),
            "clean".equals(variables.get("SBD_STARTMODE")),
            delay(variables.get("SBD_DELAY_START"), warnings),
            action(variables.getOrDefault("SBD_TIMEOUT_ACTION", ""), warnings));
    return new Read(settings, List.copyOf(warnings));
  }

  private static @Nullable String device(
      Map<String, String> variables, boolean disks, List<String> warnings) {
    var named = variables.getOrDefault("SBD_WATCHDOG_DEV", "").strip();
    if (named.isEmpty() && !disks) {
      return null;
    }
    for (var name : List.of("SBD_WATCHDOG", "SBD_PACEMAKER")) {
      if (isFalse(variables.get(name))) {
        warnings.add(name + "=" + variables.get(name) + ": this node has no watchdog");
        return null;
      }
    }
    if (named.equals(NO_DEVICE)) {
      warnings.add("SBD_WATCHDOG_DEV=" + NO_DEVICE + ": this node has no watchdog");
      return null;
    }
    return named.isEmpty() ? DEFAULT_DEVICE : named;
  }

  private static Duration timeout(@Nullable String text, List<String> warnings) {
    if (text == null || text.isBlank()) {
      return DEFAULT_TIMEOUT;
    }
    var seconds = Interval.parse(text.strip(), -1) / 1000;
    if (seconds < 1) {
      warnings.add(
          "SBD_WATCHDOG_TIMEOUT=%s is no time of a second or more: %d s are used"
              .formatted(text, DEFAULT_TIMEOUT.toSeconds()));
      return DEFAULT_TIMEOUT;
    }
    return Duration.ofSeconds(seconds);
  }

  private static List<String> disks(String text, List<String> warnings) {
    var disks = new ArrayList<String>();
    for (var it : text.split(";")) {
      if (!it.isBlank() && !disks.contains(it.strip())) {
        disks.add(it.strip());
      }
    }
    if (disks.size() > DISKS_MAX) {
      warnings.add(
          "SBD_DEVICE names %d disks: the first %d are used".formatted(disks.size(), DISKS_MAX));
    }
    return List.copyOf(disks.subList(0, Math.min(disks.size(), DISKS_MAX)));
  }

  /// Of the options of SBD's daemon the node's name has a meaning here.
  private static @Nullable String name(String options, List<String> warnings) {
    String name = null;
    var words = List.of(options.strip().split("\\s+"));
    for (var at = 0; at < words.size(); at++) {
      var word = words.get(at);
      if (word.equals("-n") && at + 1 < words.size()) {
        name = words.get(++at);
      } else if (!word.isEmpty() && !word.equals("-W") && !word.equals("-P")) {
        warnings.add("SBD_OPTS: " + word + " has no effect here");
      }
    }
    return name;
  }

  private static @Nullable Duration delay(@Nullable String text, List<String> warnings) {
    if (text == null || text.isBlank() || isFalse(text)) {
      return Duration.ZERO;
    }
    if (Bool.isTrue(text)) {
      return null;
    }
    var millis = Interval.parse(text.strip(), -1);
    if (millis < 0) {
      warnings.add("SBD_DELAY_START=" + text + " is neither yes, no nor a time: there is no delay");
      return Duration.ZERO;
    }
    return Duration.ofMillis(millis);
  }

  private static boolean isFalse(@Nullable String text) {
    return Boolean.FALSE.equals(Bool.parse(text));
  }

  private static Action action(String text, List<String> warnings) {
    var action = Action.REBOOT;
    for (var word : text.strip().split(",")) {
      switch (word.strip()) {
        case "", "flush", "noflush" -> {}
        case "reboot" -> action = Action.REBOOT;
        case "off" -> action = Action.OFF;
        case "crashdump" -> action = Action.CRASHDUMP;
        default -> warnings.add("SBD_TIMEOUT_ACTION: '" + word.strip() + "' is not known");
      }
    }
    return action;
  }
}
