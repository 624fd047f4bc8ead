package org.systole.attrd;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.cibd.client.CibReplica;
import org.systole.common.alerts.Alerts;
import org.systole.common.cib.CibSections;
import org.systole.common.cluster.Group;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.RpcClient;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// The attribute manager of one node. It serves clients, applies what arrives in the cluster's
/// order, and writes to the CIB while it is the writer. Lives on the daemon's loop.
final class Attrd
    implements RpcServer.Handler<AttrMessage.Request, AttrMessage.Reply, NoEvent>,
        Group.Listener {
  private static final String GROUP = "attr";
  private static final Element NO_CIB = CibSections.emptyCib(0, CibSections.SCHEMA);

  private final World world;
  private final Group group;
  private final AttrPeers peers;
  private final AttrLog log;
  private final AttributeTable table;
  private final Meanwhile meanwhile = new Meanwhile();
  private final AttrConfirmations confirmations;
  private final AttrWriter writer;
  private final Alerts alerts;
  private final CibClient cib;
  private final CibReplica replica;
  private final AttrOutbox outbox;
  private final AttrQueries queries;
  private final AttrUpdateRequests updates;

  Attrd(World world, Map<String, String> environment) {
    this.world = world;
    this.group = Group.of(world, environment, GROUP, this);
    this.cib = new CibClient(world, "attrd", new FromCib());
    this.log = new AttrLog(world, this::cibIdOf);
    this.table = new AttributeTable(log);
    this.peers = new AttrPeers(table);
    this.alerts = new Alerts(world, environment);
    this.confirmations = new AttrConfirmations(world);
    this.outbox = new AttrOutbox(world, this::broadcast, this::localized);
    this.queries = new AttrQueries(world, peers, this::answer);
    this.writer = new AttrWriter(world, cib, table, peers::cibIdOf, alerts, group.isAlone());
    this.replica = new CibReplica(world, (before, after, patch) -> cibChanged(before, after));
    this.updates =
        new AttrUpdateRequests(
            new AttrUpdateRequests.Surroundings() {
              @Override
              public @Nullable NodeName named(@Nullable NodeName node) {
                return Attrd.this.named(node);
              }

              @Override
              public boolean isWriter() {
                return writer.isActive();
              }

              @Override
              public boolean speaks(int level) {
                return group.speaks(level);
              }

              @Override
              public @Nullable Element cib() {
                return knownCib();
              }
            },
            table,
            outbox,
            confirmations,
            log);
  }

  private @Nullable CibNodeId cibIdOf(NodeName name) {
    return peers.cibIdOf(name);
  }

  /// The CIB as it is now, null as long as it is not known. Who stands alone has one without access control lists.
  private @Nullable Element knownCib() {
    return group.isAlone() ? NO_CIB : replica.cib();
  }

  void start() {
    group.open();
    if (!group.isAlone()) {
      cib.open();
      replica.openPatiently();
    }
    RpcServer.serve(world, AttrMessage.SOCKET, World.Access.GROUP, AttrMessage.PROTOCOL, this);
  }

  // --- clients

  @Override
  public AttrMessage.Reply denied(AttrMessage.Request request, String why) {
    return new AttrMessage.Done(AttrMessage.Outcome.DENIED, why);
  }

  @Override
  public AttrMessage.Reply tooLong(AttrMessage.Request request, String why) {
    return AttrUpdateRequests.refused(why);
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<AttrMessage.Reply> call,
      AttrMessage.Request asked) {
    var elsewhere = session.peer().node();
    var request = elsewhere == null ? asked : Updates.from(elsewhere, asked);
    if (!AttrRights.allows(call.peer(), knownCib(), changedBy(request))) {
      call.reply(
          denied(
              request,
              "the access control lists do not let user %s do this".formatted(call.peer().who())));
      return;
    }
    switch (request) {
      case AttrMessage.Query it -> {
        queries.ask(call, it);
        log.processed("query", AttrUpdateRequests.client(call));
      }
      case AttrMessage.Update it -> updates.take(call, it);
      case AttrMessage.ClearFailures it -> {
        pass(call, new AttrPeerMessage.Clear(it));
        log.processed("clear-failure", AttrUpdateRequests.client(call));
      }
      case AttrMessage.RemoveNode(var node, var remote) -> {
        world.log().info("Client %s is requesting all values for %s be removed".formatted(call.peer().who(), node));
        pass(call, new AttrPeerMessage.Remove(node, remote));
        log.processed("peer-remove", AttrUpdateRequests.client(call));
      }
      case AttrMessage.Refresh() -> {
        pass(call, new AttrPeerMessage.Refresh());
        log.processed("refresh", AttrUpdateRequests.client(call));
      }
    }
  }

  private String peer(NodeId id) {
    return "peer " + peers.nameOf(id);
  }

  /// The values that a request may change.
  private List<AttrRights.Place> changedBy(AttrMessage.Request request) {
    return switch (request) {
      case AttrMessage.Update it when it.pattern().isEmpty() -> {
        var known = table.get(it.name());
        var attribute = known == null ? new Attribute(it.name(), it.kind(), 0) : known;
        yield placed(List.of(attribute), it.node());
      }
      case AttrMessage.Update it -> placed(attributes(it.pattern()), it.node());
      case AttrMessage.ClearFailures it -> {
        var found = attributes(Patterns.failures(it));
        yield it.node() != null
            ? placed(found, it.node())
            : found.stream()
                .flatMap(one -> one.values().keySet().stream().map(node -> place(one, node)))
                .toList();
      }
      case AttrMessage.Query _, AttrMessage.RemoveNode _, AttrMessage.Refresh _ -> List.of();
    };
  }

  private List<Attribute> attributes(String pattern) {
    return table.matching(pattern).stream().map(table::get).filter(Objects::nonNull).toList();
  }

  /// Empty if no node is named while this node does not know its own name: then nothing is changed.
  private List<AttrRights.Place> placed(List<Attribute> attributes, @Nullable NodeName node) {
    var name = named(node);
    return name == null ? List.of() : attributes.stream().map(it -> place(it, name)).toList();
  }

  private AttrRights.Place place(Attribute attribute, NodeName node) {
    var nodeId = peers.cibIdOf(node);
    return new AttrRights.Place(nodeId == null ? CibNodeId.ofRemote(node) : nodeId, node, attribute);
  }

  /// The node of a request, which is this one if none is named; null if it does not know its name
  /// yet.
  private @Nullable NodeName named(@Nullable NodeName node) {
    return node == null || node.equalsIgnoreCase(Updates.LOCALHOST) ? peers.localName() : node;
  }

  @Override
  public void closed(RpcServer.Session<NoEvent> session) {
    confirmations.forget(session);
    queries.forget(session);
  }

  private AttrMessage.Reply answer(
      RpcServer.Call<AttrMessage.Reply> call, String name, @Nullable NodeName node) {
    var attribute = table.get(name);
    if (attribute == null) {
      return new AttrMessage.Values(false, List.of());
    }
    var known = node == null ? null : named(node);
    var nodes =
        node == null ? attribute.values().keySet() : Set.of(known == null ? node : known);
    var places = nodes.stream().map(it -> place(attribute, it)).toList();
    var seen = AttrRights.readable(call.peer(), knownCib(), places);
    return new AttrMessage.Values(
        places.isEmpty() || !seen.isEmpty(),
        seen.stream()
            .map(it -> new AttrMessage.NodeValue(it.node(), attribute.valueOf(it.node())))
            .toList());
  }

  private void pass(RpcServer.Call<AttrMessage.Reply> call, AttrPeerMessage message) {
    call.reply(AttrUpdateRequests.taken(outbox.put(message)));
  }

  // --- cluster

  private void broadcast(AttrPeerMessage message) {
    group.broadcast(AttrPeerMessage.PROTOCOL.encode(0, message));
  }

  /// An update that names no node is for this one.
  private AttrMessage.Update localized(AttrMessage.Update it) {
    var node = named(it.node());
    return node == null || node.equals(it.node()) ? it : Updates.forNode(it, node);
  }

  @Override
  public void joined(LinkMessage.Joined welcome) {
    world.log().info("Cluster connection active");
    peers.joined(welcome);
    outbox.joined();
  }

  @Override
  public void configured(List<LinkMessage.ConfiguredNode> nodes) {
    peers.configured(nodes);
  }

  @Override
  public void lost(String why) {
    world.log().warning("Lost the cluster: " + why);
    peers.lost();
    meanwhile.present(List.of());
    outbox.lost();
    writer.turn(false, List.of());
    log.writer(null, false);
    confirmations.failAll("the cluster is lost: " + why);
  }

  @Override
  public void membership(Membership membership) {
    writer.quorum(membership.quorate());
    for (var node : peers.membership(membership)) {
      meanwhile.gone(node);
      if (!node.equals(peers.localName())) {
        log.lost(node);
        table.forgetMember(node, Set.of());
        if (writer.isActive()) {
          writer.rewrite(node);
        }
      }
    }
    meet(peers.present()); // a peer that left and came back at once shows in the membership alone
  }

  @Override
  public void group(List<NodeId> nodeIds) {
    meet(nodeIds);
  }

  private void meet(Collection<NodeId> nodeIds) {
    var news = peers.group(nodeIds);
    confirmations.present(peers.present());
    var names = peers.present().stream().map(peers::nameOf).toList();
    meanwhile.present(names);
    if (news) {
      meanwhile.speak(names);
      broadcast(peers.introduction());
    }
    takeTurns();
  }

  private void takeTurns() {
    var known = knownCib();
    if (peers.mustRecall() && known != null) {
      log.from("the CIB");
      peers
          .memberNames()
          .forEach((id, name) -> table.takeMissing(new StatusXml(CibNodeId.of(id), name).read(known)));
      sayWhatIsLeftOut("the CIB has");
      peers.recalled();
    }
    log.writer(peers.writer(), peers.isWriter());
    writer.turn(peers.isWriter(), peers.writerMustClean());
    queries.look();
  }

  @Override
  public void message(NodeId fromId, boolean broadcast, byte[] payload) {
    AttrPeerMessage message;
    try {
      message = AttrPeerMessage.PROTOCOL.decode(payload).body();
    } catch (Protocol.ProtocolException e) {
      world.log().warning("Ignoring a message of node " + fromId + ": " + e.getMessage());
      return;
    }
    log.from(peers.nameOf(fromId).text());
    switch (message) {
      case AttrPeerMessage.Batch(var number, var updates) -> {
        for (var it : updates) {
          applied(fromId, it);
          log.processed(AttrUpdateRequests.task(it.update()), peer(fromId));
        }
        if (peers.isLocal(fromId)) {
          outbox.arrived(number);
        }
      }
      case AttrPeerMessage.Clear(var failures) -> {
        for (var it : table.clear(failures)) {
          changed(it.name());
          meanwhile.changed(it);
        }
        log.processed("clear-failure", peer(fromId));
      }
      case AttrPeerMessage.Remove(var node, _) -> {
        log.removing(node);
        table.forget(node).forEach(it -> meanwhile.changed(Meanwhile.Key.of(it, node)));
        if (writer.isActive()) {
          writer.rewrite(node);
        }
        log.processed("peer-remove", peer(fromId));
      }
      case AttrPeerMessage.Refresh() -> {
        world.log().info("Updating all attributes");
        writer.writeAll();
      }
      case AttrPeerMessage.Tell it -> {
        told(fromId, it);
        log.processed("sync-response", peer(fromId));
      }
      case AttrPeerMessage.Confirm(var request) -> {
        confirmed(request, fromId);
        log.processed("confirm", peer(fromId));
      }
    }
  }

  private void applied(NodeId fromId, AttrPeerMessage.Apply it) {
    table.delay(it.update()).forEach(writer::delayChanged);
    for (var name : table.apply(it.update(), group::speaks)) {
      changed(name);
      if (it.update().node() != null) {
        meanwhile.changed(Meanwhile.Key.of(name, it.update().node()));
      }
    }
    if (it.confirm()) {
      var confirm = new AttrPeerMessage.Confirm(it.request());
      world.log().debug(() -> "Sending %s a confirmation".formatted(peers.nameOf(fromId)));
      if (peers.isLocal(fromId)) {
        confirmations.sent(it.request(), peers.present());
        confirmed(it.request(), fromId);
      } else {
        group.send(fromId, AttrPeerMessage.PROTOCOL.encode(0, confirm));
      }
    } else if (peers.isLocal(fromId) && it.request() != 0) {
      confirmations.complete(it.request());
    }
  }

  private void confirmed(long request, NodeId fromId) {
    world.log().debug(() -> "Received confirmation from " + peers.nameOf(fromId));
    confirmations.confirmed(request, fromId);
  }

  private void changed(String name) {
    var attribute = table.get(name);
    if (attribute != null) {
      writer.changed(attribute);
    }
  }

  private void told(NodeId fromId, AttrPeerMessage.Tell it) {
    var ours = peers.isLocal(fromId);
    if (!ours && !peers.isForThis(it)) {
      return;
    }
    var node = peers.nameOf(fromId);
    if (!ours) {
      world.log().info("Processing sync-response from " + node);
    }
    var since = meanwhile.heard(node);
    if (Meanwhile.concerns(since, node)) { // so it speaks once more
      var again = ours ? peers.again(it) : null;
      if (again != null) {
        meanwhile.speak(List.of(node));
        broadcast(again);
        return;
      }
      if (!ours) {
        meanwhile.speak(List.of(node));
      }
    }
    if (!ours && !it.fresh()) {
      table.forgetMember(node, since);
      table.take(without(it.own(), since));
    }
    if (!ours) {
      table.take(without(it.others(), since));
    }
    sayWhatIsLeftOut("node " + node + " tells");
    peers.told(fromId, it.fresh());
    takeTurns();
    if (writer.isActive()) {
      writer.rewrite(node);
      it.others().stream().map(AttrPeerMessage.Value::node).distinct().forEach(writer::rewrite);
    }
  }

  private void sayWhatIsLeftOut(String source) {
    var count = table.takeLeftOut();
    if (count > 0) {
      log.leftOut(count, source);
    }
  }

  private static List<AttrPeerMessage.Value> without(
      List<AttrPeerMessage.Value> values, Set<Meanwhile.Key> since) {
    return since.isEmpty()
        ? values
        : values.stream()
            .filter(it -> !since.contains(Meanwhile.Key.of(it.name(), it.node())))
            .toList();
  }

  private void cibChanged(@Nullable Element before, Element after) {
    var configuration = after.first("configuration");
    if (before == null || before.first("configuration") != configuration) {
      alerts.configure(after);
    }
    if (peers.mustRecall()) {
      takeTurns();
    }
    writer.cibChanged(replica::cib);
  }

  private final class FromCib implements RpcClient.Listener<CibMessage.Event> {
    @Override
    public void connected() {
      world.log().info("CIB connection active");
      writer.writeAll(); // a CIB manager that has restarted may have lost the status
    }
  }
}
