package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.world.Processes.Exit;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestPrograms;
import org.systole.common.world.TestWorld;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// The fencer of node1 (of three) in a world of its own: the test is the link with all that the
/// other fencers say, the clients, and the fence agents.
final class FencerUnderTest {
  /// A message to the fencers of all nodes, or to one.
  ///
  /// @param to 0 for all
  record Sent(int to, FencePeerMessage message) {}

  static final String METADATA =
      """
      <resource-agent name="fence_test">
        <parameters><parameter name="plug"/></parameters>
        <actions><action name="on" automatic="0"/><action name="off"/><action name="reboot"/>
          <action name="status"/><action name="list"/><action name="monitor"/></actions>
      </resource-agent>
      """;

  final TestWorld world;
  private final TestPeer<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> link;
  private final List<Sent> sent = new ArrayList<>();
  private final Map<String, Exit> results = new LinkedHashMap<>();
  private final Map<Integer, Long> members = new LinkedHashMap<>();
  private final TestClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> root;
  private @Nullable String metadata = METADATA;
  private long number = 10;
  private boolean atOnce;
  private @Nullable List<byte[]> held;

  /// There is no CIB: devices are those that clients register.
  FencerUnderTest() {
    this(new TestWorld());
  }

  /// @param world with whatever else the test needs, such as a CIB manager, in it already
  FencerUnderTest(TestWorld world) {
    this(world, Duration.ofSeconds(6));
  }

  /// @param passes time between the start and the test
  FencerUnderTest(TestWorld world, Duration passes) {
    this.world = world;
    this.link = world.peer(LinkMessage.SOCKET, LinkMessage.PROTOCOL);
    link.script(this::asked);
    world.programs().script(program -> exit(program.input()));
    FenceDaemon.start(
        world, new Layout(Path.of("/"), Path.of("/usr/share")), Map.of("PATH", "/usr/bin"));
    world.settle();
    comes(1, 2, 3);
    world.pass(passes);
    root = client(true);
    sent.clear();
  }

  private void asked(long id, LinkMessage.Request message) {
    switch (message) {
      case LinkMessage.Join _ -> {
        var nodes = new ArrayList<LinkMessage.ConfiguredNode>();
        for (var node = 1; node <= 3; node++) {
          nodes.add(
              new LinkMessage.ConfiguredNode(new NodeId(node), new NodeName("node" + node), 1));
        }
        link.reply(
            id, new LinkMessage.Joined(new NodeId(1), new NodeName("node1"), "test", nodes, 1000));
      }
      case LinkMessage.Broadcast(var payload) -> {
        sent.add(new Sent(0, decoded(payload)));
        if (held == null) {
          link.event(new LinkMessage.Delivered(new NodeId(1), true, payload));
        } else {
          held.add(payload);
        }
      }
      case LinkMessage.Send(var to, var payload) ->
          sent.add(new Sent(to.number(), decoded(payload)));
      case LinkMessage.InStep _, LinkMessage.StatusQuery _, LinkMessage.DeviceQuery _ -> throw new IllegalStateException("unexpected: " + message);
    }
  }

  private static FencePeerMessage decoded(byte[] payload) {
    try {
      return FencePeerMessage.PROTOCOL.decode(payload).body();
    } catch (ProtocolException e) {
      throw new IllegalStateException(e);
    }
  }

  private @Nullable Exit exit(String input) {
    if (input.contains("action=metadata")) {
      return metadata == null
          ? null
          : new Exit.Exited(0, 0, metadata, "", Duration.ofMillis(10));
    }
    return input.lines().map(results::get).filter(Objects::nonNull).findFirst().orElse(null);
  }

  // The cluster

  /// Nodes come into the membership, each with its fencer.
  void comes(int... nodes) {
    number++;
    Arrays.stream(nodes).forEach(node -> members.put(node, number));
    tellMembership();
  }

  void goes(int node) {
    number++;
    members.remove(node);
    tellMembership();
  }

  /// A node is lost and is back before anything else happens.
  void leavesAndReturns(int node) {
    goes(node);
    comes(node);
  }

  private void tellMembership() {
    var list = new ArrayList<Member>();
    members.forEach(
        (id, since) -> list.add(new Member(new NodeId(id), new NodeName("node" + id), since)));
    link.event(new LinkMessage.MembershipChanged(new Membership(number, list, true)));
    link.event(
        new LinkMessage.GroupChanged(members.keySet().stream().sorted().map(NodeId::new).toList()));
    settle();
  }

  private void settle() {
    if (!atOnce) {
      world.settle();
    }
  }

  /// All that the cluster says in `what` reaches the fencer before anything else happens in it.
  void atOnce(Runnable what) {
    atOnce = true;
    what.run();
    atOnce = false;
  }

  /// What this fencer says to all is on its way until [#deliver].
  void holdBroadcasts() {
    held = new ArrayList<>();
  }

  void deliver() {
    var payloads = Objects.requireNonNull(held);
    held = null;
    payloads.forEach(it -> link.event(new LinkMessage.Delivered(new NodeId(1), true, it)));
    world.settle();
  }

  long number() {
    return number;
  }

  void loseLink() {
    link.drop("the link died");
  }

  /// A fencer says something to this one alone, or to all.
  void says(int node, boolean toAll, FencePeerMessage message) {
    link.event(
        new LinkMessage.Delivered(
            new NodeId(node), toAll, FencePeerMessage.PROTOCOL.encode(0, message)));
    settle();
  }

  /// The messages of one kind sent so far.
  <T extends FencePeerMessage> List<T> sent(Class<T> kind) {
    return sent.stream().map(Sent::message).filter(kind::isInstance).map(kind::cast).toList();
  }

  /// The last message of one kind that was sent to a node, or to all.
  <T extends FencePeerMessage> T sentTo(int node, Class<T> kind) {
    var found =
        sent.stream()
            .filter(one -> one.to() == node && kind.isInstance(one.message()))
            .map(one -> kind.cast(one.message()))
            .toList();
    assertTrue(!found.isEmpty(), "no " + kind.getSimpleName() + " to " + node + " in " + sent);
    return found.getLast();
  }

  // The agents

  /// @param xml null if it keeps running
  void metadata(@Nullable String xml) {
    metadata = xml;
  }

  /// An action of the agent ends like this at once, from now on.
  void agent(String action, int status, String output) {
    results.put(
        "action=" + action, new Exit.Exited(status, 0, output, "", Duration.ofMillis(10)));
  }

  /// The only action that runs.
  TestPrograms.Run runs(String action) {
    var running = world.programs().running();
    assertEquals(1, running.size(), () -> "running: " + running);
    assertEquals(action, running.getFirst().input("action"));
    return running.getFirst();
  }

  /// How often an action was begun.
  long begun(String action) {
    return world.programs().all().stream()
        .filter(run -> action.equals(run.input("action")))
        .count();
  }

  // The clients

  TestClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> client(
      boolean privileged) {
    return world.client(
        FenceMessage.SOCKET,
        FenceMessage.PROTOCOL,
        privileged ? TestWorld.ROOT : TestWorld.MEMBER);
  }

  TestClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> root() {
    return root;
  }

  void register(String device, Map<String, String> parameters) {
    assertEquals(
        new FenceMessage.Ok(),
        root.answer(new FenceMessage.RegisterDevice(device, "fence_test", parameters)));
  }

  static FenceMessage.Fence fence(String target, String action) {
    return new FenceMessage.Fence(NodeName.of(target), action, 20_000, 0, 0, "test.1", true, 0);
  }

  /// Asks for a fencing; returns the request's id, by which to look up the answer.
  long ask(String target, String action) {
    return root.ask(fence(target, action));
  }

  FenceMessage.Outcome outcome(long id) {
    return assertInstanceOf(FenceMessage.Outcome.class, root.answerTo(id));
  }

  boolean isAnswered(long id) {
    return root.answerTo(id) != null;
  }

  /// The fencers of the other nodes have nothing to offer for the latest operation.
  void othersOfferNothing() {
    for (var node = 2; node <= 3; node++) {
      offers(node);
    }
  }

  void offers(int node, Offer... offers) {
    var queries = sent(FencePeerMessage.Query.class);
    var id = queries.getLast().record().id();
    says(node, false, new FencePeerMessage.Offers(id, List.of(offers)));
  }

  /// An offer of all actions.
  static Offer offer(String device, boolean verified) {
    var terms = new Offer.Terms(true, 0, 0);
    return new Offer(
        device, verified, false, true, false, Map.of("reboot", terms, "off", terms, "on", terms));
  }

  /// A fencer answers the order it was given last.
  void executed(int node, int rc) {
    var order = sentTo(node, FencePeerMessage.Execute.class);
    says(
        node,
        false,
        new FencePeerMessage.Executed(
            order.operation(), order.attempt(), rc, ExecStatus.DONE, rc == 0 ? "" : "no luck"));
  }

  /// A record of another node's operation as that node would send it.
  static FenceRecord foreign(String id, String target, Progress progress, long membership) {
    return new FenceRecord(
        id,
        new NodeName(target),
        "reboot",
        new NodeName("node2"),
        progress == Progress.DONE ? "node2" : "",
        "other.1",
        progress,
        progress == Progress.DONE ? 1_700_000_001_000L : 0,
        "",
        membership);
  }

  List<FenceRecord> history() {
    var answer = root.answer(new FenceMessage.HistoryQuery(null, false));
    return assertInstanceOf(FenceMessage.History.class, answer).records();
  }
}
