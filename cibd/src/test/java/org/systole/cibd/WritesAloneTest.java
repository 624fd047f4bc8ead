package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibSize;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The primary's writes apart from its other parts.
final class WritesAloneTest {
  private final TestWorld world = new TestWorld();
  private final Peers peers = new Peers();
  private final Durable durable = new Durable(world);
  private final List<CibPeerMessage> sent = new ArrayList<>();
  private final Writes.Host primary = mock(Writes.Host.class);
  private BinaryOperator<@Nullable Element> patches = CibPatch::exact;
  private Writes writes;
  private int asked;

  @BeforeEach
  void aPrimaryOfOne() {
    var node = new LinkMessage.ConfiguredNode(new NodeId(1), new NodeName("node1"), 1);
    peers.joined(
        new LinkMessage.Joined(new NodeId(1), new NodeName("node1"), "test", List.of(node), 1000));
    peers.membership(
        new Membership(1, List.of(new Member(new NodeId(1), new NodeName("node1"), 1)), true));
    peers.group(List.of(new NodeId(1)));
    var outbox =
        new Outbox() {
          @Override
          public void send(NodeId to, CibPeerMessage message) {
            sent.add(message);
          }

          @Override
          public boolean speaks(int level) {
            return true;
          }

          @Override
          public void broadcast(CibPeerMessage message) {
            sent.add(message);
          }
        };
    when(primary.isPrimary()).thenReturn(true);
    when(primary.isEstablished()).thenReturn(true);
    writes =
        new Writes(
            new Node(world, peers, durable.copy(), durable, outbox, new InStep(peers, _ -> {})),
            primary,
            (before, after) -> patches.apply(before, after));
  }

  private void ask(CibOp operation) {
    var update = new CibMessage.Update(List.of(operation), false, "root", "test", 60_000);
    writes.forwarded(new NodeId(1), new CibPeerMessage.Forward(0, "x" + ++asked, update, null));
  }

  private List<CibPeerMessage.Outcome> outcomes() {
    world.settle();
    return sent.stream()
        .filter(CibPeerMessage.Outcome.class::isInstance)
        .map(CibPeerMessage.Outcome.class::cast)
        .toList();
  }

  private Element cib() {
    return durable.copy().cib();
  }

  private static CibOp attribute(String id, int length) {
    return CibOp.put("status", Element.of("node_state", "id", id, "uname", "u".repeat(length)));
  }

  @Test
  void aChangeWithoutAPatchsetIsRefusedAloneAndTheOthersAreMade() {
    patches =
        (before, after) -> {
          if (after.toString().contains("bad")) {
            throw new IllegalStateException("no patchset for this one");
          }
          return CibPatch.exact(before, after);
        };

    ask(CibdInTest.status("1"));
    ask(CibdInTest.status("bad"));
    ask(CibdInTest.status("3"));

    var refused = outcomes();
    assertEquals(List.of("x2"), refused.stream().map(CibPeerMessage.Outcome::id).toList());
    assertEquals(Rc.EINVAL, refused.getFirst().rc());
    assertTrue(world.logged("is refused because of a fault of this program"));
    var status = cib().first("status");
    assertEquals(
        List.of("1", "3"), status.children().stream().map(Element::id).toList(), cib()::toString);
    assertEquals(2, sent.stream().filter(CibPeerMessage.Change.class::isInstance).count());
    writes.ack(new NodeId(1), new CibPeerMessage.Ack(0, 2, 2));
    assertEquals(List.of("x2", "x1", "x3"), outcomes().stream().map(it -> it.id()).toList());
  }

  @Test
  void requestsThatWaitWhenAllIsForgottenAreNotCarriedOut() {
    ask(CibdInTest.status("1"));
    writes.clear();
    assertEquals(List.of(), outcomes());
    assertEquals(List.of(), sent);

    ask(CibdInTest.status("2"));
    world.settle();
    assertEquals(1, writes.sequence());
    writes.clear();
    assertEquals(0, writes.sequence(), "a new term counts from its beginning");
    writes.ack(new NodeId(1), new CibPeerMessage.Ack(0, 9, 9));
    assertEquals(List.of(), outcomes(), "clients ask the primary of the new term again");
  }

  @Test
  void moreThanTwentyThousandRequestsDoNotWait() {
    for (var i = 0; i < 20_000; i++) {
      ask(CibdInTest.status("1"));
    }
    assertEquals(List.of(), sent);
    ask(CibdInTest.status("2"));

    var refused = (CibPeerMessage.Outcome) sent.getFirst();
    assertEquals("x20001", refused.id());
    assertEquals(Rc.EBUSY, refused.rc());
  }

  @Test
  void insteadOfAVeryLongPatchsetTheWholeIsSent() {
    ask(attribute("1", 9 << 20));
    world.settle();

    assertEquals(List.of(), sent);
    verify(primary).replaced();
    verify(primary).announce();
    verify(primary).advanced(anyLong(), anyBoolean());
  }

  @Test
  void aCibBeyondTheLimitIsRefusedAndASmallerOneAlwaysAccepted() {
    ask(attribute("1", 20 << 20));
    assertEquals(List.of(), outcomes());
    ask(attribute("2", 13 << 20));

    var refused = outcomes().getLast();
    assertEquals(Rc.E2BIG, refused.rc());
    assertTrue(
        refused.why().startsWith("the CIB would have 34,6")
            && refused.why().contains(" bytes of XML, at most 33,554,432 are taken; the status"),
        refused::why);
    ask(CibOp.delete("status", Element.of("node_state", "id", "1")));
    ask(attribute("2", 13 << 20));
    assertEquals(1, outcomes().size());
    assertEquals(1, cib().first("status").childCount());
  }

  /// Each of the changes can be read, and so must be what comes of them.
  @Test
  void nothingIsMadeThatNobodyCanRead() throws XmlException {
    ask(CibOp.create("status", nested("a", 50)));
    assertEquals(List.of(), outcomes());
    ask(CibOp.modifyXPath("//e[@id='a50']", Element.builder("e").attr("id", "a50").add(nested("b", 50)).build()));

    var refused = outcomes().getLast();
    assertEquals(Rc.E2BIG, refused.rc());
    assertTrue(refused.why().startsWith("the CIB would have more than 80 elements one inside the other"), refused::why);
    assertEquals(52, cib().depth());
    ask(CibOp.modifyXPath("//e[@id='a50']", Element.builder("e").attr("id", "a50").add(nested("b", 28)).build()));
    assertEquals(1, outcomes().size());
    assertEquals(CibSize.DEPTH_MAX, cib().depth());
    assertEquals(cib(), XmlReader.parse(XmlWriter.compact(cib())));
  }

  private static Element nested(String name, int depth) {
    var element = Element.of("e", "id", name + depth);
    for (var at = depth - 1; at > 0; at--) {
      element = Element.builder("e").attr("id", name + at).add(element).build();
    }
    return element;
  }

  @Test
  void theConfigurationHasALimitOfItsOwn() {
    var set = Element.builder("cluster_property_set").attr("id", "o");
    var value = "v".repeat(CibSize.CONFIGURATION_MAX);
    set.add(Element.of("nvpair", "id", "o-x", "name", "x", "value", value));

    ask(CibOp.put("crm_config", set.build()));

    var refused = outcomes().getLast();
    assertEquals(Rc.E2BIG, refused.rc());
    assertTrue(refused.why().startsWith("the configuration would have 16,777,"), refused::why);
  }
}
