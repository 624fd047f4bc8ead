package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;
import static org.systole.controld.TestNodes.named;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.output.Product;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.election.DcWatch;
import org.systole.controld.election.Election;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// How node 2 of three is let in by a DC.
final class JoinClientTest {
  private final TestWorld world = new TestWorld();
  private final DcWatch.Host watching = mock(DcWatch.Host.class);
  private final DcWatch watch = new DcWatch(world, watching, id(2));
  private final Election.Host electing = mock(Election.Host.class);
  private final Election election = new Election(world, electing, id(2));
  private final Admissions admissions =
      new Admissions(mock(Admissions.Host.class), id(2), new NodeBook());
  private final Host host = new Host();
  private final JoinClient joining = new JoinClient(world, host, election, watch, admissions);

  private static final class Host implements JoinClient.Host {
    final List<Input> inputs = new ArrayList<>();
    final List<String> sent = new ArrayList<>();
    final List<Runnable> starting = new ArrayList<>();
    boolean leaving;
    int stays;
    int featuresTold;

    @Override
    public void offer(Input input) {
      inputs.add(input);
    }

    @Override
    public void send(NodeId node, PeerMessage message) {
      sent.add(node + " " + message);
    }

    @Override
    public NodeName nodeName(NodeId id) {
      return named("node" + id);
    }

    @Override
    public Map<NodeId, NodeName> memberNames() {
      return Map.of(id(2), named("node2"));
    }

    @Override
    public Element resources() {
      return Element.of("node_state", "id", "2");
    }

    @Override
    public void start(Runnable then) {
      starting.add(then);
    }

    @Override
    public void tellFeatureSet() {
      featuresTold++;
    }

    @Override
    public boolean isLeaving() {
      return leaving;
    }

    @Override
    public void stay() {
      stays++;
    }
  }

  JoinClientTest() {
    when(watching.state()).thenReturn(State.PENDING);
    when(watching.dcDeadtime()).thenReturn(Duration.ofSeconds(20));
  }

  private static PeerMessage confirmation(long joinId, boolean admitted) {
    return new PeerMessage.Confirm(joinId, "<node_state id=\"2\"/>", admitted);
  }

  private void isStarted() {
    host.starting.removeFirst().run();
  }

  @Test
  void anOfferIsAnsweredAndItsSenderFollowed() {
    joining.answer(new Input.Offered(id(1), 1025, 4));
    assertTrue(watch.is(id(1)));
    assertEquals(
        List.of("1 " + new PeerMessage.Request(4, Product.FEATURE_SET, host.memberNames())), host.sent);
  }

  @Test
  void aPlaceIsConfirmedOnceTheNodeIsInTheStateInWhichItIsToStart() {
    joining.answer(new Input.Offered(id(1), 1025, 4));
    host.sent.clear();
    joining.confirm(new Input.JoinAccepted(id(1), 4));
    assertEquals(List.of(), host.sent);
    isStarted();
    assertEquals(List.of("1 " + confirmation(4, false)), host.sent);
    assertEquals(1, host.stays);
    assertEquals(1, host.featuresTold);
    assertTrue(world.logged("Joined the cluster with DC node1"));
  }

  @Test
  void anAcceptanceByANodeThatIsNotTheDcIsNotConfirmed() {
    joining.answer(new Input.Offered(id(1), 1025, 4));
    joining.answer(new Input.Offered(id(3), 2051, 1));
    host.sent.clear();
    joining.confirm(new Input.JoinAccepted(id(1), 4));
    assertEquals(List.of(), host.starting);
    joining.confirm(new Input.JoinAccepted(id(3), 1));
    isStarted();
    assertEquals(List.of("3 " + confirmation(1, false)), host.sent);
  }

  @Test
  void aLeavingNodeAsksTheDcThatHasLetItIn() {
    host.leaving = true;
    joining.answer(new Input.Offered(id(1), 1025, 4));
    host.sent.clear();
    joining.confirm(new Input.JoinAccepted(id(1), 4));
    isStarted();
    assertEquals(
        List.of("1 " + confirmation(4, false), "1 " + new PeerMessage.LeaveRequest()), host.sent);
    assertEquals(0, host.stays, "what an earlier controller asked for still holds");
  }

  @Test
  void aNodeThatWasLetInWithQuorumOnceTellsTheNextDc() {
    admissions.told(id(2));
    joining.answer(new Input.Offered(id(1), 1025, 4));
    host.sent.clear();
    joining.confirm(new Input.JoinAccepted(id(1), 4));
    isStarted();
    assertEquals(List.of("1 " + confirmation(4, true)), host.sent);
  }

  @Test
  void theDcItselfDoesNotSayThatItJoined() {
    watch.takeOver();
    joining.confirm(new Input.JoinAccepted(id(2), 4));
    isStarted();
    assertEquals(List.of("2 " + confirmation(4, false)), host.sent);
    assertFalse(world.logged("Joined the cluster"));
  }

  @Test
  void onlyANodeThatTheDcTurnsDownEnds() {
    joining.answer(new Input.Offered(id(1), 1025, 4));
    joining.refused(new Input.JoinRefused(id(3), 4, "its feature set is too old"));
    assertEquals(List.of(), host.inputs);
    joining.refused(new Input.JoinRefused(id(1), 4, "its feature set is too old"));
    assertEquals(
        List.of(new Input.TurnedDown("the DC turned this node down: its feature set is too old")),
        host.inputs);
  }

  @Test
  void anOfferEndsTheElectionUnderWay() {
    when(electing.claim()).thenReturn(new Election.Claim("3.20.0", 1, false, named("node2")));
    election.timeout(Duration.ofMinutes(2));
    election.voters(ids(1, 2, 3));
    election.vote();
    joining.answer(new Input.Offered(id(1), 1025, 4));
    world.pass(Duration.ofMinutes(5));
    verify(electing, never()).offer(any());
  }
}
