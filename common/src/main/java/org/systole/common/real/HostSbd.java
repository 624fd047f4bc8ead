package org.systole.common.real;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.sbd.SbdSettings;

/// What this host says of its watchdog and its disks: SBD's file of settings, and whether the service
/// `sbd` is enabled, by which pcs, crmsh and administrators switch it on and off. Where no such
/// service is installed the file alone decides.
///
/// @param variables of the file; none if the service is not enabled
/// @param notice for the log; null if there is nothing to say
public record HostSbd(Map<String, String> variables, @Nullable String notice) {
  private static final String UNIT = "sbd.service";
  private static final List<String> UNITS = List.of("usr/lib/systemd/system", "lib/systemd/system");
  private static final List<String> TELLING = List.of("SBD_WATCHDOG_DEV", "SBD_WATCHDOG_TIMEOUT", "SBD_DEVICE");
  private static final String ENABLED = "etc/systemd/system";

  /// @throws IOException if the file is there and cannot be read
  public static HostSbd read(Layout layout) throws IOException {
    for (var file : layout.sbdSettings()) {
      if (Files.exists(file)) {
        var variables = SbdSettings.variables(Files.readString(file));
        if (!SbdSettings.of(variables).settings().isWanted() || isOn(layout.root())) {
          return new HostSbd(variables, contradiction(layout, file, variables));
        }
        return new HostSbd(
            Map.of(),
            "This node keeps no watchdog: %s names one, but the service sbd is not enabled (systemctl enable sbd)"
                .formatted(file));
      }
    }
    return new HostSbd(Map.of(), null);
  }

  /// Clients write one of the files, some of them one that does not count where there is the other.
  private static @Nullable String contradiction(Layout layout, Path used, Map<String, String> variables)
      throws IOException {
    for (var other : layout.sbdSettings()) {
      if (!other.equals(used) && Files.isRegularFile(other)) {
        var says = SbdSettings.variables(Files.readString(other, StandardCharsets.ISO_8859_1));
        var differing =
            TELLING.stream()
                .filter(it -> !says.getOrDefault(it, "").isEmpty() && !Objects.equals(says.get(it), variables.get(it)))
                .toList();
        if (!differing.isEmpty()) {
          return "This node goes by %s, though %s says otherwise of %s: have both say the same, or remove one"
              .formatted(used, other, String.join(", ", differing));
        }
      }
    }
    return null;
  }

  /// Whichever unit wants it: SBD's own package had it wanted by others.
  private static boolean isOn(Path root) throws IOException {
    if (UNITS.stream().noneMatch(it -> Files.exists(root.resolve(it).resolve(UNIT)))) {
      return true;
    }
    var enabled = root.resolve(ENABLED);
    if (!Files.isDirectory(enabled)) {
      return false;
    }
    try (var wanting = Files.newDirectoryStream(enabled, "*.{wants,requires}")) {
      for (var it : wanting) {
        if (Files.isSymbolicLink(it.resolve(UNIT))) {
          return true;
        }
      }
    }
    return false;
  }
}
