package org.systole.common.logging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.Log.Level;

/// What the host's options say of the log of one daemon.
///
/// @param node the node's name, as far as it is known here
/// @param daemon the daemon's name in the log
/// @param file the detailed log; null for none
/// @param more files that get the same, as the command line names them
/// @param fileMode its mode, where the administrator has chosen one
/// @param facility the facility of the system log by its number; null for no system log
/// @param priority the least important level that goes to the system log; null for none so important
/// @param debug whether debugging messages are kept
/// @param traces whose are kept even if not
/// @param toErrors whether all goes to standard error too
/// @param problems what is wrong with the options, for the log
record LogSettings(
    String node,
    String daemon,
    @Nullable Path file,
    List<Path> more,
    @Nullable Set<PosixFilePermission> fileMode,
    @Nullable Integer facility,
    @Nullable Level priority,
    boolean debug,
    Traces traces,
    boolean toErrors,
    List<String> problems) {
  private static final Map<String, Integer> FACILITIES =
      Map.of(
          "user", 1, "daemon", 3, "local0", 16, "local1", 17, "local2", 18, "local3", 19, "local4",
          20, "local5", 21, "local6", 22, "local7", 23);
  private static final int FACILITY = 3;
  private static final int SHOWN_MAX = 40;

  /// The environment variable with the files that the command line has added, one a line.
  static final String MORE = "SYSTOLE_LOGFILES";

  private static final String FILE_OPTION = "PCMK_logfile";
  private static final String FACILITY_OPTION = "PCMK_logfacility";
  private static final String PRIORITY_OPTION = "PCMK_logpriority";
  private static final String MODE_OPTION = "PCMK_logfile_mode";

  static LogSettings of(Layout layout, Map<String, String> environment, String daemon) {
    var problems = new ArrayList<String>();
    return new LogSettings(
        nodeName(environment),
        daemon,
        file(layout, environment.get(FILE_OPTION), problems),
        more(environment),
        mode(environment.get(MODE_OPTION), problems),
        facility(environment.get(FACILITY_OPTION), problems),
        priority(environment.get(PRIORITY_OPTION), problems),
        concerns(environment.get("PCMK_debug"), daemon),
        Traces.of(environment),
        concerns(environment.get("PCMK_stderr"), daemon),
        problems);
  }

  private static List<Path> more(Map<String, String> environment) {
    return environment.getOrDefault(MORE, "").lines().filter(it -> !isNone(it)).map(Path::of).toList();
  }

  private static boolean isNone(String value) {
    return value.equalsIgnoreCase("none") || value.equals("/dev/null");
  }

  /// The log file where none is chosen.
  static Path usualFile(Layout layout) {
    return layout.log().resolve("pacemaker.log");
  }

  private static @Nullable Path file(
      Layout layout, @Nullable String value, List<String> problems) {
    if (value == null || value.isBlank()) {
      return usualFile(layout);
    }
    if (isNone(value)) {
      return null;
    }
    try {
      return layout.root().resolve(value.replaceFirst("^/+", ""));
    } catch (InvalidPathException e) {
      problems.add(
          "%s=%s is no name of a file here; %s is used"
              .formatted(FILE_OPTION, shown(value), usualFile(layout)));
      return usualFile(layout);
    }
  }

  private static @Nullable Set<PosixFilePermission> mode(
      @Nullable String value, List<String> problems) {
    if (value == null || value.isBlank()) {
      return null;
    }
    if (!value.strip().matches("0*[0-7]{1,3}")) {
      problems.add("%s=%s is no mode such as 0640; it is not used".formatted(MODE_OPTION, shown(value)));
      return null;
    }
    var bits = Integer.parseInt(value.strip(), 8);
    var mode = EnumSet.noneOf(PosixFilePermission.class);
    for (var permission : PosixFilePermission.values()) { // from the owner's reading on, as bits are
      if ((bits & 0400 >> permission.ordinal()) != 0) {
        mode.add(permission);
      }
    }
    return mode;
  }

  /// As it is shown in a line of the log.
  private static String shown(String value) {
    var line = value.replaceAll("\\s+", " ");
    return line.length() > SHOWN_MAX ? line.substring(0, SHOWN_MAX) + "..." : line;
  }

  private static @Nullable Integer facility(@Nullable String value, List<String> problems) {
    if (value == null || value.isBlank()) {
      return FACILITY;
    }
    var name = value.strip().toLowerCase(Locale.ROOT);
    if (name.equals("none")) {
      return null;
    }
    var facility = FACILITIES.get(name);
    if (facility == null) {
      problems.add(
          "%s=%s is not known; 'daemon' is used. It can be none, user, daemon, local0 to local7"
              .formatted(FACILITY_OPTION, shown(value)));
      return FACILITY;
    }
    return facility;
  }

  private static @Nullable Level priority(@Nullable String value, List<String> problems) {
    if (value == null || value.isBlank()) {
      return Level.NOTICE;
    }
    return switch (value.strip().toLowerCase(Locale.ROOT)) {
      case "emerg", "alert" -> null; // nothing a daemon says is as bad as that
      case "crit" -> Level.CRITICAL;
      case "error", "err" -> Level.ERROR;
      case "warning", "warn" -> Level.WARNING;
      case "notice" -> Level.NOTICE;
      case "info" -> Level.INFO;
      case "debug" -> Level.DEBUG;
      default -> {
        problems.add(
            "%s=%s is not known; 'notice' is used. It can be emerg, alert, crit, error, warning, notice, info, debug"
                .formatted(PRIORITY_OPTION, shown(value)));
        yield Level.NOTICE;
      }
    };
  }

  private static String nodeName(Map<String, String> environment) {
    var name = environment.get(Layout.NODE);
    if (name != null) {
      return name;
    }
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).trim();
    } catch (IOException e) {
      return "localhost";
    }
  }

  /// The options that concern daemons take a boolean or a list of daemons, by the names here or by
  /// those of the reference.
  static boolean concerns(@Nullable String value, String daemon) {
    if (value == null) {
      return false;
    }
    return switch (value.strip().toLowerCase(Locale.ROOT)) {
      case "yes", "true", "on", "1", "y" -> true;
      case "no", "false", "off", "0", "n", "" -> false;
      default -> {
        var theirs =
            switch (daemon) {
              case "cibd" -> "pacemaker-based";
              case "pacemakerd" -> daemon;
              default -> "pacemaker-" + daemon;
            };
        yield Arrays.stream(value.split("[,\\s]+"))
            .anyMatch(it -> it.equals(daemon) || it.equals(theirs));
      }
    };
  }

  LogSettings withDebug(boolean on) {
    return new LogSettings(
        node, daemon, file, more, fileMode, facility, priority, on, traces, toErrors, problems);
  }
}
