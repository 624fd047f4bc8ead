package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.model.Snapshot;
import org.systole.roles.view.LiveRoles;

/// Looks at what jigs are given: the data that the documents say since their run was written, laid over each other by a
/// reading of the rules of its own, beside the one that ships.
final class SimGiven {
  private static final String RETRIED = "retried";
  private static final String IN_ITS_PLACE = "lrm://";

  private final SimCluster cluster;
  private final Map<String, Set<String>> expected = new TreeMap<>(); // texts, by run

  SimGiven(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// A document that follows another one.
  void see(RolesDocument before, RolesDocument document) {
    var under = SimJigRuns.inTransition(document);
    var keys = new TreeSet<String>();
    under.forEach(it -> keys.add(SimJigRuns.key(it)));
    expected.keySet().retainAll(keys);
    for (var it : under) {
      var texts = expected.computeIfAbsent(SimJigRuns.key(it), _ -> new HashSet<>());
      note(it.id(), before, texts); // it was laid out before it was written
      note(it.id(), document, texts);
    }
  }

  private static void note(NodeRoleId id, RolesDocument in, Set<String> texts) {
    var live = new LiveRoles(in);
    if (live.get(id) != null) {
      texts.add(merged(id, live).toString());
    }
  }

  /// The program of a jig is started for a run.
  ///
  /// @param input a line of JSON, and more
  void given(String noderole, String run, String input) {
    var texts = expected.get(noderole + " " + run);
    if (texts == null || texts.isEmpty()) {
      return; // of an archived snapshot by now
    }
    var text = masked(input.lines().findFirst().orElse(""));
    if (!texts.contains(text)) {
      cluster.fail(
          SimCheck.GIVEN, "run %s of %s is given %s, and not %s".formatted(run, noderole, text, texts));
    }
  }

  /// As it was before the node's secrets were put in.
  private static String masked(String text) {
    try {
      return masked(JsonText.readObject(text)).toString();
    } catch (JsonFault e) {
      return text;
    }
  }

  private static Json masked(Json value) {
    return switch (value) {
      case Json.Obj(var entries) -> {
        var all = new TreeMap<>(entries);
        all.replaceAll((_, it) -> masked(it));
        yield new Json.Obj(all);
      }
      case Json.Text(var it) when it.equals(SimJigs.SECRET) -> new Json.Text(IN_ITS_PLACE);
      case Json it -> it;
    };
  }

  /// What the rules say that it is given.
  static Json.Obj merged(NodeRoleId id, LiveRoles live) {
    var self = live.get(id);
    var layers = new ArrayList<Json.Obj>();
    if (self == null) {
      return Json.Obj.EMPTY;
    }
    for (var other : live.all().values()) {
      if (other.id().node().equals(id.node()) && !other.id().equals(id) && other.state() == NodeRoleState.ACTIVE) {
        whole(other, layers);
      }
    }
    for (var distance : distances(self, live).reversed()) {
      ofDeployments(distance, live, layers);
      distance.forEach(it -> whole(it, layers));
    }
    ofDeployments(List.of(self), live, layers);
    layers.replaceAll(it -> withoutRetries(it, id));
    layers.add(self.system());
    layers.add(withoutRetries(self.user(), id));
    var all = new TreeMap<String, Json>();
    layers.forEach(it -> lay(it.entries(), all));
    return new Json.Obj(all);
  }

  private static void whole(NodeRole it, List<Json.Obj> layers) {
    layers.addAll(List.of(it.wall(), it.system(), it.user()));
  }

  /// What it rests on, by how far away it is, the nearest first.
  private static List<List<NodeRole>> distances(NodeRole self, LiveRoles live) {
    var far = new TreeMap<NodeRoleId, Integer>();
    far.put(self.id(), 0);
    for (var more = true; more; ) {
      more = false;
      for (var it : List.copyOf(far.keySet())) {
        var known = live.get(it);
        for (var parent : known == null ? List.<NodeRoleId>of() : List.copyOf(known.parents())) {
          var way = far.get(it) + 1;
          if (live.get(parent) != null && way < far.getOrDefault(parent, Integer.MAX_VALUE)) {
            far.put(parent, way);
            more = true;
          }
        }
      }
    }
    var all = new TreeMap<Integer, List<NodeRole>>();
    far.forEach(
        (id, way) -> {
          var it = live.get(id);
          if (it != null && way > 0) {
            all.computeIfAbsent(way, _ -> new ArrayList<>()).add(it);
          }
        });
    return List.copyOf(all.values());
  }

  /// The data of their roles in their deployments, outer ones first.
  private static void ofDeployments(List<NodeRole> those, LiveRoles live, List<Json.Obj> layers) {
    var byDepth = new TreeMap<String, Json.Obj>();
    for (var it : those) {
      var snapshot = live.snapshot(it.id());
      if (snapshot != null) {
        byDepth.put(
            "%04d %s %s".formatted(depth(snapshot, live), snapshot.id().deployment(), it.id().role()),
            snapshot.deploymentRoles().getOrDefault(it.id().role(), Json.Obj.EMPTY));
      }
    }
    layers.addAll(byDepth.values());
  }

  private static int depth(Snapshot snapshot, LiveRoles live) {
    return live.document().lineage(snapshot.id().deployment()).size();
  }

  /// Only an order of a person says how often a role was done anew.
  private static Json.Obj withoutRetries(Json.Obj data, NodeRoleId of) {
    var all = new TreeMap<>(data.entries());
    all.computeIfPresent(
        of.role().text(),
        (_, own) -> {
          if (!(own instanceof Json.Obj(var entries))) {
            return own;
          }
          var rest = new TreeMap<>(entries);
          rest.remove(RETRIED);
          return new Json.Obj(rest);
        });
    return new Json.Obj(all);
  }

  private static void lay(SortedMap<String, Json> over, SortedMap<String, Json> under) {
    over.forEach(
        (name, value) -> {
          if (value instanceof Json.Obj(var upper) && under.get(name) instanceof Json.Obj(var lower)) {
            var both = new TreeMap<>(lower);
            lay(upper, both);
            under.put(name, new Json.Obj(both));
          } else {
            under.put(name, value);
          }
        });
  }
}
