package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.xml.Element;
import org.systole.fenced.client.FenceMessage;

/// What commands and daemons say to each other as bytes instead of JSON.
class CommandMessagesTest {
  private static final List<CibMessage> CIB =
      List.of(
          new CibMessage.Query(new CibQuery("//nvpair", true, false, true), "anna"),
          new CibMessage.Query(CibQuery.ALL, ""),
          new CibMessage.Update(
              List.of(
                  CibOp.put("resources", Element.of("primitive", "id", "\u00e9")),
                  CibOp.deleteAllXPath("//tags")),
              true,
              "anna",
              "cibadmin",
              30_000,
              1L << 40),
          new CibMessage.Update(List.of(), false, "", "", 0),
          new CibMessage.Answer(Rc.OK, "", "<cib/>", new CibVersion(1, 200, 3)),
          new CibMessage.Answer(Rc.NO_QUORUM, "too few", null, new CibVersion(0, 0, 0)));

  private static final List<AttrMessage> ATTRIBUTES =
      List.of(
          new AttrMessage.Update(
              AttrMessage.Change.VALUE_AND_DELAY,
              "pingd",
              "",
              new NodeName("node1"),
              "value++",
              -1,
              new AttrMessage.Kind("set", true, true),
              true,
              AttrMessage.Wait.CLUSTER),
          new AttrMessage.Update(
              AttrMessage.Change.VALUE,
              "",
              "^ping",
              null,
              null,
              5000,
              AttrMessage.Kind.TRANSIENT,
              false,
              AttrMessage.Wait.NO),
          new AttrMessage.Done(AttrMessage.Outcome.REFUSED, "no"),
          new AttrMessage.Query("pingd", null),
          new AttrMessage.Values(
              true,
              List.of(
                  new AttrMessage.NodeValue(new NodeName("node1"), "10"),
                  new AttrMessage.NodeValue(new NodeName("node2"), null))),
          new AttrMessage.Values(false, List.of()));

  private static final List<FenceMessage> FENCING =
      List.of(
          new FenceMessage.HistoryQuery(new NodeName("node2"), true),
          new FenceMessage.History(
              List.of(
                  record(FenceMessage.Progress.QUERYING, 0, ""),
                  record(FenceMessage.Progress.FAILED, 1_700_000_000_000L, "no route"))),
          new FenceMessage.History(List.of()));

  private static final List<LinkMessage> LINK =
      List.of(
          new LinkMessage.StatusQuery(),
          new LinkMessage.Status(
              new NodeId(1),
              new NodeName("node1"),
              "demo",
              List.of(
                  new LinkMessage.ConfiguredNode(new NodeId(1), new NodeName("node1"), 1),
                  new LinkMessage.ConfiguredNode(new NodeId(2), new NodeName("node2"), 0)),
              new Membership(
                  12_001, List.of(new Member(new NodeId(1), new NodeName("node1"), 11_000)), true),
              3,
              2,
              2,
              List.of("Quorate", "WaitForAll")));

  private static FenceMessage.FenceRecord record(
      FenceMessage.Progress progress, long completed, String why) {
    return new FenceMessage.FenceRecord(
        "id",
        new NodeName("node2"),
        "reboot",
        new NodeName("node1"),
        "",
        "admin",
        progress,
        completed,
        why,
        7001);
  }

  private static <Q, R> byte[] encoded(
      ClientProtocol<Q, R, ?> protocol, Class<Q> requests, Class<R> replies, Object message) {
    return requests.isInstance(message)
        ? protocol.request(7, requests.cast(message))
        : protocol.reply(7, replies.cast(message));
  }

  private static <Q, R> void comesOutAsItWentIn(
      ClientProtocol<Q, R, ?> protocol, Class<Q> requests, Class<R> replies, Object message)
      throws ProtocolException {
    var frame = encoded(protocol, requests, replies, message);
    assertEquals(0, frame[0], "it is JSON: " + message);
    var envelope = protocol.messages().decode(frame);
    assertEquals(message, envelope.body());
    assertEquals(7, envelope.id());
  }

  private static <Q, R> void isRefusedCutShort(
      ClientProtocol<Q, R, ?> clients, Class<Q> requests, Class<R> replies, Object message) {
    var frame = encoded(clients, requests, replies, message);
    var protocol = clients.messages();
    for (var length = 0; length < frame.length; length++) {
      var part = Arrays.copyOf(frame, length);
      assertThrows(ProtocolException.class, () -> protocol.decode(part));
    }
    var longer = Arrays.copyOf(frame, frame.length + 1);
    assertThrows(ProtocolException.class, () -> protocol.decode(longer));
  }

  @Test
  void messagesComeOutAsTheyWentIn() throws ProtocolException {
    for (var message : CIB) {
      comesOutAsItWentIn(
          CibMessage.PROTOCOL, CibMessage.Request.class, CibMessage.Reply.class, message);
    }
    for (var message : ATTRIBUTES) {
      comesOutAsItWentIn(
          AttrMessage.PROTOCOL, AttrMessage.Request.class, AttrMessage.Reply.class, message);
    }
    for (var message : FENCING) {
      comesOutAsItWentIn(
          FenceMessage.PROTOCOL, FenceMessage.Request.class, FenceMessage.Reply.class, message);
    }
    for (var message : LINK) {
      comesOutAsItWentIn(
          LinkMessage.PROTOCOL, LinkMessage.Request.class, LinkMessage.Reply.class, message);
    }
  }

  @Test
  void whatIsCutShortOrTooLongIsRefused() {
    CIB.forEach(
        it ->
            isRefusedCutShort(
                CibMessage.PROTOCOL, CibMessage.Request.class, CibMessage.Reply.class, it));
    ATTRIBUTES.forEach(
        it ->
            isRefusedCutShort(
                AttrMessage.PROTOCOL, AttrMessage.Request.class, AttrMessage.Reply.class, it));
    FENCING.forEach(
        it ->
            isRefusedCutShort(
                FenceMessage.PROTOCOL, FenceMessage.Request.class, FenceMessage.Reply.class, it));
    LINK.forEach(
        it ->
            isRefusedCutShort(
                LinkMessage.PROTOCOL, LinkMessage.Request.class, LinkMessage.Reply.class, it));
  }
}
