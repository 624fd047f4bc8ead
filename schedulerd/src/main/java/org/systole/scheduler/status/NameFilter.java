package org.systole.scheduler.status;

import java.util.List;

/// The names a display is restricted to; `*` alone stands for all.
public record NameFilter(List<String> names) {
  public static final NameFilter ALL = new NameFilter(List.of("*"));

  public NameFilter {
    names = List.copyOf(names);
  }

  public boolean isAll() {
    return names.size() == 1 && names.getFirst().equals("*");
  }

  /// Whether a resource's name is among them, in exactly this spelling.
  public boolean has(String name) {
    return isAll() || names.contains(name);
  }

  /// Whether a node's name is among them, in any case of letters.
  public boolean hasNode(String name) {
    return isAll() || names.stream().anyMatch(name::equalsIgnoreCase);
  }
}
