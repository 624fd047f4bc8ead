package org.systole.controld.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.execd.client.remote.ProxyXml;

/// Whatever a remote host says for its commands, the member's controller lives: an exception in it would
/// end it, and so would what grows without end.
final class NonsenseFromAfarTest {
  private static final List<String> SERVERS =
      List.of("cib_ro", "cib_rw", "attrd", "crmd", "stonith-ng", "systole/exec", "systole/../cib", "x");

  private static final List<String> ODD =
      List.of(
          "",
          "-1",
          "2147483648",
          "99999999999999999999",
          "true",
          "//*",
          "//[",
          "a\nb",
          "'",
          "x".repeat(9_000));

  private static final List<String> ASKED =
      List.of(
          "<cib_command cib_op='cib_query' cib_section='//nvpair' cib_callopt='4098' cib_callid='1'/>",
          "<cib_command cib_op='cib_modify' cib_section='status' cib_callopt='4104' cib_callid='2'>"
              + "<cib_calldata><status/></cib_calldata></cib_command>",
          "<cib_command cib_op='cib_delete' cib_section='//a' cib_callopt='2'/>",
          "<cib_command cib_op='cib_commit_transact'><cib_calldata><cib_transaction>"
              + "<cib_request cib_op='cib_create' cib_section='nodes'><cib_calldata><node id='1'/>"
              + "</cib_calldata></cib_request></cib_transaction></cib_calldata></cib_command>",
          "<cib_command cib_op='register' cib_clientname='x'/>",
          "<cib_command cib_op='cib_notify' cib_notify_type='cib_diff_notify' cib_notify_activate='1'/>",
          "<attrd t='attrd' task='update' attr_name='fuzz' attr_value='1' attr_dampening='5s'/>",
          "<attrd task='update'><op task='update-both' attr_regex='.*[' attr_host='far'/><op/></attrd>",
          "<attrd t='attrd' task='query' attr_name='#uname' attr_host='node1'/>",
          "<attrd t='attrd' task='clear-failure' attr_resource='dummy' attr_clear_interval='5s'/>",
          "<attrd task='refresh'/>",
          "<create_request crm_task='hello'/>",
          "<create_request crm_task='node-info' crm_sys_to='crmd' reference='1' id='1' uname='far'/>",
          "<create_request crm_task='list-nodes' crm_sys_to='crmd'/>",
          "<create_request crm_task='ping' crm_sys_to='crmd' crm_host_to='node1'/>",
          "<create_request crm_task='lrm_delete' crm_sys_to='crmd'/>",
          "<stonith_command st_op='st_query' st_callid='1' st_callopt='1'><st_calldata/></stonith_command>",
          "<stonith_command st_op='st_fence_history' st_target='node1' st_callopt='4096' st_callid='2'/>",
          "<stonith_command st_op='register' st_clientname='x'/>",
          "<stonith_command st_op='st_notify' st_notify_activate='1'/>");

  private final SplittableRandom random = new SplittableRandom(Long.getLong("fuzz.seed", 11));
  private final TestWorld world = new TestWorld();
  private final List<Element> told = new ArrayList<>();
  private final List<Runnable> untaken = new ArrayList<>();

  private Element asked() {
    try {
      return XmlReader.parse(one(ASKED).replace('\'', '"'));
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private Element odd(Element message) {
    var changed = message;
    for (var count = random.nextInt(3); count > 0 && changed.attributeCount() > 0; count--) {
      var name = changed.attributeName(random.nextInt(changed.attributeCount()));
      changed = changed.with(name, one(ODD));
    }
    if (changed.childCount() > 0 && random.nextInt(4) == 0) {
      changed = changed.replace(0, odd(changed.child(0)));
    }
    return changed;
  }

  private Element message() {
    var session = "s" + random.nextInt(20);
    return switch (random.nextInt(10)) {
      case 0, 1 ->
          ProxyXml.of("new", session)
              .attr(ProxyXml.SERVER, one(SERVERS))
              .attr(ProxyXml.USER, "nobody")
              .build();
      case 2 -> ProxyXml.end(session);
      case 3 -> ProxyXml.taken(session, random.nextInt());
      case 4 -> {
        var noise = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(noise);
        yield ProxyXml.frame("request", session, noise);
      }
      default ->
          ProxyXml.of("request", session)
              .attr(ProxyXml.USER, random.nextInt(50) == 0 ? "root" : "nobody")
              .attr(ProxyXml.MESSAGE_ID, random.nextInt(9))
              .attr(ProxyXml.FLAGS, random.nextBoolean() ? 0 : 0x200)
              .add(Element.builder(ProxyXml.CONTENT).add(odd(asked())).build())
              .build();
    };
  }

  private CibMessage.Reply answer(CibMessage.Request request) {
    var rcs = Rc.values();
    return request instanceof CibMessage.Subscribe && random.nextBoolean()
        ? new CibMessage.Copy("<cib/>")
        : new CibMessage.Answer(
            rcs[random.nextInt(rcs.length)],
            "because",
            random.nextBoolean() ? "<cib/>" : null,
            new CibVersion(0, 1, 2));
  }

  @Test
  void nothingThatIsSaidForCommandsEndsTheController() throws Exception {
    var cib = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
    cib.script((id, request) -> cib.reply(id, answer(request)));
    var attr = world.peer(AttrMessage.SOCKET, AttrMessage.PROTOCOL);
    attr.script(
        (id, _) -> attr.reply(id, new AttrMessage.Done(AttrMessage.Outcome.OK, "")));
    var proxies =
        new Proxies(
            world,
            new NodeName("far"),
            new ProxyRoom(),
            (message, taken) -> {
              told.add(message);
              untaken.add(taken);
            });
    for (var count = 0; count < 20_000; count++) {
      proxies.forwarded(random.nextInt(4) == 0 ? odd(message()) : message());
      world.settle();
      if (random.nextInt(3) == 0) {
        untaken.forEach(Runnable::run);
        untaken.clear();
        told.clear();
      }
    }
    proxies.end();
    world.settle();
    var asked = cib.received().size();
    assertTrue(asked > 100, "some of it is asked: " + asked);
    var before = told.size();
    proxies.forwarded(message());
    world.settle();
    assertEquals(before, told.size(), "what comes later is not heard");
  }

  private Element request(String user, String program) {
    var register = Element.of("cib_command", "cib_op", "register", "cib_clientname", program);
    return ProxyXml.of("request", "s")
        .attr(ProxyXml.USER, user)
        .add(Element.builder(ProxyXml.CONTENT).add(register).build())
        .build();
  }

  /// They are kept as long as the session, and counted for nothing.
  @Test
  void namesAreKeptOnlyAsFarAsTheyCanBeNames() {
    var cib = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
    var proxies = new Proxies(world, new NodeName("far"), new ProxyRoom(), (message, _) -> told.add(message));
    proxies.forwarded(ProxyXml.of("new", "s").attr(ProxyXml.SERVER, "cib_rw").build());
    proxies.forwarded(request("kim", "x".repeat(9_000)));
    var change = Element.of("cib_command", "cib_op", "cib_erase");
    proxies.forwarded(
        ProxyXml.of("request", "s")
            .attr(ProxyXml.USER, "kim")
            .add(Element.builder(ProxyXml.CONTENT).add(change).build())
            .build());
    world.settle();
    assertEquals("x".repeat(256), ((CibMessage.Update) cib.received().getLast()).client());

    proxies.forwarded(ProxyXml.end("s"));
    proxies.forwarded(ProxyXml.of("new", "s").attr(ProxyXml.SERVER, "cib_rw").build());
    proxies.forwarded(request("k".repeat(257), "crm_mon"));
    world.settle();
    assertEquals("destroy", told.getLast().get("lrmd_ipc_op"));
  }
}
