package org.systole.controld.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibQuery;
import org.systole.common.values.NodeName;
import org.systole.common.world.Connection;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.ProxyXml;
import org.systole.execd.client.remote.RemoteXml;

/// Commands of ours on the remote node `far`; the test plays its end, and this member's CIB manager.
final class ProxiesTest {
  private static final CibMessage.Query QUERY =
      new CibMessage.Query(new CibQuery("", false, false, false), "");

  private final TestWorld world = new TestWorld();
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private final List<Element> told = new ArrayList<>();
  private final List<Runnable> untaken = new ArrayList<>();
  private final Proxies proxies =
      new Proxies(
          world,
          new NodeName("far"),
          new ProxyRoom(),
          (message, taken) -> {
            told.add(message);
            untaken.add(taken);
          });

  private void say(Element message) {
    proxies.forwarded(message);
    world.settle();
  }

  private void begin(String session) {
    say(ProxyXml.begin(session, "cib", "root", List.of("root")));
    told.removeIf(it -> it.get("lrmd_ipc_op", "").equals("taken")); // of the beginning
  }

  private static Element ask(String session) {
    return ProxyXml.frame("request", session, CibMessage.PROTOCOL.request(5, QUERY));
  }

  private List<String> told() {
    return told.stream()
        .map(it -> it.get("lrmd_ipc_op", "?") + " " + it.get("lrmd_ipc_session"))
        .toList();
  }

  @Test
  void aRequestIsAskedInTheNameOfTheNodesUserAndAnswered() throws Exception {
    begin("s");
    say(ask("s"));
    assertEquals(
        List.of(
            new Connection.Credentials("root", List.of("root"), false, new NodeName("far"))),
        cib.spokenFor());
    assertEquals(List.of(QUERY), cib.received());
    assertEquals(List.of("taken s"), told());

    cib.reply(1, new CibMessage.Copy("<cib/>"));
    world.settle();
    assertEquals(List.of("taken s", "event s"), told());
    var frame = ProxyXml.frameIn(told.getLast());
    assertNotNull(frame);
    assertEquals(
        "Reply[id=5, body=Copy[xml=<cib/>]]", CibMessage.PROTOCOL.saidIn(frame).toString());
  }

  @Test
  void aCommandThatAsksForMoreThanTheDaemonTakesIsEnded() {
    begin("s");
    say(ask("s"));
    assertEquals(List.of("taken s"), told());
    world.unsent(Proxies.UNTAKEN_MAX + 1);
    say(ask("s"));
    assertEquals(List.of("taken s", "taken s", "destroy s"), told());
  }

  @Test
  void manyNodesDoNotMakeThisMemberKeepMoreTogetherThanItCan() {
    var ended = new ArrayList<String>();
    var room = new ProxyRoom();
    world.unsent(Proxies.UNTAKEN_MAX - 1);
    for (var count = 0; count < 6; count++) {
      var name = new NodeName("far" + count);
      var each =
          new Proxies(
              world,
              name,
              room,
              (message, _) -> {
                if (message.get("lrmd_ipc_op", "").equals("destroy")) {
                  ended.add(name.text());
                }
              });
      each.forwarded(ProxyXml.begin("s", "cib", "root", List.of("root")));
      each.forwarded(ask("s"));
      world.settle();
    }
    assertEquals(List.of("far0", "far1"), ended);
  }

  @Test
  void aDaemonThatGoesEndsTheCommand() {
    begin("s");
    say(ask("s"));
    cib.drop("killed");
    assertEquals(List.of("taken s", "destroy s"), told());
    say(ask("s"));
    assertEquals(List.of("taken s", "destroy s", "destroy s"), told());
    assertEquals(1, cib.received().size());
  }

  @Test
  void theEndOfTheConnectionEndsAllOfThem() {
    begin("s");
    begin("t");
    assertTrue(cib.isConnected());
    proxies.end();
    world.settle();
    assertFalse(cib.isConnected());
    begin("u");
    assertEquals(List.of(), told());
  }

  @Test
  void whatIsNotServedIsRefused() {
    for (var server : List.of("secret", "exec", "sched", "../cib", "")) {
      say(ProxyXml.begin("s-" + server, server, "root", List.of()));
    }
    say(ProxyXml.of("new", "x").attr("lrmd_ipc_server", "pacemakerd").build());
    say(ProxyXml.begin("nobody", "cib", "", List.of()));
    assertEquals(7, told().stream().filter(it -> it.startsWith("destroy ")).count());
    assertFalse(cib.isConnected());
    begin("s");
    begin("s");
    assertEquals("destroy s", told().getLast());
    say(ProxyXml.of("request", "s").build());
    assertEquals("destroy s", told().getLast(), "it had no frame");
    assertFalse(cib.isConnected());
  }

  @Test
  void aUserWhoCannotBeNamedGetsNothing() {
    say(ProxyXml.begin("s", "cib", "root\nhacluster", List.of()));
    say(ask("s"));
    assertEquals(List.of(), cib.received());
    assertEquals("destroy s", told().getLast());
  }

  @Test
  void aNodeThatAsksWithoutEndLosesItsCommands() {
    begin("s");
    for (var at = 0; at <= Proxies.REQUESTS_MAX; at++) {
      proxies.forwarded(ask("s"));
    }
    world.settle();
    assertEquals("destroy s", told().getLast());
    assertTrue(cib.received().size() <= 1, "each takes a turn of its own");
    told.clear();
    begin("t");
    say(ask("t"));
    assertEquals(List.of("taken t"), told());
  }

  @Test
  void whatIsMadeOfManyElementsCountsForTheMemoryThatItTakes() {
    begin("s");
    var many = Element.builder("x");
    for (var at = 0; at < 100_000; at++) {
      many.add(Element.of("a"));
    }
    var request = ProxyXml.of("request", "s").add(many.build()).build();
    for (var at = 0; at < 30; at++) {
      proxies.forwarded(request);
    }
    assertEquals("destroy s", told().getLast());
  }

  @Test
  void aNodeHasSoManyCommands() {
    for (var at = 0; at <= Proxies.SESSIONS_MAX; at++) {
      begin("s" + at);
    }
    assertEquals(List.of("destroy s" + Proxies.SESSIONS_MAX), told());
  }

  @Test
  void whatTheNodeDoesNotTakeWaits() {
    begin("s");
    say(ask("s"));
    told.clear();
    untaken.clear();
    for (var at = 0; at < 10; at++) {
      var noise = new java.util.Random(at).ints(300_000, 'a', 'z').collect(
          StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
      cib.event(new CibMessage.Copy(noise.toString()));
    }
    world.settle();
    var before = told.size();
    assertTrue(before < 10);
    List.copyOf(untaken).forEach(Runnable::run);
    assertTrue(told.size() > before);
  }

  @Test
  void unknownWordsAreIgnored() {
    begin("s");
    say(ProxyXml.of("dance", "s").build());
    say(ProxyXml.of(RemoteXml.PROXY_END, "").build());
    assertTrue(cib.isConnected());
  }
}
