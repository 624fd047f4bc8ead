package org.systole.common.real;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An option that a daemon takes where it is started by hand.
public enum DaemonOption {
  STAND_ALONE("stand-alone", 's', null, "run without a cluster, as its only node: for tests of this daemon by itself"),
  DISK_WRITES("disk-writes", 'w', null, "write the configuration to disk, which it does anyhow unless it stands alone"),
  CIB_ROOT("cib-root", 'r', "DIRECTORY", "the directory of cib.xml, instead of /var/lib/pacemaker/cib"),
  PORT("port", 'p', "PORT", "the port to serve, instead of 3121 or PCMK_remote_port"),
  LOG_FILE("logfile", 'l', "FILE", "a further file for the log; may be given several times"),
  ONLY_LOG_FILE("logfile", 'l', "FILE", "the log, instead of PCMK_logfile"),
  VERBOSE("verbose", 'V', null, "log debugging messages, too"),
  OUTPUT_AS("output-as", ' ', "FORMAT", "of what is printed: text (default), xml or none"),
  OUTPUT_TO("output-to", ' ', "FILE", "where what is printed goes; - is standard output"),
  VERSION("version", '$', null, "print the version"),
  HELP("help", '?', null, "print a short help");

  /// What all daemons take.
  public static final List<DaemonOption> ALL = with();

  /// What the CIB manager takes.
  public static final List<DaemonOption> CIB_MANAGER = with(STAND_ALONE, DISK_WRITES, CIB_ROOT);

  /// What the fencer and the attribute manager take.
  public static final List<DaemonOption> STANDING_ALONE = with(STAND_ALONE, LOG_FILE);

  /// What the executor takes.
  public static final List<DaemonOption> EXECUTOR = with(LOG_FILE);

  /// What the executor of a remote node takes.
  public static final List<DaemonOption> REMOTE_EXECUTOR = with(PORT, ONLY_LOG_FILE);

  private static final char NONE = ' ';

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

  private static List<DaemonOption> with(DaemonOption... own) {
    var all = new ArrayList<>(List.of(own));
    all.addAll(List.of(VERBOSE, OUTPUT_AS, OUTPUT_TO, VERSION, HELP));
    return List.copyOf(all);
  }

  /// As it is written in full.
  public String longName() {
    return "--" + word;
  }

  /// As it is written short; null if it is not.
  public @Nullable String shortName() {
    return letter == NONE ? null : "-" + letter;
  }

  /// What its value is called in a help; null if it has none.
  public @Nullable String value() {
    return value;
  }

  public String description() {
    return description;
  }
}
