package org.systole.execd.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;

/// Which agents this machine has. Reads directories: for commands, never for daemons.
public final class LocalAgents {
  private final List<Path> ocfRoots = new ArrayList<>();
  private final Path sbin;

  public LocalAgents(Layout layout, Map<String, String> environment) {
    ocfRoots.add(layout.share().resolve("systole/ocf"));
    var asked = environment.get("OCF_ROOT");
    if (asked != null && !asked.isEmpty()) {
      ocfRoots.add(Path.of(asked));
    }
    ocfRoots.add(Path.of("/usr/lib/ocf"));
    var home = layout.share().getParent();
    sbin = (home == null ? Path.of("/usr") : home).resolve("sbin");
  }

  /// The standards this machine supports, in the order in which commands list them.
  public List<String> standards() {
    var standards = new ArrayList<>(List.of("lsb", "ocf", "service"));
    if (Files.isDirectory(Path.of("/run/systemd/system"))) {
      standards.add("systemd");
    }
    standards.add(AgentName.FENCING);
    return standards;
  }

  /// The providers of OCF agents, sorted.
  public List<String> providers() {
    var names = new TreeSet<String>();
    for (var root : ocfRoots) {
      entries(root.resolve("resource.d"), false).forEach(names::add);
    }
    return List.copyOf(names);
  }

  /// The providers that have an agent of this type, sorted.
  public List<String> providersOf(String type) {
    var found = new ArrayList<String>();
    for (var provider : providers()) {
      if (agents("ocf", provider).contains(type)) {
        found.add(provider);
      }
    }
    return found;
  }

  /// The agents of a standard, sorted.
  ///
  /// @param provider of OCF agents; empty for all
  public List<String> agents(String standard, String provider) {
    return switch (standard) {
      case "ocf" -> ocf(provider);
      case "lsb" -> entries(Path.of("/etc/init.d"), true);
      case "systemd" -> units();
      case "service" -> {
        var all = new TreeSet<>(entries(Path.of("/etc/init.d"), true));
        all.addAll(units());
        yield List.copyOf(all);
      }
      case AgentName.FENCING -> fenceAgents();
      default -> List.of();
    };
  }

  /// Whether this machine has the agent.
  public boolean has(AgentName agent) {
    return agent.standard().equals("ocf")
        ? ocfRoot(agent) != null
        : agents(agent.standard(), "").contains(agent.type());
  }

  /// The directory with the `resource.d` in which an OCF agent is found first; null if there is
  /// none.
  public @Nullable Path ocfRoot(AgentName agent) {
    for (var root : ocfRoots) {
      var names = entries(root.resolve("resource.d").resolve(agent.provider()), true);
      if (names.contains(agent.type())) {
        return root;
      }
    }
    return null;
  }

  private List<String> ocf(String provider) {
    var providers = provider.isEmpty() ? providers() : List.of(provider);
    var names = new TreeSet<String>();
    for (var root : ocfRoots) {
      for (var one : providers) {
        names.addAll(entries(root.resolve("resource.d").resolve(one), true));
      }
    }
    return List.copyOf(names);
  }

  private List<String> fenceAgents() {
    var names = new TreeSet<String>();
    for (var directory : List.of(sbin, Path.of("/usr/sbin"))) {
      for (var name : entries(directory, true)) {
        if (name.startsWith("fence_")) {
          names.add(name);
        }
      }
    }
    return List.copyOf(names);
  }

  private static List<String> units() {
    var names = new TreeSet<String>();
    var directories =
        List.of(
            "/etc/systemd/system",
            "/run/systemd/system",
            "/usr/lib/systemd/system",
            "/lib/systemd/system");
    for (var directory : directories) {
      for (var name : all(Path.of(directory))) {
        for (var suffix : Units.SUFFIXES) {
          if (name.endsWith(suffix)) {
            names.add(suffix.equals(".service") ? name.substring(0, name.length() - 8) : name);
          }
        }
      }
    }
    return List.copyOf(names);
  }

  /// The directory's entries that are programs, or else directories; none if it cannot be read.
  private static List<String> entries(Path directory, boolean programs) {
    var found = new ArrayList<String>();
    for (var name : all(directory)) {
      var path = directory.resolve(name);
      var wanted =
          programs
              ? Files.isRegularFile(path) && Files.isExecutable(path)
              : Files.isDirectory(path);
      if (wanted && !name.startsWith(".")) {
        found.add(name);
      }
    }
    return found;
  }

  private static List<String> all(Path directory) {
    try (var stream = Files.list(directory)) {
      return stream.map(path -> path.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      return List.of(); // a directory that is not there has no agents
    }
  }
}
