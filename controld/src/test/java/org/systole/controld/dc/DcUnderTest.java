package org.systole.controld.dc;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.output.Product;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.controld.TestCib;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.CibLink;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.transition.Orders;
import org.systole.controld.transition.Throttle;
import org.systole.controld.transition.TransitionEngine;

/// What node1 does as the DC of three nodes, with its book of them. The test is the link, the CIB
/// manager, the state machine and the other controllers.
final class DcUnderTest implements Dc.Host {
  static final String FEATURES = Product.FEATURE_SET;

  final TestWorld world = new TestWorld();
  final TestCib cib = new TestCib(world);
  final CibLink link = new CibLink(world, new Listener());
  final NodeBook book = new NodeBook();
  final Joins joins = new Joins();
  final Planning.Host plans = mock(Planning.Host.class);
  final TransitionEngine engine;
  final DcRecords records;
  final Dc dc;
  final Members members;
  final Admissions admissions;
  final Members.Host told = mock(Members.Host.class);
  final DcWatch watch;
  final List<Input> inputs = new ArrayList<>();
  final List<Input> ofEngine = new ArrayList<>();
  final List<String> sent = new ArrayList<>();
  final Map<Integer, Long> present = new LinkedHashMap<>();
  State state = State.IDLE;
  boolean isDc = true;
  boolean shutdownLock;
  boolean fences = true;
  boolean quorate = true;
  boolean watchdog;
  String clusterName = "";
  long epoch = 1025;
  private long number = 10;

  private final class Listener implements CibLink.Listener {
    @Override
    public void cibReady() {}

    @Override
    public void cibEpoch(long highest) {}

    @Override
    public void cibChanged(Element before, Element after) {}

    @Override
    public void rolesChanged() {}

    @Override
    public void cibLost(String why) {}
  }

  /// Remote nodes whose attributes were to be forgotten.
  final List<NodeName> forgotten = new ArrayList<>();

  private final class RecordsHost implements DcRecords.Host {
    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public boolean quorate() {
      return quorate;
    }

    @Override
    public boolean hasWatchdog() {
      return watchdog;
    }

    @Override
    public void forgetAttributes(NodeName node) {
      forgotten.add(node);
    }

    @Override
    public String configuredClusterName() {
      return clusterName;
    }
  }

  DcUnderTest() {
    book.cib(link::cib);
    var configured = new ArrayList<LinkMessage.ConfiguredNode>();
    for (var id = 1; id <= 3; id++) {
      configured.add(new LinkMessage.ConfiguredNode(new NodeId(id), new NodeName("node" + id), 1));
    }
    book.configured(configured);
    var self =
        new LinkMessage.Joined(new NodeId(1), new NodeName("node1"), "test", configured, 1000);
    var orders = mock(Orders.Host.class);
    when(orders.state()).thenAnswer(_ -> state);
    doAnswer(it -> ofEngine.add(it.getArgument(0))).when(orders).offer(any());
    when(orders.online()).thenAnswer(_ -> book.online());
    when(orders.nodeName()).thenReturn(named("node1"));
    when(orders.nodeId(any())).thenAnswer(it -> book.id(it.getArgument(0)));
    when(orders.isOnline(any())).thenAnswer(it -> book.isOnline(it.getArgument(0)));
    engine =
        new TransitionEngine(
            world, new Orders(world, orders, mock(Orders.Local.class), link, new Throttle()));
    records = new DcRecords(world, new RecordsHost(), self, book, joins, link, engine);
    dc =
        new Dc(
            world, this, id(1), book, link, engine, joins, records, new Planning(world, plans));
    var watching = mock(DcWatch.Host.class);
    when(watching.state()).thenAnswer(_ -> state);
    watch = new DcWatch(world, watching, id(1));
    var election = new Election(world, mock(Election.Host.class), id(1));
    admissions = new Admissions(mock(Admissions.Host.class), id(1), book);
    doAnswer(it -> inputs.add(it.getArgument(0))).when(told).offer(any());
    members = new Members(world, told, id(1), book, dc, election, watch, admissions);
    link.open();
    world.settle();
  }

  /// All nodes are there and have joined, and nothing is left to do.
  static DcUnderTest settled() {
    var node = new DcUnderTest();
    node.comes(1, 2, 3);
    node.watch.takeOver();
    node.dc.takeOver(node.epoch, false);
    node.dc.offerAll();
    node.world.settle();
    node.joins(1, 2, 3);
    node.dc.joinDone();
    node.world.settle();
    node.inputs.clear();
    node.sent.clear();
    node.cib.written();
    return node;
  }

  /// These ask for their places, get and confirm them.
  void joins(int... nodes) {
    var before = state;
    state = State.INTEGRATION;
    for (var id : nodes) {
      dc.admit(new Input.JoinRequested(id(id), joins.joinId(id(id)), FEATURES, Map.of()));
    }
    state = State.FINALIZE_JOIN;
    dc.finalizeJoin();
    for (var id : nodes) {
      confirms(id, "<node_state id='%d'><lrm id='%d'><lrm_resources/></lrm></node_state>");
    }
    state = before;
  }

  void confirms(int node, String status) {
    var from = id(node);
    dc.record(new Input.JoinConfirmed(from, joins.joinId(from), status.formatted(node, node)));
    world.settle();
  }

  // The cluster

  void comes(int... nodes) {
    number++;
    Arrays.stream(nodes).forEach(it -> present.put(it, number));
    tell();
    members.group(present.keySet().stream().sorted().map(NodeId::new).toList());
    world.settle();
  }

  /// Into the membership, without a controller.
  void comesAlone(int node) {
    number++;
    present.put(node, number);
    tell();
  }

  void goes(int node) {
    number++;
    present.remove(node);
    tell();
  }

  private void tell() {
    var list = new ArrayList<Member>();
    present.forEach(
        (id, since) -> list.add(new Member(new NodeId(id), new NodeName("node" + id), since)));
    members.membership(new Membership(number, list, quorate));
    world.settle();
  }

  /// The controllers of these nodes are there.
  void controllers(int... nodes) {
    members.group(ids(nodes));
    world.settle();
  }

  void pass(long seconds) {
    world.pass(Duration.ofSeconds(seconds));
  }

  /// What a plan carries out.
  void begin(String actions) {
    try {
      var graph =
          "<transition_graph cluster-delay='60s'><synapse id='0'><action_set>%s</action_set>"
                  .formatted(actions)
              + "<inputs/></synapse></transition_graph>";
      state = State.TRANSITION_ENGINE;
      engine.begin(TransitionGraph.read(TestCib.xml(graph)), "");
      world.settle();
    } catch (XmlException e) {
      throw new IllegalArgumentException(actions, e);
    }
  }

  /// `in_ccm`, `crmd`, `join` and `expected` of a node in the CIB, times as `t`.
  String recorded(int node) {
    var state = cib.state(node);
    return "%s %s %s %s"
        .formatted(
            time(state.get("in_ccm", "-")),
            time(state.get("crmd", "-")),
            state.get("join", "-"),
            state.get("expected", "-"));
  }

  private static String time(String value) {
    return value.length() > 5 ? "t" : value;
  }

  // What the DC asks of the controller

  @Override
  public State state() {
    return state;
  }

  @Override
  public void offer(Input input) {
    inputs.add(input);
  }

  @Override
  public void send(NodeId node, PeerMessage message) {
    sent.add(node + " " + message.getClass().getSimpleName());
  }

  @Override
  public boolean isDc() {
    return isDc;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public Duration integrationTimeout() {
    return Duration.ofMinutes(3);
  }

  @Override
  public Duration finalizationTimeout() {
    return Duration.ofMinutes(30);
  }

  @Override
  public boolean fences() {
    return fences;
  }

  @Override
  public boolean isAdmitted(NodeId node) {
    return admissions.has(node);
  }

  @Override
  public boolean shutdownLock() {
    return shutdownLock;
  }

  @Override
  public void joinDone() {}
}
