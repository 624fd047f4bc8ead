package org.systole.scheduler.explain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Score;
import org.systole.scheduler.explain.Explanation.Condition;
import org.systole.scheduler.explain.Explanation.Contribution;
import org.systole.scheduler.explain.Explanation.Decision;
import org.systole.scheduler.explain.Explanation.Place;
import org.systole.scheduler.constraints.FrozenHosts;
import org.systole.scheduler.constraints.JoinGate;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.InstanceIds;
import org.systole.scheduler.model.NoQuorumPolicy;
import org.systole.scheduler.model.Node;
import org.systole.scheduler.model.NodeFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.ScoreCause;
import org.systole.scheduler.model.WorkingSet;

/// Puts an explanation together from what was noted and from the state of nodes and resources.
final class Explainer {
  private final WorkingSet cluster;
  private final @Nullable Node asked;
  private final Sources sources;

  Explainer(WorkingSet cluster, @Nullable Node asked) {
    this.cluster = cluster;
    this.asked = asked;
    this.sources = new Sources(cluster);
  }

  Explanation explain(Resource resource) {
    var leaves = new ArrayList<Resource>();
    collect(resource, leaves);
    var decisions = new ArrayList<Decision>();
    concerned(leaves).forEach(leaf -> decisions.add(decide(leaf)));
    return new Explanation(resource.id(), asked == null ? null : asked.name(), decisions);
  }

  /// A node rather than a resource.
  Answer.OfNode explainNode(Node node) {
    var leaves = new ArrayList<Resource>();
    cluster.resources().forEach(each -> collect(each, leaves));
    var resources = new ArrayList<Answer.Presence>();
    for (var rsc : concerned(leaves)) {
      resources.add(presence(rsc, node));
    }
    return new Answer.OfNode(
        node.name(),
        available(node),
        obstacles(node, false),
        new Steps(cluster).of(node),
        resources);
  }

  private Answer.Presence presence(Resource rsc, Node node) {
    var here = rsc.assigned() != null && rsc.assigned().node() == node;
    var active = rsc.active().contains(node);
    if (here) {
      var conditions = conditions(rsc);
      return new Answer.Presence(
          rsc.id(), active ? "stays" : "comes", reason(rsc, node, conditions));
    }
    var change = place(rsc, node).change();
    return new Answer.Presence(
        rsc.id(),
        active ? "leaves" : "stays away",
        change.isEmpty() ? reason(rsc, null, conditions(rsc)) : change);
  }

  // For one node, of anonymous instances only those that have to do with it, else one without any.
  private List<Resource> concerned(List<Resource> leaves) {
    if (asked == null) {
      return leaves;
    }
    var instances = new LinkedHashMap<String, List<Resource>>();
    for (var leaf : leaves) {
      var key = leaf.is(ResourceFlag.UNIQUE) ? leaf.id() : InstanceIds.base(leaf.id());
      instances.computeIfAbsent(key, _ -> new ArrayList<>()).add(leaf);
    }
    var chosen = new ArrayList<Resource>();
    for (var group : instances.values()) {
      var here = group.stream().filter(this::isAtAsked).toList();
      var spare = group.stream().filter(it -> it.assigned() == null).findFirst();
      chosen.addAll(here.isEmpty() ? List.of(spare.orElse(group.getFirst())) : here);
    }
    return chosen;
  }

  private boolean isAtAsked(Resource rsc) {
    return rsc.active().contains(asked) || rsc.assigned() != null && rsc.assigned().node() == asked;
  }

  private static void collect(Resource resource, List<Resource> leaves) {
    if (resource.isPrimitive()) {
      leaves.add(resource);
    } else {
      resource.children().forEach(child -> collect(child, leaves));
    }
  }

  private Decision decide(Resource rsc) {
    var chosen = rsc.assigned() == null ? null : rsc.assigned().node();
    var conditions = conditions(rsc);
    var places = new ArrayList<Place>();
    for (var node : asked == null ? cluster.nodes() : List.of(asked)) {
      places.add(place(rsc, node));
    }
    return new Decision(
        rsc.id(),
        chosen == null ? null : chosen.name(),
        rsc.nextRole() == Role.UNKNOWN ? "Stopped" : rsc.nextRole().text(),
        reason(rsc, chosen, conditions),
        conditions,
        places,
        new Steps(cluster).of(rsc, asked));
  }

  private String reason(Resource rsc, @Nullable Node chosen, List<Condition> conditions) {
    if (chosen == null) {
      return conditions.isEmpty()
          ? "no node is both available and allowed"
          : conditions.getFirst().text();
    }
    if (!rsc.is(ResourceFlag.MANAGED)) {
      return "it is left where it is";
    }
    var own = score(rsc, chosen);
    var rivals = 0;
    var equals = 0;
    for (var node : cluster.nodes()) {
      var score = score(rsc, node);
      if (node != chosen && available(node) && score != null && score >= 0 && own != null) {
        rivals++;
        equals += score.equals(own) ? 1 : 0;
      }
    }
    if (rivals == 0) {
      return "it is the only node available and allowed";
    }
    if (equals == 0) {
      return "it has the highest score";
    }
    return rsc.active().contains(chosen)
        ? "of nodes with the same score it is active there, or that one has the least to run"
        : "of nodes with the same score that one has the least to run, or comes first by name";
  }

  private static @Nullable Integer score(Resource rsc, Node node) {
    var entry = rsc.allowed().get(node);
    return entry == null ? null : entry.score();
  }

  static boolean available(Node node) {
    return node.online()
        && !node.shutdown()
        && !node.unclean()
        && !node.is(NodeFlag.STANDBY)
        && !node.maintenance()
        && !node.is(NodeFlag.HOST_FROZEN);
  }

  private List<Condition> conditions(Resource rsc) {
    var found = new ArrayList<Condition>();
    if (cluster.is(ClusterFlag.STOP_ALL)) {
      found.add(
          new Condition(
              "option", sources.option("stop-all-resources"), "stop-all-resources is set"));
    }
    if (rsc.isDisabled()) {
      var role = rsc.meta().get("target-role");
      found.add(
          new Condition("target-role", sources.meta(rsc, "target-role"), "target-role is " + role));
    }
    var migrating = rsc.is(ResourceFlag.MIGRATING) && rsc.is(ResourceFlag.BLOCKED);
    if (!rsc.is(ResourceFlag.MANAGED) && frozen(rsc) == null && !migrating) {
      found.add(unmanaged(rsc));
    }
    var frozen = frozen(rsc);
    if (frozen != null) {
      found.add(host(frozen));
    } else if (migrating) {
      found.add(new Condition("migrating", List.of(), "it is being migrated: what comes next is decided when that has ended"));
    } else if (rsc.is(ResourceFlag.BLOCKED)) {
      found.add(
          new Condition(
              "blocked",
              List.of(),
              "it is blocked: a failure forbids any action until it is cleaned up"
                  + Sources.ONCE_MENDED
                  + sources.cleanup(rsc, "")));
    }
    if (!cluster.is(ClusterFlag.QUORATE)
        && rsc.is(ResourceFlag.NEEDS_QUORUM)
        && cluster.noQuorumPolicy() != NoQuorumPolicy.IGNORE) {
      found.add(
          new Condition("quorum", sources.option("no-quorum-policy"), "the cluster has no quorum"));
    }
    found.addAll(DueFencing.conditions(rsc, asked));
    return found;
  }

  private Condition unmanaged(Resource rsc) {
    if (cluster.is(ClusterFlag.IN_MAINTENANCE)) {
      return new Condition(
          "maintenance", sources.option("maintenance-mode"), "the cluster is in maintenance mode");
    }
    for (var node : rsc.active()) {
      if (node.maintenance()) {
        return new Condition(
            "maintenance",
            sources.attributes(node, "maintenance"::equals),
            node.name() + " is in maintenance mode");
      }

    }
    if (cluster.is(ClusterFlag.FENCING_ENABLED) && !cluster.is(ClusterFlag.HAVE_FENCING)) {
      return new Condition(
          "option",
          sources.option("stonith-enabled"),
          "fencing is enabled but no fence device is configured");
    }
    var ids = new ArrayList<>(sources.meta(rsc, "is-managed"));
    ids.addAll(sources.meta(rsc, "maintenance"));
    return new Condition("unmanaged", ids, "it is not managed");
  }

  /// A host that keeps a resource from being touched: it is there, or may be.
  private @Nullable Node frozen(Resource rsc) {
    var anywhere = rsc.is(ResourceFlag.BLOCKED) && rsc.active().isEmpty();
    for (var node : anywhere ? cluster.nodes() : rsc.active()) {
      if (node.is(NodeFlag.HOST_FROZEN) && !(anywhere && rsc.probed().contains(node))) {
        return node;
      }
    }
    return null;
  }

  /// What host HA says of a node.
  private Condition host(Node node) {
    var host = node.host();
    var words = "";
    if (host != null) {
      var since = host.since() == 0 ? "" : " since " + clock(host.since());
      words = ": %s%s%s".formatted(host.state(), since, host.why().isEmpty() ? "" : ": " + host.why());
    }
    return new Condition(
        "host-ha", List.of(), "host HA looks into %s%s".formatted(node.name(), words));
  }

  private String clock(long seconds) {
    return Instant.ofEpochSecond(seconds).atZone(cluster.zone()).toLocalTime().toString();
  }

  private Place place(Resource rsc, Node node) {
    var score = score(rsc, node);
    var chosen = rsc.assigned() != null && rsc.assigned().node() == node;
    var contributions = contributions(rsc, node);
    var obstacles = obstacles(node, score == null && contributions.isEmpty());
    return new Place(
        node.name(),
        chosen,
        score,
        contributions,
        obstacles,
        chosen ? "" : change(rsc, score, contributions, obstacles));
  }

  private List<Contribution> contributions(Resource rsc, Node node) {
    var found = new ArrayList<Contribution>();
    for (var cause : cluster.scoreCauses()) {
      if (cause.node() == node && (cause.resource() == rsc || banOfInstances(rsc, cause))) {
        var one = contribution(cause);
        if (Math.abs(one.score()) < Score.INFINITY || !found.contains(one)) {
          found.add(one);
        }
      }
    }
    var score = score(rsc, node);
    if (score != null && node.score() != 0 && countsNode(score, node, found)) {
      found.addFirst(
          contribution(
              new ScoreCause(rsc, node, node.score(), ScoreCause.Kind.NODE, "", null, false)));
    }
    return found;
  }

  // The node's own score is the base only of tables made after it became known.
  private static boolean countsNode(int score, Node node, List<Contribution> others) {
    var sum = 0L;
    for (var each : others) {
      sum += each.promotion() ? 0 : each.score();
    }
    return node.score() <= -Score.INFINITY
        ? score <= -Score.INFINITY && sum > -Score.INFINITY
        : sum != score;
  }

  // What forbids a node to a clone forbids it to its instances, which may not say so themselves.
  private static boolean banOfInstances(Resource rsc, ScoreCause cause) {
    return rsc.parent() != null
        && cause.resource() == rsc.parent()
        && rsc.parent().isClone()
        && cause.score() < 0;
  }

  private Contribution contribution(ScoreCause cause) {
    var rsc = cause.resource();
    var node = cause.node();
    var other = cause.other();
    var kind = cause.kind();
    var ids =
        switch (kind) {
          case LOCATION ->
              JoinGate.isSource(cause.source())
                  ? gateSources(cause.source(), node)
                  : isFrozen(cause)
                      ? sources.option("no-quorum-policy")
                      : sources.withId(cause.source());
          case COLOCATION, TICKET -> sources.withId(cause.source());
          // Of clones 1 is the default, whether configured or not.
          case STICKINESS ->
              cause.score() == 1 && rsc.top(false).isClone()
                  ? List.<String>of()
                  : sources.meta(rsc, "resource-stickiness");
          case FAILURES -> {
            var entry = sources.withId(cause.source());
            var failed = cluster.resource(cause.source());
            yield failed == null ? entry : sources.failCounts(node, failed);
          }
          case TARGET_ROLE -> sources.meta(rsc, "target-role");
          case UTILIZATION -> sources.utilization(rsc);
          // Minus one is the default, whether set or not.
          case PROMOTION ->
              cause.score() == -1 ? List.<String>of() : sources.promotionScores(node, rsc);
          case HEALTH -> healthSources(node);
          case MULTIPLE_ACTIVE -> sources.meta(rsc, "multiple-active");
          case UNMANAGED -> sources.meta(rsc, "is-managed");
          case SHUTDOWN_LOCK -> sources.option("shutdown-lock");
          case REMOVED, DISCOVERY, INSTANCE, CONTAINER, REMOTE, NODE -> List.<String>of();
        };
    var gate = kind == ScoreCause.Kind.LOCATION && JoinGate.isSource(cause.source());
    var health = kind == ScoreCause.Kind.LOCATION && ids.isEmpty() && !gate && !isFrozen(cause);
    return new Contribution(
        health ? "health" : gate ? "join-gate" : isFrozen(cause) ? "quorum" : kind.text(),
        cause.score(),
        health ? healthSources(node) : ids,
        cause.promotion(),
        text(cause, health, other),
        kind == ScoreCause.Kind.FAILURES ? sources.cleanup(rsc, cause.source()) : "");
  }

  private static boolean isFrozen(ScoreCause cause) {
    return cause.kind() == ScoreCause.Kind.LOCATION && cause.source().equals(FrozenHosts.SOURCE);
  }

  /// The option, and what the node's attributes say of the roles that it waits for.
  private List<String> gateSources(String source, Node node) {
    var waits = JoinGate.roles(source);
    var found = new ArrayList<>(sources.option(JoinGate.OPTION));
    found.addAll(
        sources.attributes(
            node,
            it ->
                it.startsWith(JoinGate.ATTRIBUTE)
                    && waits.contains(it.substring(JoinGate.ATTRIBUTE.length()))));
    return found;
  }

  private List<String> healthSources(Node node) {
    return sources.attributes(node, it -> it.startsWith("#health"));
  }

  private String text(ScoreCause cause, boolean health, @Nullable Resource other) {
    return switch (cause.kind()) {
      case LOCATION ->
          JoinGate.isSource(cause.source())
              ? JoinGate.reason(cause.source())
              : isFrozen(cause)
              ? FrozenHosts.SOURCE
              : health
              ? "health of the node, strategy " + cause.source()
              : "location constraint " + cause.source();
      case HEALTH -> "health of the node";
      case COLOCATION -> colocation(cause.source()) + (other == null ? "" : " with " + other.id());
      case STICKINESS -> "it is active there (resource-stickiness)";
      case FAILURES -> FailureText.of(cluster.cib(), cause, cluster.resource(cause.source()) != null);
      case MULTIPLE_ACTIVE -> "it is active on several nodes";
      case DISCOVERY -> "resource-discovery is exclusive to other nodes";
      case SHUTDOWN_LOCK -> "it is locked to a node that was shut down";
      case TICKET -> "ticket constraint " + cause.source() + ": the ticket is not held";
      case UTILIZATION -> "the node's capacity does not suffice";
      case INSTANCE -> cause.source();
      case PROMOTION -> cause.score() == -1 ? "it has no promotion score" : "promotion score";
      case UNMANAGED -> "it is active there and not managed";
      case REMOVED -> "it is no more in the configuration";
      case TARGET_ROLE -> "it is to be stopped";
      case CONTAINER -> "it runs only inside " + cause.source();
      case REMOTE -> "connections and fence devices do not run on remote nodes";
      case NODE -> "score of the node itself";
    };
  }

  private static String colocation(String id) {
    return switch (id) {
      case "#group-members" -> "member of the same group";
      case "#resource-with-container" -> "container";
      default -> id.startsWith("#") ? "implied colocation" : "colocation " + id;
    };
  }

  private List<Condition> obstacles(Node node, boolean unknown) {
    var found = new ArrayList<Condition>();
    if (!node.online()) {
      found.add(new Condition("node", List.of(), "the node is offline"));
    }
    if (node.unclean()) {
      found.add(new Condition("fencing", List.of(), "the node is unclean: it must be fenced"));
    }
    if (node.pending()) {
      found.add(new Condition("pending", List.of(), "the node has not joined the cluster yet"));
    } else if (node.is(NodeFlag.STANDBY)) {
      found.add(
          new Condition(
              "standby", sources.attributes(node, "standby"::equals), "the node is in standby"));
    }
    if (node.maintenance()) {
      found.add(
          new Condition(
              "maintenance",
              sources.attributes(node, "maintenance"::equals),
              "the node is in maintenance mode"));
    }
    if (node.is(NodeFlag.HOST_FROZEN) || node.is(NodeFlag.HOST_DOWN)) {
      found.add(host(node));
    }
    if (node.shutdown() && node.online()) {
      found.add(
          new Condition(
              "shutdown",
              sources.attributes(node, "shutdown"::equals),
              "the node is shutting down"));
    }
    if (unknown) {
      var symmetric = cluster.is(ClusterFlag.SYMMETRIC);
      found.add(
          new Condition(
              "symmetric-cluster",
              symmetric ? List.of() : sources.option("symmetric-cluster"),
              symmetric
                  ? "nodes of this kind run only what is put there on purpose"
                  : "symmetric-cluster is off and no constraint allows it there"));
    }
    return found;
  }

  private String change(
      Resource rsc,
      @Nullable Integer score,
      List<Contribution> contributions,
      List<Condition> obstacles) {
    var needed = new ArrayList<String>();
    obstacles.forEach(it -> needed.add(named(it.text(), it.sources())));
    var mends = new LinkedHashMap<String, List<String>>(); // one command may do for several
    for (var each : contributions) {
      if (each.score() <= -Score.INFINITY && !each.promotion()) {
        mends.computeIfAbsent(each.mend(), _ -> new ArrayList<>()).add(named(each.text(), each.sources()));
      }
    }
    mends.forEach(
        (mend, texts) ->
            needed.add(
                String.join("; ", texts.stream().distinct().toList()) + (mend.isEmpty() ? "" : Sources.ONCE_MENDED + mend)));
    var assigned = rsc.assigned() == null ? null : score(rsc, rsc.assigned().node());
    if (needed.isEmpty() && score != null) {
      if (score < 0) {
        needed.add("the score " + Score.format(score) + ", which must be at least 0");
      } else if (assigned != null && score < assigned) {
        needed.add(
            "the score " + Score.format(score) + ", which must be above " + Score.format(assigned));
      } else if (assigned != null) {
        needed.add("the score is the same as on the chosen node, any more of it would do");
      }
    }
    return String.join("; ", needed.stream().distinct().toList());
  }

  private static String named(String text, List<String> ids) {
    var rest = ids.stream().filter(id -> !text.contains(id)).toList();
    return rest.isEmpty() ? text : text + " [" + String.join(", ", rest) + "]";
  }
}
