package org.systole.roles.document;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.RolesSchema;
import org.systole.common.schema.SchemaFault;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.data.Json;
import org.systole.roles.model.Deployment;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.JigId;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Past;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.model.SnapshotId;
import org.systole.roles.model.SnapshotState;

/// Reads the roles document. One that is wrong anywhere is refused as a whole, each fault with its
/// line and what it is about.
public final class RolesReader {
  private final Parts parts;
  private final SortedMap<JigId, Boolean> jigs = new TreeMap<>();
  private final SortedMap<RoleId, Role> roles = new TreeMap<>();
  private final SortedMap<NodeName, RoleNode> nodes = new TreeMap<>();
  private final SortedMap<DeploymentId, Deployment> deployments = new TreeMap<>();
  private final SortedMap<SnapshotId, Snapshot> snapshots = new TreeMap<>();

  private RolesReader(Map<Element, Integer> lines) {
    parts = new Parts(lines);
  }

  /// @throws DocumentFault if it is not well-formed, does not conform, or does not fit together
  public static RolesDocument read(byte[] text) throws DocumentFault {
    try {
      var located = XmlReader.parseLocated(text);
      return read(located.root(), located.lines());
    } catch (XmlException e) {
      throw new DocumentFault(
          List.of((e.line() > 0 ? "line " + e.line() + ": " : "") + e.getMessage()));
    }
  }

  /// @param lines the line of each element, by identity; may be empty
  /// @throws DocumentFault if it does not conform, or does not fit together
  public static RolesDocument read(Element root, Map<Element, Integer> lines)
      throws DocumentFault {
    var wrong = RolesSchema.DOCUMENT.check(root, lines);
    if (!wrong.isEmpty()) {
      throw new DocumentFault(wrong.stream().map(SchemaFault::message).toList());
    }
    var document = new RolesReader(lines).document(root);
    var faults = new Consistency(document).faults();
    if (!faults.isEmpty()) {
      throw new DocumentFault(faults.stream().map(it -> place(it, root, lines) + it).toList());
    }
    return document;
  }

  /// Where that stands which a fault is about: its first words name it.
  private static String place(String fault, Element root, Map<Element, Integer> lines) {
    var words = fault.split(" ", 3);
    if (words.length < 3 || lines.isEmpty()) {
      return "";
    }
    var name = words[1].replaceAll("[:,]$", "");
    var found =
        root.find(
            it ->
                switch (words[0]) {
                  case "role", "deployment" -> it.is(words[0]) && name.equals(it.get("id"));
                  case "node" -> it.is("node") && name.equals(it.get("name"));
                  case "snapshot" ->
                      it.is("snapshot") && name.equals(it.get("deployment") + "/" + it.get("number"));
                  case "domain" -> it.is("roles-document");
                  default -> false;
                });
    return found == null ? "" : Parts.line(found, lines);
  }

  /// Reads a document that goes on from one that was read before. It is for what the cluster's one
  /// writer has written: what differs only in what became of noderoles and nodes is not checked again,
  /// and parts that are equal are the very same objects.
  ///
  /// @param was what that one was read from
  /// @throws DocumentFault as [#read(Element, Map)]
  public static RolesDocument readOn(Element root, Element was, RolesDocument before)
      throws DocumentFault {
    var next = new RolesReader(Map.of()).next(root, was, before);
    return next == null ? read(root, Map.of()) : next;
  }

  /// @return null if more differs
  private @Nullable RolesDocument next(Element root, Element was, RolesDocument before)
      throws DocumentFault {
    if (!root.get("domain", "").equals(was.get("domain", ""))
        || !Objects.equals(root.first("jigs"), was.first("jigs"))
        || !Objects.equals(root.first("roles"), was.first("roles"))
        || !Objects.equals(root.first("deployments"), was.first("deployments"))) {
      return null;
    }
    var now = root.first("snapshots");
    var then = was.first("snapshots");
    if (now == null || then == null || now.childCount() != then.childCount()
        || then.childCount() != before.snapshots().size()) {
      return null;
    }
    var at = 0;
    for (var known : before.snapshots().values()) {
      if (!now.child(at).get("deployment", "").equals(known.id().deployment().text())
          || !now.child(at).get("number", "").equals("" + known.id().number())) {
        return null;
      }
      var same = now.child(at).equals(then.child(at));
      var next = same ? known : next(now.child(at), then.child(at), known);
      if (next == null) {
        return null;
      }
      snapshots.put(next.id(), next);
      at++;
    }
    each(root, "nodes", this::node);
    var past = past(root);
    parts.check();
    return new RolesDocument(
        before.domain(), before.jigs(), before.roles(), nodes, before.deployments(), snapshots, past);
  }

  /// @return null if more differs than what became of noderoles
  private @Nullable Snapshot next(Element now, Element was, Snapshot before) {
    var first = before.deploymentRoles().size();
    if (now.childCount() != was.childCount()
        || now.childCount() != first + before.nodeRoles().size()
        || !now.withChildren(List.of()).equals(was.withChildren(List.of()))
        || !now.children().subList(0, first).equals(was.children().subList(0, first))) {
      return null;
    }
    var bound = new TreeMap<>(before.nodeRoles());
    var at = first;
    for (var entry : bound.entrySet()) {
      var child = now.child(at);
      if (!child.equals(was.child(at))) {
        var noderole = nodeRole(child, before.id());
        if (noderole == null
            || !noderole.id().equals(entry.getKey())
            || !noderole.parents().equals(entry.getValue().parents())) {
          return null;
        }
        entry.setValue(noderole);
      } else if (!child.get("role", "").equals(entry.getKey().role().text())
          || !child.get("node", "").equals(entry.getKey().node().text())) {
        return null; // they are not in the order in which they are written
      }
      at++;
    }
    return new Snapshot(before.id(), before.state(), before.deploymentRoles(), bound);
  }

  /// A document as it was made by commands, if it fits together.
  ///
  /// @throws DocumentFault if it does not
  public static RolesDocument check(RolesDocument document) throws DocumentFault {
    return passed(document, new Consistency(document).faults());
  }

  /// The same for one that was made from another: what is the very same in both is not looked at again.
  ///
  /// @param before fits together
  /// @throws DocumentFault if it does not
  public static RolesDocument check(RolesDocument document, RolesDocument before)
      throws DocumentFault {
    return passed(document, new Consistency(document).faultsSince(before));
  }

  private static RolesDocument passed(RolesDocument document, List<String> faults)
      throws DocumentFault {
    if (!faults.isEmpty()) {
      throw new DocumentFault(faults);
    }
    return document;
  }

  /// Reads a role by itself.
  ///
  /// @throws DocumentFault if it is wrong
  public static Role role(Element at, Map<Element, Integer> lines) throws DocumentFault {
    var parts = new Parts(lines);
    var role = RoleElements.role(at, parts);
    parts.check();
    if (role == null) {
      throw fault("a role without a name");
    }
    return role;
  }

  /// Reads the data that an element holds as text.
  ///
  /// @throws DocumentFault if they are no JSON object
  public static Json.Obj data(Element at, Map<Element, Integer> lines) throws DocumentFault {
    var parts = new Parts(lines);
    var data = parts.data(at, at.name());
    parts.check();
    return data;
  }

  /// A refusal with one fault, for what is read beside a document.
  public static DocumentFault fault(String text) {
    return faults(List.of(text));
  }

  /// A refusal with several.
  public static DocumentFault faults(List<String> texts) {
    return new DocumentFault(texts);
  }

  private RolesDocument document(Element root) throws DocumentFault {
    each(root, "jigs", this::jig);
    each(root, "roles", this::role);
    each(root, "nodes", this::node);
    each(root, "deployments", this::deployment);
    each(root, "snapshots", this::snapshot);
    var past = past(root);
    parts.check();
    snapshots.replaceAll((_, it) -> it.state() == SnapshotState.ARCHIVED ? withoutLost(it) : it);
    deployments.putIfAbsent(DeploymentId.SYSTEM, new Deployment(DeploymentId.SYSTEM, null));
    return new RolesDocument(
        root.get("domain", "").strip(), jigs, roles, nodes, deployments, snapshots, past);
  }

  /// Earlier builds left the run of a role that was removed in an archived snapshot. Nobody hears of its
  /// end, and with the next one on its node the document could not be read.
  private Snapshot withoutLost(Snapshot archived) {
    var bound = new TreeMap<>(archived.nodeRoles());
    bound.replaceAll((_, it) -> isLost(it) ? it.in(NodeRoleState.TODO) : it);
    return bound.equals(archived.nodeRoles())
        ? archived
        : new Snapshot(archived.id(), archived.state(), archived.deploymentRoles(), bound);
  }

  private boolean isLost(NodeRole it) {
    return it.state() == NodeRoleState.TRANSITION
        && !(roles.containsKey(it.id().role()) && nodes.containsKey(it.id().node()));
  }

  private static void each(Element root, String section, Consumer<Element> reading) {
    var found = root.first(section);
    if (found != null) {
      found.children().stream().filter(it -> !it.isComment()).forEach(reading);
    }
  }

  private <K, V> void put(SortedMap<K, V> map, K key, V value, Element at, String what) {
    if (map.putIfAbsent(key, value) != null) {
      parts.fault(at, "there are two of " + what + " " + key);
    }
  }

  private void jig(Element at) {
    var id = parts.id(at, "id", JigId::of);
    if (id != null) {
      put(jigs, id, Parts.yes(at, "active", true), at, "jig");
    }
  }

  private void role(Element at) {
    var role = RoleElements.role(at, parts);
    if (role != null) {
      put(roles, role.id(), role, at, "role");
    }
  }

  private void node(Element at) {
    var name = parts.id(at, "name", NodeName::of);
    var deployment =
        at.has("deployment")
            ? parts.id(at, "deployment", DeploymentId::of)
            : DeploymentId.SYSTEM;
    var once = once(at);
    if (name != null && deployment != null) {
      var node =
          new RoleNode(
              name,
              Parts.yes(at, "admin", false),
              Parts.yes(at, "alive", false),
              Parts.yes(at, "available", true),
              deployment,
              once);
      put(nodes, name, node, at, "node");
    }
  }

  private SortedMap<RoleId, RoleNode.Once> once(Element at) {
    SortedMap<RoleId, RoleNode.Once> once = new TreeMap<>();
    for (var begun : at.children("once")) {
      var role = parts.id(begun, "role", RoleId::of);
      if (role != null) {
        var done = new RoleNode.Once(Parts.yes(begun, "done", false));
        put(once, role, done, begun, "<once> of role");
      }
    }
    return once;
  }

  private Past past(Element root) {
    SortedMap<NodeName, SortedMap<RoleId, RoleNode.Once>> gone = new TreeMap<>();
    each(
        root,
        "gone",
        at -> {
          var name = parts.id(at, "name", NodeName::of);
          if (name != null) {
            put(gone, name, once(at), at, "node that is gone:");
          }
        });
    return new Past(
        Numbers.parseInt(root.get("spent", "0"), 0), Numbers.parseInt(root.get("anew", "0"), 0), gone);
  }

  private void deployment(Element at) {
    var id = parts.id(at, "id", DeploymentId::of);
    @Nullable DeploymentId parent = null;
    if (at.has("parent")) {
      parent = parts.id(at, "parent", DeploymentId::of);
    } else if (id != null && !id.equals(DeploymentId.SYSTEM)) {
      parent = DeploymentId.SYSTEM;
    }
    if (id != null) {
      put(deployments, id, new Deployment(id, parent), at, "deployment");
    }
  }

  private void snapshot(Element at) {
    var deployment = parts.id(at, "deployment", DeploymentId::of);
    var number = number(at, "number");
    var state = SnapshotState.of(at.get("state", "").strip());
    if (deployment == null || number < 1 || state == null) {
      return;
    }
    var id = new SnapshotId(deployment, number);
    SortedMap<RoleId, Json.Obj> defaults = new TreeMap<>();
    for (var element : at.children("deployment-role")) {
      var role = parts.id(element, "role", RoleId::of);
      if (role != null) {
        var where = "snapshot " + id + ", role " + role;
        put(defaults, role, parts.data(element, where), element, "deployment role " + id);
      }
    }
    SortedMap<NodeRoleId, NodeRole> bound = new TreeMap<>();
    for (var element : at.children("noderole")) {
      var noderole = nodeRole(element, id);
      if (noderole != null) {
        put(bound, noderole.id(), noderole, element, "noderole in snapshot " + id + ":");
      }
    }
    put(snapshots, id, new Snapshot(id, state, defaults, bound), at, "snapshot");
  }

  private @Nullable NodeRole nodeRole(Element at, SnapshotId snapshot) {
    var id = nodeRoleId(at);
    var state = NodeRoleState.of(at.get("state", "").strip());
    var parents = new TreeSet<NodeRoleId>();
    for (var element : at.children("parent")) {
      var parent = nodeRoleId(element);
      if (parent != null) {
        parents.add(parent);
      }
    }
    if (id == null || state == null) {
      return null;
    }
    var where = "snapshot " + snapshot + ", noderole " + id;
    return new NodeRole(
        id,
        state,
        parents,
        parts.data(at.first("user"), where),
        parts.data(at.first("system"), where),
        parts.data(at.first("wall"), where),
        number(at, "run"),
        at.get("cause", ""));
  }

  private @Nullable NodeRoleId nodeRoleId(Element at) {
    var role = parts.id(at, "role", RoleId::of);
    var node = parts.id(at, "node", NodeName::of);
    return role == null || node == null ? null : new NodeRoleId(role, node);
  }

  private int number(Element at, String attribute) {
    var text = at.get(attribute, "0").strip();
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException _) {
      parts.fault(at, "<" + at.name() + "> has " + attribute + "=\"" + text + "\": too large");
      return 0;
    }
  }
}
