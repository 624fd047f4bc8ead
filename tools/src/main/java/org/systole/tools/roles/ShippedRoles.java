package org.systole.tools.roles;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.xml.Element;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.document.RolePackages;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.SnapshotState;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// The roles that come with the program, as this node's site changes them, and how they are turned
/// on and off.
final class ShippedRoles {
  private static final List<String> ABOUT_OTHERS = List.of("fencing", "names", "network");

  private final SortedMap<RoleId, Role> roles;

  ShippedRoles(SortedMap<RoleId, Role> roles) {
    this.roles = roles;
  }

  /// @throws CommandException if there are none, or a package is wrong
  static ShippedRoles of(Terminal terminal) throws CommandException {
    var layout = Layout.of(terminal.environment());
    var shipped = layout.share().resolve("systole/roles");
    var site = layout.configuration().resolve("roles");
    try {
      return new ShippedRoles(
          RolePackages.roles(RoleFiles.packages(shipped), RoleFiles.packages(existing(site))));
    } catch (DocumentFault e) {
      throw new CommandException(ExitStatus.CONFIG, String.join("; ", e.faults()));
    }
  }

  private static @Nullable Path existing(Path directory) {
    return Files.isDirectory(directory) ? directory : null;
  }

  /// What turns roles on or off.
  ///
  /// @param which `on`, `off`, or names of the roles that are to be on: the others are turned off
  /// @param now what there is
  List<Element> steps(String which, RolesDocument now) throws CommandException {
    if (now.snapshot(DeploymentId.SYSTEM, SnapshotState.PROPOSED) != null) {
      throw new CommandException(
          ExitStatus.DATAERR,
          "deployment system has a proposal that is not committed: commit it, or archive it, first");
    }
    return steps(which.equals("off") ? List.of() : named(which), now);
  }

  private List<Element> steps(List<Role> wanted, RolesDocument now) throws CommandException {
    var kept = withWhatTheyNeed(wanted);
    mayGo(kept, now);
    var steps = new ArrayList<Element>();
    if (!wanted.isEmpty()) {
      steps.add(Element.of("jig", "id", "script", "active", "true"));
    }
    for (var role : wanted) {
      steps.add(RolesWriter.role(role));
    }
    var edits = new ArrayList<Element>();
    for (var node : now.nodes().keySet()) { // members that are none yet get them when they are made known
      for (var role : wanted) {
        edits.add(Element.of("bind", "role", role.id().text(), "node", node.text()));
      }
    }
    wanted.forEach(it -> edits.addAll(OwnData.handedOn(it, now)));
    new LiveRoles(now).all().keySet().stream()
        .filter(it -> roles.containsKey(it.role()) && !kept.contains(it.role()))
        .forEach(it -> edits.add(Element.of("unbind", "role", it.role().text(), "node", it.node().text())));
    if (!edits.isEmpty()) {
      steps.add(Element.of("propose"));
      steps.addAll(edits);
      steps.add(Element.of("commit"));
    }
    for (var id : roles.keySet()) {
      if (now.roles().containsKey(id) && !kept.contains(id)) {
        steps.add(Element.of("remove-role", "role", id.text()));
      }
    }
    return steps;
  }

  /// Refuses to take away what roles of others require.
  private void mayGo(Set<RoleId> kept, RolesDocument now) throws CommandException {
    var held = new ArrayList<String>();
    var going = now.roles().values().stream().filter(it -> isGoing(it.id(), kept)).toList();
    for (var other : now.roles().values()) {
      for (var role : going) {
        if (!isGoing(other.id(), kept) && other.requires().stream().anyMatch(role::answersTo)) {
          held.add("role %s requires %s".formatted(other.id(), role.id()));
        }
      }
    }
    if (!held.isEmpty()) {
      throw new CommandException(
          ExitStatus.DATAERR,
          "%s, which would be taken away: leave on what is required (--shipped=ROLE,...), or first unbind and remove what requires it"
              .formatted(String.join(", ", held)));
    }
  }

  private boolean isGoing(RoleId id, Set<RoleId> kept) {
    return roles.containsKey(id) && !kept.contains(id);
  }

  private Set<RoleId> withWhatTheyNeed(List<Role> wanted) {
    var all = new TreeSet<RoleId>();
    var next = new ArrayDeque<>(wanted);
    while (!next.isEmpty()) {
      var role = next.remove();
      if (all.add(role.id())) {
        role.requires().stream().map(roles::get).filter(Objects::nonNull).forEach(next::add);
      }
    }
    return all;
  }

  private List<Role> named(String which) throws CommandException {
    if (which.equals("on")) {
      return List.copyOf(roles.values());
    }
    var wanted = new ArrayList<Role>();
    for (var name : which.split("[, ]+", -1)) {
      var id = RoleId.of(name);
      var role = id == null ? null : roles.get(id);
      if (role == null) {
        throw new CommandException(
            ExitStatus.NOSUCH,
            "no role '" + name + "' is shipped; there are " + names(roles.keySet()));
      }
      wanted.add(role);
    }
    return wanted;
  }

  /// The roles for the option `join-gate-roles`. Those that are about others (names, links, fence
  /// devices) are not meant by `on`: an outage outside would keep resources from moving at all.
  ///
  /// @param wanted `on`: those of these roles that are on join those of the gate as it is; `off`; or the
  ///     names of the roles that it is to wait for, and no others
  /// @param known the roles that the cluster has
  /// @param before those of the gate as it is
  /// @return empty for none
  List<String> gate(String wanted, Set<RoleId> known, List<String> before) throws CommandException {
    if (wanted.equals("off")) {
      return List.of();
    }
    var gate = new TreeSet<String>();
    if (wanted.equals("on")) {
      for (var id : roles.keySet()) {
        if (!ABOUT_OTHERS.contains(id.text()) && known.contains(id)) {
          gate.add(id.text());
        }
      }
      if (gate.isEmpty()) {
        throw new CommandException(
            ExitStatus.CONFIG, "no shipped role is on: turn them on first, with --shipped=on");
      }
      gate.addAll(before);
      return List.copyOf(gate);
    }
    if (wanted.isBlank()) {
      throw new CommandException(
          ExitStatus.USAGE, "--gate names no role: write --gate=on, --gate=off or --gate=ROLE,...");
    }
    for (var name : wanted.split("[, ]+", -1)) {
      var id = RoleId.of(name);
      if (id == null || !known.contains(id)) {
        var isShipped = id != null && roles.containsKey(id);
        throw new CommandException(
            ExitStatus.NOSUCH,
            "there is no role '%s' in the cluster: %s"
                .formatted(
                    name,
                    isShipped
                        ? "it is shipped, but not on; turn it on first, with crm_role --shipped=on or --shipped=ROLE,..."
                        : "crm_role --list shows those that there are"));
      }
      gate.add(name);
    }
    return List.copyOf(gate);
  }

  private static String names(Iterable<RoleId> ids) {
    var texts = new ArrayList<String>();
    ids.forEach(it -> texts.add(it.text()));
    return texts.stream().collect(Collectors.joining(" "));
  }
}
