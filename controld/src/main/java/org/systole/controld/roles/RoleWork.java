package org.systole.controld.roles;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.io.PeerMessage;
import org.systole.roles.data.Json;
import org.systole.roles.engine.RoleEngine;
import org.systole.roles.engine.RunEnd;
import org.systole.roles.engine.Start;
import org.systole.roles.live.ClusterRoles;
import org.systole.roles.live.DcWork;
import org.systole.roles.live.SeenRoles;
import org.systole.roles.model.Fqdn;
import org.systole.roles.model.NodeRole;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.NodeRoleState;
import org.systole.roles.model.Role;
import org.systole.roles.model.RoleFlag;
import org.systole.roles.model.RoleId;
import org.systole.roles.model.RoleNode;
import org.systole.roles.view.LiveRoles;
import org.systole.roles.view.Visible;

/// What there is to do for the roles as they are now: a function of the document and the members.
final class RoleWork {
  /// What names of the attributes begin with that tell the states of a node's roles.
  static final String ATTRIBUTE = "#role-";

  private static final String NOOP = "noop";
  private static final int PARTS_MAX = 4_000; // of one request

  private final ClusterRoles roles;
  private final RoleEngine engine; // stands on them
  private final LiveRoles live;
  private final RoleDirector.Host host;
  private final SortedSet<NodeName> joined = new TreeSet<>();

  /// @param seen the roles as they are now
  RoleWork(SeenRoles.Seen seen, RoleDirector.Host host) {
    this.roles = seen.roles();
    this.engine = seen.engine();
    this.live = new LiveRoles(roles.document());
    this.host = host;
    engine.gate(RoleId.known(host.gate()));
    host.joined().forEach(it -> joined.add(host.nodeName(it)));
  }

  SortedMap<NodeRoleId, NodeRole> live() {
    return live.all();
  }

  /// Whether the document knows of the node's present stay.
  private boolean isSettled(NodeName node) {
    var known = roles.document().nodes().get(node);
    return known != null
        && known.alive()
        && Long.valueOf(host.stay(node)).equals(roles.stays().get(node));
  }

  /// What the document does not know of members yet.
  List<Element> members() {
    var parts = new ArrayList<Element>();
    for (var node : joined) {
      if (!isSettled(node) && mayHaveRoles(node)) {
        parts.add(DcWork.member(node, host.stay(node)));
      }
    }
    for (var node : roles.document().nodes().values()) {
      var id = host.nodeId(node.name());
      if (node.alive() && (id == null || !host.isMember(id))) {
        parts.add(DcWork.lost(node.name()));
      }
    }
    return parts;
  }

  /// A name that does not fit the document's domain would be refused again and again.
  private boolean mayHaveRoles(NodeName node) {
    return Fqdn.fault(node.text(), roles.document().domain()).isEmpty();
  }

  /// The runs that are under way, also of snapshots that were archived meanwhile.
  SortedSet<RunKey> running() {
    var running = new TreeSet<RunKey>();
    for (var snapshot : roles.document().snapshots().values()) {
      for (var noderole : snapshot.nodeRoles().values()) {
        if (noderole.state() == NodeRoleState.TRANSITION) {
          running.add(new RunKey(noderole.id(), noderole.run()));
        }
      }
    }
    return running;
  }

  /// The runs under way of what is bound no more. Of one that may run only once nobody knew what it had done,
  /// so that goes on.
  SortedSet<RunKey> unwanted() {
    var unwanted = new TreeSet<RunKey>();
    for (var key : running()) {
      if (live.get(key.id()) == null && mayEnd(key)) {
        unwanted.add(key);
      }
    }
    return unwanted;
  }

  /// Whether a run is one of a committed snapshot.
  boolean isLive(RunKey key) {
    var noderole = live.get(key.id());
    return noderole != null
        && noderole.state() == NodeRoleState.TRANSITION
        && noderole.run() == key.run();
  }

  /// The last run of each noderole.
  SortedSet<RunKey> bound() {
    var bound = new TreeSet<RunKey>();
    live.all().values().forEach(it -> bound.add(new RunKey(it.id(), it.run())));
    return bound;
  }

  /// Whether a run may be ended before it ends by itself.
  boolean mayEnd(RunKey key) {
    var role = roles.document().roles().get(key.id().role());
    return role != null && !role.is(RoleFlag.DESTRUCTIVE);
  }

  /// What there is to begin.
  ///
  /// @param parts what is asked of the document
  /// @param runs those among it whose jigs are to be ordered then
  record Beginning(List<Element> parts, Set<RunKey> runs) {}

  /// What is due on nodes that are there and not left alone. What has no work on a node, as `noop` has not,
  /// ends by the same request, and what is due by that begins with it, too: else each would cost a
  /// round through the whole document.
  Beginning beginning() {
    var parts = new ArrayList<Element>();
    var runs = new HashSet<RunKey>();
    var due = mayBegin(engine.plan());
    while (!due.isEmpty() && parts.size() < PARTS_MAX) {
      var quick = due.stream().anyMatch(this::hasNoWork);
      for (var start : due) {
        begin(start, parts, runs);
      }
      due = quick ? mayBegin(engine.plan()) : List.of();
    }
    return new Beginning(parts, runs);
  }

  private List<Start> mayBegin(List<Start> due) {
    return due.stream()
        .filter(it -> isSettled(it.id().node()) && joined.contains(it.id().node()))
        .filter(it -> !host.isLeftAlone(it.id().node()))
        .toList();
  }

  private boolean hasNoWork(Start start) {
    var role = roles.document().roles().get(start.id().role());
    return start.kind() != Start.Kind.RUN || role != null && role.jig().text().equals(NOOP);
  }

  private void begin(Start start, List<Element> parts, Set<RunKey> runs) {
    parts.add(DcWork.begin(start));
    engine.begin(start);
    if (start.kind() != Start.Kind.RUN) {
      return;
    }
    if (!hasNoWork(start)) {
      runs.add(new RunKey(start.id(), start.run()));
      return;
    }
    var end = new RunEnd(start.id(), start.run(), new RunEnd.Succeeded(Json.Obj.EMPTY, ""));
    parts.add(DcWork.ended(end));
    engine.end(end);
  }

  /// The order to run a jig.
  PeerMessage order(RunKey key, long epoch) {
    var role = roles.document().roles().get(key.id().role());
    var given = new Visible(live).of(key.id()).merged();
    return new PeerMessage.RunJig(
        epoch,
        key.id().toString(),
        key.run(),
        role == null ? "" : role.jig().text(),
        key.id().role().text(),
        role == null ? 1 : role.timeoutMillis(),
        given.toString(),
        role != null && role.is(RoleFlag.DESTRUCTIVE),
        onceBegun(key.id().node()));
  }

  /// The roles that were begun on a node and may run only once by now.
  private List<String> onceBegun(NodeName node) {
    var known = roles.document().nodes().get(node);
    return known == null
        ? List.of()
        : known.once().keySet().stream()
            .filter(it -> !(roles.document().roles().get(it) instanceof Role role) || role.is(RoleFlag.DESTRUCTIVE))
            .map(RoleId::text)
            .toList();
  }

  /// The nodes that are there, by this DC and by the document, and are not left alone.
  private Set<NodeName> open() {
    return joined.stream()
        .filter(this::isSettled)
        .filter(it -> roles.document().nodes().get(it) instanceof RoleNode node && node.available())
        .filter(it -> !host.isLeftAlone(it))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// What is to be looked at again: what is active or in error on nodes that are there and not left alone.
  ///
  /// @param send sends the order for a check, or for its end
  SortedMap<RunKey, RoleChecks.Due> checks(BiConsumer<RunKey, PeerMessage> send) {
    var all = new TreeMap<RunKey, RoleChecks.Due>();
    var busy = running().stream().map(it -> it.id().node()).collect(Collectors.toSet());
    var open = open();
    for (var noderole : live.all().values()) {
      var role = roles.document().roles().get(noderole.id().role());
      var well = noderole.state() == NodeRoleState.ACTIVE;
      if (role == null
          || role.check().isNone()
          || role.jig().text().equals(NOOP)
          || !roles.document().jigs().getOrDefault(role.jig(), false)
          || !well && noderole.state() != NodeRoleState.ERROR
          || !open.contains(noderole.id().node())) {
        continue;
      }
      var key = new RunKey(noderole.id(), noderole.run());
      all.put(
          key,
          new RoleChecks.Due(
              key,
              well,
              busy.contains(noderole.id().node()),
              role.check().intervalMillis(),
              role.timeoutMillis(),
              () -> send.accept(key, checkOrder(key, role)),
              () -> endCheck(key, send)));
    }
    return all;
  }

  /// One after a run that may happen only once is left to its time limit: builds before that kept such runs
  /// might end the run instead, where it goes on although nobody thinks so.
  private void endCheck(RunKey key, BiConsumer<RunKey, PeerMessage> send) {
    if (host.knowsEnding() && mayEnd(key)) {
      send.accept(key, new PeerMessage.EndJig(host.epoch(), key.id().toString(), key.run()));
    }
  }

  private PeerMessage checkOrder(RunKey key, Role role) {
    return new PeerMessage.CheckJig(
        host.epoch(),
        key.id().toString(),
        key.run(),
        role.jig().text(),
        key.id().role().text(),
        role.timeoutMillis(),
        new Visible(live).of(key.id()).merged().toString());
  }

  /// The attributes of each node that has joined: the states of its roles. While the document does not
  /// know of a node's present stay it has none.
  SortedMap<NodeName, SortedMap<String, String>> attributes() {
    var all = new TreeMap<NodeName, SortedMap<String, String>>();
    joined.forEach(it -> all.put(it, new TreeMap<>()));
    for (var noderole : live.all().values()) {
      var of = all.get(noderole.id().node());
      if (of != null && isSettled(noderole.id().node())) {
        of.put(ATTRIBUTE + noderole.id().role(), noderole.state().word());
      }
    }
    return all;
  }
}
