package org.systole.tools.roles;

import java.util.ArrayList;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.Section;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import org.systole.roles.view.LiveRoles;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.status.ClusterStatus;
import org.systole.scheduler.status.View;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;

/// What the status of a cluster says about roles. The states are the nodes' attributes `#role-...`,
/// so they are told of a CIB in a file, too; the causes of errors are the running cluster's.
public final class RolesSection implements ClusterStatus.Extra {
  private static final String ATTRIBUTE = "#role-";
  private static final String ACTIVE = "active";
  private static final String ERROR = "error";

  private final ClusterStatus.Extra others;
  private final View view;
  private final @Nullable Terminal terminal;
  private String lost = ""; // why the roles are

  private RolesSection(ClusterStatus.Extra others, View view, @Nullable Terminal terminal) {
    this.others = others;
    this.view = view;
    this.terminal = terminal;
  }

  /// @param others what else there is to show
  /// @param terminal of the running cluster; null for a CIB in a file
  public static ClusterStatus.Extra before(
      ClusterStatus.Extra others, View view, @Nullable Terminal terminal) {
    return new RolesSection(others, view, terminal);
  }

  @Override
  public boolean show(Place place, boolean spacer) {
    return place == Place.ROLES ? showRoles(spacer) : others.show(place, spacer);
  }

  private boolean showRoles(boolean spacer) {
    SortedMap<String, SortedMap<String, String>> states = new TreeMap<>();
    for (var node : view.cluster().nodes()) {
      var roles = roles(node);
      if (!roles.isEmpty() && view.nodes().has(node.name())) {
        states.put(node.name(), roles);
      }
    }
    var failed = states.values().stream().anyMatch(it -> it.containsValue(ERROR));
    var causes = failed || states.isEmpty() ? causes() : new TreeMap<String, String>();
    if (states.isEmpty() && lost.isEmpty()) {
      return false;
    }
    if (view.out() instanceof XmlOutput xml) {
      xml.open("roles");
      if (!lost.isEmpty()) {
        xml.add("lost", "why", lost);
      }
      states.forEach((node, roles) -> add(xml, node, roles, causes));
      xml.close();
      return true;
    }
    var section = new Section(view.out(), spacer, "Roles");
    if (!lost.isEmpty()) {
      section.begin();
      if (view.out() instanceof TextOutput text) {
        text.item(lost);
      }
    }
    states.forEach(
        (node, roles) -> {
          section.begin();
          if (view.out() instanceof TextOutput text) {
            text.item(node + ": " + line(node, roles, causes));
          }
        });
    return section.end();
  }

  private static SortedMap<String, String> roles(Node node) {
    var roles = new TreeMap<String, String>();
    node.attributes()
        .forEach(
            (name, value) -> {
              if (name.startsWith(ATTRIBUTE)) {
                roles.put(name.substring(ATTRIBUTE.length()), value);
              }
            });
    return roles;
  }

  /// Where no node has a state, they may be lost: that is known only by asking.
  private SortedMap<String, String> causes() {
    var causes = new TreeMap<String, String>();
    if (terminal == null) {
      return causes;
    }
    try (var running = RunningRoles.open(terminal)) {
      new LiveRoles(running.read().document())
          .all()
          .forEach((id, it) -> causes.put(id.toString(), it.cause()));
      lost = running.lost();
    } catch (CommandException e) {
      return causes; // who may not read them, or has a file: the states are told
    }
    return causes;
  }

  private static void add(
      XmlOutput xml,
      String on,
      SortedMap<String, String> roles,
      SortedMap<String, String> causes) {
    xml.open("node", "name", on);
    roles.forEach(
        (role, state) -> {
          var cause = causes.getOrDefault(role + "@" + on, "");
          xml.add("role", "id", role, "state", state).attr("cause", cause.isEmpty() ? null : cause);
        });
    xml.close();
  }

  private static String line(
      String on, SortedMap<String, String> roles, SortedMap<String, String> causes) {
    var parts = new ArrayList<String>();
    var active = roles.values().stream().filter(ACTIVE::equals).count();
    if (active > 0) {
      parts.add(active + " " + ACTIVE);
    }
    roles.forEach(
        (role, state) -> {
          var cause = causes.getOrDefault(role + "@" + on, "");
          if (!state.equals(ACTIVE)) {
            parts.add(role + " " + state + (cause.isEmpty() ? "" : " (" + cause + ")"));
          }
        });
    return String.join(", ", parts);
  }
}
