package org.systole.pacemakerd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Processes.Program;

/// What is done to a machine that can no longer be trusted, by the host's option
/// `PCMK_panic_action`.
///
/// @param way how the machine goes
/// @param sync whether file systems are written out first, so that the log has its last lines
record PanicAction(Way way, boolean sync) {
  static final String OPTION = "PCMK_panic_action";
  static final PanicAction DEFAULT = new PanicAction(Way.REBOOT, false);

  private static final String SYNC = "sync-";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// A file system that hangs must not keep the machine, and with it its resources, up.
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(10);

  private static final List<String> CRASH = List.of("/usr/bin/tee", "/proc/sysrq-trigger");

  enum Way {
    REBOOT,
    OFF,
    CRASH
  }

  /// @return null if there is no such action
  static @Nullable PanicAction parse(String text) {
    var synced = text.startsWith(SYNC);
    var word = synced ? text.substring(SYNC.length()) : text;
    for (var way : Way.values()) {
      if (word.equals(way.name().toLowerCase(Locale.ROOT))) {
        return new PanicAction(way, synced);
      }
    }
    return null;
  }

  /// That of the environment; one that is not understood counts as the default, [HostOptions] tells.
  static PanicAction of(Map<String, String> environment) {
    var action = parse(environment.getOrDefault(OPTION, "").strip());
    return action == null ? DEFAULT : action;
  }

  /// The programs to run one after the other, each whatever became of the one before: a machine that
  /// cannot be crashed is rebooted.
  List<Program> programs() {
    var programs = new ArrayList<Program>();
    if (sync) {
      programs.add(program(List.of("/usr/bin/sync"), "", SYNC_LIMIT));
    }
    switch (way) {
      case OFF -> programs.add(program(List.of("/usr/sbin/poweroff", "--force", "--force"), "", LIMIT));
      case CRASH -> programs.add(program(CRASH, "c", SYNC_LIMIT));
      case REBOOT -> {}
    }
    programs.add(program(List.of("/usr/sbin/reboot", "--force", "--force"), "", LIMIT));
    return programs;
  }

  private static Program program(List<String> command, String input, Duration limit) {
    return new Program(command, Map.of(), input, limit, 0);
  }
}
