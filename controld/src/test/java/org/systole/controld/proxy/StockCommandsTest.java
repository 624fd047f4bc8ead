package org.systole.controld.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cib.CibVersion;
import org.systole.common.operation.ExecStatus;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.world.Connection;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.controld.TestCib;
import org.systole.controld.client.CtlMessage;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.fenced.client.FenceMessage;

/// Pacemaker's own commands on the remote node `far`: the test speaks for them in Pacemaker's form,
/// and for this member's daemons.
final class StockCommandsTest {
  private static final NodeName FAR = new NodeName("far");
  private static final NodeName NODE1 = new NodeName("node1");
  private static final CibVersion VERSION = new CibVersion(0, 1, 0);
  private static final int PROXIED = 0x100;
  private static final int WAITS = 0x200;

  private final TestWorld world = new TestWorld();
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private final TestPeer<AttrMessage.Request, AttrMessage.Reply, ClientProtocol.NoEvent> attr =
      world.peer(AttrMessage.SOCKET, AttrMessage.PROTOCOL);
  private final TestPeer<CtlMessage.Request, CtlMessage.Reply, ClientProtocol.NoEvent> ctl =
      world.peer(CtlMessage.SOCKET, CtlMessage.PROTOCOL);
  private final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fence =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  private final List<Element> told = new ArrayList<>();
  private final Proxies proxies =
      new Proxies(
          world,
          FAR,
          new ProxyRoom(),
          (message, taken) -> {
            told.add(message);
            world.post(taken);
          });

  private void begin(String server) {
    proxies.forwarded(ProxyXml.of("new", "s").attr("lrmd_ipc_server", server).build());
    world.settle();
  }

  private void ask(int id, boolean waits, String xml) {
    proxies.forwarded(request(id, waits, "kim", xml));
    world.settle();
  }

  private static Element request(int id, boolean waits, String user, String xml) {
    return ProxyXml.of("request", "s")
        .attr("lrmd_ipc_client", "proxy-x-1-abc")
        .attr("lrmd_ipc_user", user)
        .attr("lrmd_ipc_msg_id", id)
        .attr("lrmd_ipc_msg_flags", waits ? PROXIED | WAITS : PROXIED)
        .add(Element.builder("lrmd_ipc_msg").add(TestCib.xml(xml)).build())
        .build();
  }

  @Test
  void usersAreLookedUpOneAtATimeHoweverManyCommandsANodeBegins() {
    world.groupsTake(Duration.ofSeconds(5));
    for (var at = 0; at < 300; at++) {
      var id = "s" + at;
      proxies.forwarded(ProxyXml.of("new", id).attr("lrmd_ipc_server", "attrd").build());
      proxies.forwarded(request(1, true, "user" + at, "<a task='refresh'/>").with("lrmd_ipc_session", id));
      world.settle();
      if (at > 0) { // the one before ends
        proxies.forwarded(ProxyXml.end("s" + (at - 1)));
      }
    }
    world.settle();
    assertEquals(1, world.lookupsMost(), "each is a process");
    assertFalse(attr.isConnected());
    world.pass(Duration.ofSeconds(11)); // the first, and the last: nobody waits for the others
    assertEquals(List.of(new AttrMessage.Refresh()), attr.received());
    assertEquals(1, world.lookupsMost());
  }

  @Test
  void whatIsAskedBeforeTheUserIsKnownHasALimit() {
    world.groupsTake(Duration.ofSeconds(5));
    begin("cib_rw");
    var much = "<q cib_op='cib_query' x='%s'/>".formatted("x".repeat(4 << 20));
    for (var at = 1; at <= 20 && !last().equals("destroy"); at++) {
      ask(at, false, much);
    }
    assertEquals("destroy", last());
    world.pass(Duration.ofSeconds(6));
    assertFalse(cib.isConnected());
  }

  @Test
  void answersThatTheNodeDoesNotTakeCountForTheMemoryTheyTake() {
    var deaf = new Proxies(world, FAR, new ProxyRoom(), (message, _) -> told.add(message));
    deaf.forwarded(ProxyXml.of("new", "s").attr("lrmd_ipc_server", "cib_ro").build());
    var copy = "<cib>" + "<a/>".repeat(100_000) + "</cib>";
    for (var at = 1; at <= 30 && !last().equals("destroy"); at++) {
      deaf.forwarded(request(at, false, "kim", "<q cib_op='cib_query' cib_callopt='0'/>"));
      world.settle();
      reply(answer(Rc.OK, copy));
    }
    assertEquals("destroy", last());
  }

  @Test
  void whatIsKeptUntilTheDaemonAnswersHasALimit() {
    begin("cib_ro");
    var junk = "<q cib_op='cib_query'>" + "<a/>".repeat(100_000) + "</q>"; // much memory, little text
    for (var at = 1; at <= 30 && !last().equals("destroy"); at++) {
      ask(at, false, junk);
    }
    assertEquals("destroy", last());
    assertTrue(cib.received().size() > 2, "a few may wait");
  }

  /// What came back last: `response 7`, `event` or `destroy`.
  private String last() {
    var message = told.isEmpty() ? Element.of("nothing") : told.getLast();
    return (message.get("lrmd_ipc_op", "") + " " + message.get("lrmd_ipc_msg_id", "")).strip();
  }

  private Element content() {
    var content = ProxyXml.contentIn(told.getLast());
    assertNotNull(content, () -> "nothing in " + told.getLast());
    return content;
  }

  private static CibMessage.Answer answer(Rc rc, @Nullable String xml) {
    return new CibMessage.Answer(rc, "", xml, VERSION);
  }

  private void reply(CibMessage.Reply it) {
    cib.reply(cib.received().size(), it);
    world.settle();
  }

  @Test
  void aQueryOfTheCibIsAskedWithTheUsersRights() {
    world.user("kim", List.of("staff", "haclient"));
    begin("cib_ro");
    ask(1, true, "<cib_command t='cib' cib_op='register' cib_clientname='cibadmin' cib_callid='1'/>");
    assertEquals("response 1", last());
    assertEquals("register", content().get("cib_op"));
    assertEquals("s", content().get("cib_clientid"));
    assertEquals(
        List.of(new Connection.Credentials("kim", List.of("staff", "haclient"), false, FAR)),
        cib.spokenFor());

    ask(
        2,
        true,
        "<cib_command t='cib' cib_op='cib_query' cib_section='//node' cib_callid='2' cib_callopt='"
            + (0x1000 | 0x2 | 0x20)
            + "'/>");
    assertEquals(
        List.of(new CibMessage.Query(new CibQuery("//node", true, true, false), "")),
        cib.received());
    reply(answer(Rc.OK, "<node id='1'/>"));
    assertEquals("response 2", last());
    assertEquals("0", content().get("cib_rc"));
    assertEquals("2", content().get("cib_callid"));
    assertEquals("node", content().child(0).child(0).name());

    ask(3, true, "<cib_command cib_op='cib_query' cib_section='x' cib_callid='3' cib_callopt='4096'/>");
    reply(answer(Rc.ENXIO, null));
    assertEquals("-6", content().get("cib_rc"));
    ask(4, true, "<cib_command cib_op='cib_query' cib_callid='4' cib_callopt='4096'/>");
    reply(answer(Rc.SCHEMA_VALIDATION, null));
    assertEquals("-203", content().get("cib_rc"));
  }

  @Test
  void aChangeIsMadeAsItWasAsked() {
    begin("cib_rw");
    ask(9, true, "<cib_command cib_op='register' cib_clientname='crm_attribute'/>");
    ask(
        1,
        true,
        "<cib_command cib_op='cib_modify' cib_section='nodes' cib_callid='1' cib_callopt='"
            + (0x1000 | 0x8)
            + "' cib_user='root'><cib_calldata><node id='far'/></cib_calldata></cib_command>");
    var update = (CibMessage.Update) cib.received().getLast();
    assertEquals("crm_attribute", update.client());
    assertEquals("", update.user(), "who asks is known from the connection");
    var op = update.operations().getFirst();
    assertEquals(CibOp.Kind.MODIFY, op.kind());
    assertTrue(op.allowCreate());
    assertEquals("nodes", op.section());
    assertEquals("<node id=\"far\"/>", op.xml());
    reply(answer(Rc.EACCES, null));
    assertEquals("-13", content().get("cib_rc"));

    ask(
        2,
        true,
        "<cib_command cib_op='cib_delete' cib_section='//x' cib_callid='2' cib_callopt='"
            + (0x1000 | 0x6)
            + "'/>");
    op = ((CibMessage.Update) cib.received().getLast()).operations().getFirst();
    assertTrue(op.byXPath() && op.multiple());
    assertNull(op.xml());
  }

  @Test
  void aTransactionIsOneChange() {
    begin("cib_rw");
    var two = "<cib_command cib_op='cib_bump'/><cib_command cib_op='cib_erase'/>";
    var head = "<cib_command cib_op='cib_commit_transact' cib_callid='1' cib_callopt='4096'><cib_calldata><cib_transaction>";
    var foot = "</cib_transaction></cib_calldata></cib_command>";
    ask(1, true, head + two + foot);
    var update = (CibMessage.Update) cib.received().getLast();
    assertEquals(2, update.operations().size());
    ask(2, true, head + two + "<cib_command cib_op='cib_sync'/>" + foot);
    assertEquals("-95", content().get("cib_rc"));
    assertEquals(1, cib.received().size());
  }

  @Test
  void whatCannotBeDoneIsRefused() {
    begin("cib_ro");
    ask(1, true, "<cib_command cib_op='cib_erase' cib_callid='1' cib_callopt='4096'/>");
    assertEquals("-1", content().get("cib_rc"), "this one only reads");
    ask(2, true, "<cib_command cib_op='cib_master' cib_callid='2' cib_callopt='4096'/>");
    assertEquals("-95", content().get("cib_rc"));
    ask(3, true, "<cib_command cib_op='cib_erase' cib_callid='3' cib_callopt='" + (4096 | 0x200) + "'/>");
    assertEquals("-95", content().get("cib_rc"), "a dry run would not be one");
    assertEquals(List.of(), cib.received());
  }

  @Test
  void whoFollowsTheCibIsToldOfChanges() {
    begin("cib_rw");
    ask(1, true, "<cib-callback cib_op='cib_notify' cib_notify_type='cib_diff_notify' cib_notify_activate='1'/>");
    assertEquals("ack", content().name());
    assertEquals(List.of(new CibMessage.Subscribe()), cib.received());
    reply(new CibMessage.Copy("<cib/>"));
    cib.event(new CibMessage.Changed(XmlText.of("<diff format='2'/>"), 1, 2));
    world.settle();
    assertEquals("event", last());
    assertEquals("cib_diff_notify", content().get("subt"));
    assertEquals("diff", content().child(0).child(0).name());
    cib.event(new CibMessage.Copy("<cib/>"));
    world.settle();
    assertEquals("destroy", last(), "it reads all anew");
  }

  @Test
  void anAnswerThatIsNotWaitedForComesByItself() {
    begin("cib_rw");
    ask(1, false, "<cib_command cib_op='cib_query' cib_callid='1' cib_callopt='0'/>");
    reply(answer(Rc.OK, "<cib/>"));
    assertEquals("event", last());
    assertEquals("cib-reply", content().name());
  }

  @Test
  void attributesAreSetAndRead() {
    begin("attrd");
    ask(
        5,
        true,
        "<x t='attrd' task='update' attr_name='shade' attr_value='7' attr_host='far' attr_is_remote='1'"
            + " attr_is_private='0'/>");
    assertEquals(
        List.of(
            new AttrMessage.Update(
                AttrMessage.Change.VALUE,
                "shade",
                "",
                FAR,
                "7",
                -1,
                AttrMessage.Kind.TRANSIENT,
                true,
                AttrMessage.Wait.LOCAL)),
        attr.received());
    assertTrue(told.isEmpty(), "it is not done yet");
    attr.reply(1, new AttrMessage.Done(AttrMessage.Outcome.OK, ""));
    world.settle();
    assertEquals("response 5", last());
    assertEquals("0", content().get("status"));

    ask(6, true, "<x task='update-both' attr_regex='a.*' attr_dampening='5s' attr_set='x'/>");
    var update = (AttrMessage.Update) attr.received().getLast();
    assertEquals("a.*", update.pattern());
    assertEquals(5000, update.delayMillis());
    assertNull(update.node());
    assertNull(update.value());
    attr.reply(2, new AttrMessage.Done(AttrMessage.Outcome.DENIED, "no"));
    world.settle();
    assertEquals("4", content().get("status"));

    ask(7, true, "<x task='query' attr_name='shade'/>");
    attr.reply(
        3,
        new AttrMessage.Values(
            true,
            List.of(new AttrMessage.NodeValue(FAR, "7"), new AttrMessage.NodeValue(NODE1, null))));
    world.settle();
    assertEquals("response 7", last());
    assertEquals("shade", content().get("attr_name"));
    assertEquals("7", content().child(0).get("attr_value"));
    assertEquals("node1", content().child(1).get("attr_host"));
    ask(8, true, "<x task='query' attr_name='none'/>");
    attr.reply(4, new AttrMessage.Values(false, List.of()));
    world.settle();
    assertNull(content().get("attr_name"));
  }

  @Test
  void severalAttributesAreAcknowledgedTogether() {
    begin("attrd");
    ask(1, true, "<x task='update'><op attr_name='a' attr_value='1'/><op attr_name='b' attr_value='2'/></x>");
    assertEquals(2, attr.received().size());
    attr.reply(2, new AttrMessage.Done(AttrMessage.Outcome.OK, ""));
    world.settle();
    assertTrue(told.isEmpty());
    attr.reply(1, new AttrMessage.Done(AttrMessage.Outcome.OK, ""));
    world.settle();
    assertEquals("response 1", last());
  }

  private static final String ASKED =
      "<r t='crmd' subt='request' reference='ref-1' crm_task='%s' crm_sys_to='crmd' crm_sys_from='4_crm_node' %s/>";

  @Test
  void theNodeLearnsItsName() {
    begin("crmd");
    ask(1, true, ASKED.formatted("hello", ""));
    assertEquals("response 1", last());
    ask(2, true, ASKED.formatted("node-info", ""));
    assertEquals("response 2", last());
    assertEquals("ack", content().name());
    ctl.reply(
        1,
        new CtlMessage.Nodes(
            FAR,
            List.of(new CtlMessage.Node(new NodeId(1), NODE1, true, true)),
            true,
            4));
    world.settle();
    assertEquals("event", last());
    assertEquals("ref-1", content().get("reference"));
    assertEquals("4_crm_node", content().get("crm_sys_to"));
    var info = content().child(0).child(0);
    assertEquals("far", info.get("uname"));
    assertEquals("true", info.get("remote_node"));
    assertEquals("true", info.get("have-quorum"));

    ask(3, true, ASKED.formatted("node-info", "id='1'"));
    ctl.reply(
        2,
        new CtlMessage.Nodes(
            FAR,
            List.of(new CtlMessage.Node(new NodeId(1), NODE1, true, true)),
            true,
            4));
    world.settle();
    assertEquals("node1", content().child(0).child(0).get("uname"));
  }

  @Test
  void thereIsNoWayToCleanUpOrStop() {
    for (var task : List.of("lrm_delete", "lrm_fail", "rm_node_cache", "req_shutdown", "start_shutdown")) {
      begin("crmd");
      ask(1, true, ASKED.formatted(task, ""));
      assertEquals("destroy", last(), task);
    }
    assertEquals(List.of(), ctl.received());
  }

  @Test
  void theStateOfTheDcIsTold() {
    begin("crmd");
    ask(1, true, ASKED.formatted("ping", "").replace("crm_sys_to='crmd'", "crm_sys_to='dc'"));
    ctl.reply(1, new CtlMessage.Dc(NODE1));
    world.settle();
    assertEquals(new CtlMessage.StateQuery(NODE1), ctl.received().getLast());
    ctl.reply(2, new CtlMessage.State(NODE1, "S_IDLE", NODE1));
    world.settle();
    assertEquals("S_IDLE", content().child(0).child(0).get("crmd_state"));
    assertEquals("node1", content().get("src"));
  }

  private static String fencing(String operation, int options, String data) {
    return "<stonith_command t='stonith-ng' st_op='%s' st_callid='3' st_callopt='%d' st_clientid='s'><st_calldata>%s</st_calldata></stonith_command>"
        .formatted(operation, options, data);
  }

  @Test
  void devicesAndHistoryAreTold() {
    begin("stonith-ng");
    ask(1, true, "<stonith_command t='stonith-ng' st_op='register' st_clientname='x'/>");
    assertEquals("s", content().get("st_clientid"));
    ask(2, true, fencing("st_query", 0x1000, ""));
    assertEquals(1, fence.received(FenceMessage.DeviceQuery.class).size());
    fence.reply(1, new FenceMessage.Devices(List.of(new FenceMessage.Device("power", "fence_x", true))));
    world.settle();
    assertEquals("response 2", last());
    assertEquals("0", content().get("rc-code"));
    assertEquals("power", content().child(0).child(0).child(0).id());
    ask(3, true, fencing("st_query", 0x1000, "<d st_target='node1'/>"));
    assertEquals(NODE1, fence.received(FenceMessage.DeviceQuery.class).getLast().target());
    fence.reply(2, new FenceMessage.Denied("no right"));
    world.settle();
    assertEquals("4", content().get("rc-code"));
    assertEquals("no right", content().get("exit-reason"));

    ask(4, true, fencing("st_fence_history", 0x1000, ""));
    fence.reply(
        3,
        new FenceMessage.History(
            List.of(
                new FenceMessage.FenceRecord(
                    "id", NODE1, "reboot", FAR, "node2", "crm", FenceMessage.Progress.DONE,
                    1_700_000_000_250L, "", 1))));
    world.settle();
    var entry = content().child(0).child(0).child(0);
    assertEquals("1700000000", entry.get("st_date"));
    assertEquals("250000000", entry.get("st_date_nsec"));
    assertEquals("2", entry.get("st_state"));
  }

  @Test
  void nothingIsFencedFromARemoteNode() {
    begin("stonith-ng");
    for (var operation : List.of("st_fence", "st_execute", "st_device_register", "st_level_add", "x")) {
      ask(2, true, fencing(operation, 0x1000, "<d st_target='node1'/>"));
      assertEquals(Integer.toString(ExecStatus.ERROR.code()), content().get("op-status"), operation);
      assertEquals("-13", content().get("st_rc"));
    }
    ask(3, true, fencing("st_fence_history", 0x1000 | 0x80000, ""));
    assertEquals("-13", content().get("st_rc"), "the history is not cleaned up either");
    assertEquals(List.of(), fence.received());
  }

  @Test
  void whoWatchesTheFencerHearsOfIt() {
    begin("stonith-ng");
    ask(1, true, "<x st_op='st_notify' st_notify_activate='st_notify_history'/>");
    assertEquals("response 1", last());
    assertEquals(List.of(new FenceMessage.Subscribe()), fence.received());
    fence.event(new FenceMessage.HistoryChanged());
    world.settle();
    assertEquals("st_notify_history", content().get("subt"));
  }

  @Test
  void aConnectionIsOneUsers() {
    begin("cib_rw");
    ask(1, true, "<cib_command cib_op='noop' cib_callid='1' cib_callopt='4096'/>");
    proxies.forwarded(request(2, true, "root", "<cib_command cib_op='noop' cib_callopt='4096'/>"));
    world.settle();
    assertEquals("destroy", last());
    assertFalse(cib.isConnected());
  }

  @Test
  void aDaemonThatDoesNotAnswerEndsTheCommand() {
    begin("crmd");
    ask(1, true, ASKED.formatted("node-info", ""));
    world.pass(java.time.Duration.ofMinutes(6));
    world.settle();
    assertEquals("destroy", last());
  }
}
