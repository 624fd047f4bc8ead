package org.systole.common.real;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An option that a daemon takes where it is started by hand.
public enum DaemonOption {
  STAND_ALONE("stand-alone", 's', null, "run without a cluster, as its only node: for tests of this daemon by itself"),
  DISK_WRITES("disk-writes", 'w', null, "write the configuration to disk, which it does anyhow unless it stands alone"),
  CIB_ROOT("cib-root", 'r', "DIRECTORY", "the directory of cib.xml, instead of /var/lib/pacemaker/cib"),
  LOG_FILE("logfile", 'l', "FILE", "a further file for the log; may be given several times"),
  VERBOSE("verbose", 'V', null, "log debugging messages, too"),
  VERSION("version", '$', null, "print the version"),
  HELP("help", '?', null, "print a short help");

  /// What all daemons take.
  public static final List<DaemonOption> ALL = List.of(VERBOSE, VERSION, HELP);

  /// What the CIB manager takes.
  public static final List<DaemonOption> CIB_MANAGER =
      List.of(STAND_ALONE, DISK_WRITES, CIB_ROOT, VERBOSE, VERSION, HELP);

  /// What the fencer and the attribute manager take.
  public static final List<DaemonOption> STANDING_ALONE =
      List.of(STAND_ALONE, LOG_FILE, VERBOSE, VERSION, HELP);

  /// What the executor takes.
  public static final List<DaemonOption> EXECUTOR = List.of(LOG_FILE, VERBOSE, VERSION, HELP);

  private final String word;
  private final char letter;
  private final @Nullable String value;
  private final String description;

  DaemonOption(String word, char letter, @Nullable String value, String description) {
    this.word = word;
    this.letter = letter;
    this.value = value;
    this.description = description;
  }

  /// As it is written in full.
  public String longName() {
    return "--" + word;
  }

  /// As it is written short.
  public String shortName() {
    return "-" + letter;
  }

  /// What its value is called in a help; null if it has none.
  public @Nullable String value() {
    return value;
  }

  public String description() {
    return description;
  }
}
