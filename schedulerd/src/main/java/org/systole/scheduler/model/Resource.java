package org.systole.scheduler.model;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.common.xml.Element;

/// A resource of the cluster: configured, implied by a bundle, an instance of a clone, or known
/// only from the operation history.
public abstract sealed class Resource extends ResourceState
    permits Primitive, Group, Clone, Bundle {

  private final Map<String, KeyedActions> actionsByKey = new HashMap<>();

  private final Map<String, String> keys = new HashMap<>();
  private String keysOf = "";

  Resource(WorkingSet cluster, String id, Element xml, Element originalXml) {
    super(cluster, id, xml, originalXml);
  }

  @WrittenBy("operations")
  public final void addAction(Action action) {
    cluster().actionChanges++;
    actions().add(action);
    actionsByKey.computeIfAbsent(fold(action.key()), key -> new KeyedActions()).add(action);
  }

  /// Its actions with a key, in any case of letters, in the order they were created.
  public final List<Action> actionsWithKey(String key) {
    var found = actionsByKey.get(fold(key));
    return found == null ? List.of() : found.all();
  }

  /// Those of its actions with a key that are on a node or could be, as they have none yet.
  public final List<Action> actionsWithKey(String key, Node node) {
    var found = actionsByKey.get(fold(key));
    return found == null ? List.of() : found.fitting(node);
  }

  /// The key of its one-time operation of a task, the same string each time.
  public final String key(String task) {
    if (!keysOf.equals(id())) {
      keys.clear();
      keysOf = id();
    }
    return keys.computeIfAbsent(task, name -> Action.key(id(), name, 0));
  }

  private static String fold(String key) {
    return key.toLowerCase(Locale.ROOT);
  }

  public final boolean is(ResourceFlag flag) {
    return flags().contains(flag);
  }

  @WrittenBy({"actions", "assignment", "constraints", "operations", "orderings", "unpack"})
  public final void set(ResourceFlag flag) {
    flags().add(flag);
  }

  @WrittenBy({"actions", "assignment", "constraints", "operations", "orderings", "unpack"})
  public final void clear(ResourceFlag flag) {
    flags().remove(flag);
  }

  /// Sets a flag here and in all descendants.
  @WrittenBy("unpack")
  public final void setAll(ResourceFlag flag) {
    flags().add(flag);
    for (var child : children()) {
      child.setAll(flag);
    }
  }

  /// Clears a flag here and in all descendants.
  @WrittenBy({"actions", "assignment", "constraints", "operations", "orderings", "unpack"})
  public final void clearAll(ResourceFlag flag) {
    flags().remove(flag);
    for (var child : children()) {
      child.clearAll(flag);
    }
  }

  /// The id in the configuration, without an instance number.
  public final String configId() {
    var configured = xml().id();
    return configured != null ? configured : id();
  }

  /// The id by which people know it: without the number for an anonymous instance.
  public final String printableId() {
    return is(ResourceFlag.UNIQUE) ? id() : configId();
  }

  public final boolean isPrimitive() {
    return this instanceof Primitive;
  }

  public final boolean isGroup() {
    return this instanceof Group;
  }

  public final boolean isClone() {
    return this instanceof Clone;
  }

  public final boolean isBundle() {
    return this instanceof Bundle;
  }

  /// A bundle, or somewhere inside one.
  public final boolean isBundled() {
    return top(true) instanceof Bundle;
  }

  /// The outermost ancestor; without `includeBundle` a bundle is not entered from below.
  public final Resource top(boolean includeBundle) {
    var top = this;
    while (top.parent() != null && (includeBundle || !(top.parent() instanceof Bundle))) {
      top = top.parent();
    }
    return top;
  }

  public final boolean isAncestorOf(Resource other) {
    for (var up = other.parent(); up != null; up = up.parent()) {
      if (up == this) {
        return true;
      }
    }
    return false;
  }

  /// The agent's standard, such as `ocf`; empty if it has none.
  public final String standard() {
    return xml().get("class", "");
  }

  /// Its instance attributes, as rules make them for that node (null for none in particular).
  public final Map<String, String> parameters(@Nullable Node node) {
    var name = node == null ? "" : node.name();
    var cached = parameterCache().get(name);
    if (cached == null) {
      cached = new LinkedHashMap<>();
      var context = cluster().ruleContext();
      if (node != null) {
        context = context.withNodeAttributes(node.attributes());
      }
      for (@Nullable Resource from = this; from != null; from = from.parent()) {
        cluster().readBlocks(from.xml(), "instance_attributes", context, cached, null);
      }
      parameterCache().put(name, cached);
    }
    return cached;
  }

  /// Adds to the score for a node, of this resource and of all inside it.
  public final void prefer(Node node, int points) {
    for (var child : children()) {
      child.prefer(node, points);
    }
    var entry = allowed().get(node);
    if (entry == null) {
      entry = ScoredNode.of(node);
      allowed().put(entry);
    }
    entry.setScore(Score.add(entry.score(), points));
  }

  /// Adds to the score for every node.
  public final void preferEverywhere(int points) {
    for (var node : cluster().nodes()) {
      prefer(node, points);
    }
    if (points <= -Score.INFINITY) {
      setAssigned(null);
    }
  }

  /// Makes it allowed on every node by default, except where it is to be looked for only on
  /// purpose.
  public final void allowEverywhere() {
    for (var node : cluster().nodes()) {
      allowByDefault(node);
    }
  }

  private void allowByDefault(Node node) {
    if (is(ResourceFlag.EXCLUSIVE_PROBES) || node.probeMode() == ProbeMode.NEVER) {
      return;
    }
    for (var child : children()) {
      child.allowByDefault(node);
    }
    if (!allowed().contains(node)) {
      allowed().put(ScoredNode.of(node));
    }
  }

  /// Forbids all nodes of the cluster, whatever was allowed before.
  public final void banEverywhere() {
    setAllowed(new NodeTable());
    for (var node : cluster().nodes()) {
      var entry = ScoredNode.of(node);
      entry.setScore(-Score.INFINITY);
      allowed().put(entry);
    }
  }

  /// The configured target role where it restricts anything, else null.
  public final @Nullable Role targetRole() {
    var value = meta().get("target-role");
    if (value == null || value.equalsIgnoreCase("Started")) {
      return null;
    }
    if (value.equalsIgnoreCase("default")) {
      cluster()
          .configWarning(
              "Support for setting target-role to the explicit value 'default' is deprecated and"
                  + " will be removed in a future release (just leave it unset)");
      return null;
    }
    var target = Role.parse(value);
    if (target == Role.UNKNOWN) {
      cluster()
          .configError(
              "get_target_role",
              "Ignoring 'target-role' for " + id() + " because '" + value + "' is not valid");
      return null;
    }
    if (target.above(Role.STARTED) && !top(false).is(ResourceFlag.PROMOTABLE)) {
      cluster()
          .configError(
              "get_target_role",
              "Ignoring 'target-role' for "
                  + id()
                  + " because '"
                  + value
                  + "' only makes sense for promotable clones");
      return null;
    }
    return target == Role.PROMOTED ? null : target;
  }

  /// How [#find] compares ids.
  public enum Match {
    /// The id in the history counts, too.
    HISTORY,
    /// Only clone instances count, and the id without their number does.
    CLONE_ONLY,
    /// Only where it is active on the node asked for, instead of assigned.
    CURRENT_NODE,
    /// The id without an instance number counts.
    BASE_NAME,
    /// The id without an instance number counts for anonymous instances.
    ANONYMOUS_BASE_NAME
  }

  /// This resource or the first one inside it with that id; null if there is none.
  public final @Nullable Resource find(String wanted, Match... how) {
    return find(
        wanted, null, how.length == 0 ? EnumSet.noneOf(Match.class) : EnumSet.of(how[0], how));
  }

  /// This resource or the first one inside it with that id, on that node if one is given.
  public final @Nullable Resource find(String wanted, @Nullable Node node, EnumSet<Match> how) {
    if (matches(wanted, how) && (node == null || isOn(node, how.contains(Match.CURRENT_NODE)))) {
      return this;
    }
    for (var child : children()) {
      var found = child.find(wanted, node, how);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private boolean matches(String wanted, EnumSet<Match> how) {
    if (how.contains(Match.CLONE_ONLY)) {
      return top(false) instanceof Clone && (wanted.equals(id()) || wanted.equals(xml().id()));
    }
    return wanted.equals(id())
        || how.contains(Match.HISTORY) && wanted.equals(historyId())
        || (how.contains(Match.BASE_NAME)
                || how.contains(Match.ANONYMOUS_BASE_NAME) && !is(ResourceFlag.UNIQUE))
            && wanted.equals(InstanceIds.base(id()));
  }

  private boolean isOn(Node node, boolean current) {
    if (current) {
      return active().contains(node);
    }
    return assigned() != null && assigned().node() == node;
  }

  /// Whether the configuration asks for it not to run (or, promotable, not to be promoted).
  public final boolean isDisabled() {
    var target = Role.parse(meta().get("target-role"));
    return target == Role.STOPPED
        || target == Role.UNPROMOTED && top(false).is(ResourceFlag.PROMOTABLE);
  }

  /// Whether it is active anywhere, or with `all` whether all its members are.
  public abstract boolean isActive(boolean all);

  /// Its role now, or with `current` false the one planned; of a collective, the highest.
  public Role role(boolean current) {
    var highest = Role.UNKNOWN;
    for (var child : children()) {
      var role = child.role(current);
      if (role.above(highest)) {
        highest = role;
      }
    }
    return highest;
  }

  /// How many instances may run on one node.
  public abstract int maxPerNode();

  /// A node where it is active and how many such nodes there are.
  ///
  /// @param node the migration source of a partial migration, else a clean node if that is enough
  ///     for recovery, else the first; null if there is none
  public record ActiveNode(@Nullable Node node, int all, int clean) {}

  /// The node where it is active, and the counts of such nodes.
  public ActiveNode activeNode() {
    return ActiveNodes.among(this, active());
  }

  /// The node where it is active, null if there is none.
  public final @Nullable Node currentNode() {
    return activeNode().node;
  }

  /// How many nodes it is active on, as far as that matters: all if it needs fencing, else clean
  /// ones.
  public final int activeCountForRequires() {
    var found = activeNode();
    return is(ResourceFlag.NEEDS_FENCING) ? found.all : found.clean;
  }

  /// Which nodes [#nodes] means.
  public enum Where {
    ASSIGNED,
    CURRENT,
    PENDING
  }

  /// Where it, or any of its children, is; each node once, in order.
  public final List<Node> nodes(Where first, Where... more) {
    var found = new ArrayList<Node>();
    collectNodes(EnumSet.of(first, more), found);
    return found;
  }

  private void collectNodes(EnumSet<Where> where, List<Node> found) {
    if (!children().isEmpty()) {
      for (var child : children()) {
        child.collectNodes(where, found);
      }
      return;
    }
    if (where.contains(Where.CURRENT)) {
      active().forEach(node -> addOnce(found, node));
    }
    if (where.contains(Where.PENDING) && pendingNode() != null) {
      addOnce(found, pendingNode());
    }
    if (where.contains(Where.ASSIGNED) && assigned() != null) {
      addOnce(found, assigned().node());
    }
  }

  private static void addOnce(List<Node> list, Node node) {
    if (!list.contains(node)) {
      list.add(node);
    }
  }

  /// Counts instances, disabled and blocked ones into the cluster's totals.
  public void count() {
    if (!children().isEmpty()) {
      children().forEach(Resource::count);
      return;
    }
    if (!is(ResourceFlag.REMOVED) || role().above(Role.STOPPED)) {
      cluster().setInstanceCount(cluster().instanceCount() + 1);
      if (isDisabled()) {
        cluster().setDisabledCount(cluster().disabledCount() + 1);
      }
      if (is(ResourceFlag.BLOCKED)) {
        cluster().setBlockedCount(cluster().blockedCount() + 1);
      }
    }
  }

  @Override
  public String toString() {
    return id();
  }
}
