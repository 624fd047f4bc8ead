package org.systole.tools.roles;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
import org.systole.roles.model.NodeRoleId;
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
  /// @param which `on`, `off`, or names of roles that are to be on
  /// @param now what there is
  List<Element> steps(String which, RolesDocument now) throws CommandException {
    if (now.snapshot(DeploymentId.SYSTEM, SnapshotState.PROPOSED) != null) {
      throw new CommandException(
          ExitStatus.CONFIG,
          "deployment system has a proposal that is not committed: commit it, or archive it, first");
    }
    return which.equals("off") ? off(now) : on(which, now);
  }

  private List<Element> on(String which, RolesDocument now) throws CommandException {
    var steps = new ArrayList<Element>();
    steps.add(Element.of("jig", "id", "script", "active", "true"));
    var wanted = named(which);
    for (var role : wanted) {
      steps.add(RolesWriter.role(role));
    }
    if (now.nodes().isEmpty()) {
      return steps; // members get them when they are made known
    }
    steps.add(Element.of("propose"));
    for (var node : now.nodes().keySet()) {
      for (var role : wanted) {
        steps.add(Element.of("bind", "role", role.id().text(), "node", node.text()));
      }
    }
    steps.add(Element.of("commit"));
    return steps;
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
        throw CommandException.usage(
            "no role '" + name + "' is shipped; there are " + names(roles.keySet()));
      }
      wanted.add(role);
    }
    return wanted;
  }

  private List<Element> off(RolesDocument now) {
    var steps = new ArrayList<Element>();
    var live = new LiveRoles(now);
    var bound = new ArrayList<NodeRoleId>();
    live.all().keySet().stream().filter(it -> roles.containsKey(it.role())).forEach(bound::add);
    if (!bound.isEmpty()) {
      steps.add(Element.of("propose"));
      for (var id : bound) {
        steps.add(Element.of("unbind", "role", id.role().text(), "node", id.node().text()));
      }
      steps.add(Element.of("commit"));
    }
    for (var id : roles.keySet()) {
      if (now.roles().containsKey(id)) {
        steps.add(Element.of("remove-role", "role", id.text()));
      }
    }
    return steps;
  }

  /// The roles for the option `join-gate-roles`. Those that are about others (names, links, fence
  /// devices) are not meant by `on`: an outage outside would keep resources from moving at all.
  ///
  /// @param wanted `on`, `off`, or names of roles
  /// @return empty for none
  String gate(String wanted, RolesDocument now) throws CommandException {
    if (wanted.equals("off")) {
      return "";
    }
    var gate = new TreeSet<RoleId>();
    if (wanted.equals("on")) {
      gate.addAll(roles.keySet());
      gate.removeIf(it -> ABOUT_OTHERS.contains(it.text()));
      gate.retainAll(now.roles().keySet());
    } else {
      for (var name : wanted.split("[, ]+", -1)) {
        var id = RoleId.of(name);
        if (id == null || !now.roles().containsKey(id)) {
          throw CommandException.usage("there is no role '" + name + "' in the cluster");
        }
        gate.add(id);
      }
    }
    if (gate.isEmpty()) {
      throw new CommandException(
          ExitStatus.CONFIG, "no shipped role is on: turn them on first, with --shipped=on");
    }
    return names(gate);
  }

  private static String names(Iterable<RoleId> ids) {
    var texts = new ArrayList<String>();
    ids.forEach(it -> texts.add(it.text()));
    return texts.stream().collect(Collectors.joining(" "));
  }
}
