package org.systole.execd.client;

import java.util.List;
import java.util.regex.Pattern;
import org.systole.common.operation.AgentName;

/// The names of systemd's units.
public final class Units {
  /// A resource's type may have one of these at its end; otherwise its unit is a service.
  static final List<String> SUFFIXES = List.of(".service", ".socket", ".mount", ".timer", ".path");

  /// `systemctl` takes more: patterns, for all units that fit, and paths. Whoever named a resource so would have all of
  /// them stopped. And a template is no unit (`web@.service`), nor is a suffix alone: systemd refuses to stop them.
  private static final Pattern NAME =
      Pattern.compile("(?!@|\\.[a-z]+$|[^@]*@\\.[a-z]+$)[A-Za-z0-9:_.\\\\@-]{1,255}");

  private Units() {}

  /// The whole name of an agent's unit.
  public static String of(AgentName agent) {
    var type = agent.type();
    return SUFFIXES.stream().anyMatch(type::endsWith) ? type : type + SUFFIXES.getFirst();
  }

  /// Whether a unit can have that name.
  public static boolean canBe(String unit) {
    return NAME.matcher(unit).matches();
  }

  /// Whether it is a service, which has settings that other units do not have.
  public static boolean isService(String unit) {
    return unit.endsWith(SUFFIXES.getFirst());
  }
}
