package org.systole.scheduler.unpack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.scheduler.model.Bundle;
import org.systole.scheduler.model.Clone;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;
import org.systole.scheduler.model.Role;

class ResourcesTest {
  private final TestCib cib = new TestCib().node("a").node("b").fenceDevice();

  private static List<String> ids(List<Resource> resources) {
    return resources.stream().map(resource -> resource.id()).toList();
  }

  private Clone clone(String meta) {
    var ws = cib.resource("<clone id='c'>" + meta + TestCib.dummyXml("r", "") + "</clone>").read();
    return assertInstanceOf(Clone.class, TestCib.resource(ws, "c"));
  }

  @Test
  void aCloneHasAnInstanceForEveryNodeAndAStickinessOfOne() {
    var clone = clone("");
    assertEquals(List.of("r:0", "r:1"), ids(clone.children()));
    assertEquals(0, clone.stickiness());
    assertEquals(1, clone.children().getFirst().stickiness());
    assertFalse(clone.isUnique());
  }

  @Test
  void severalInstancesPerNodeMakeThemUnique() {
    var clone = clone(cib.meta("clone-node-max", "2"));
    assertTrue(clone.isUnique());
    assertEquals(2, clone.nodeMax());
  }

  @Test
  void historiesOfAnAnonymousCloneTakeInstancesInTheOrderTheyAreRead() {
    cib.resource("<clone id='c'>" + TestCib.dummyXml("r", "") + "</clone>")
        .online("b", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)))
        .online("a", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)));
    var ws = cib.read();
    assertEquals("b", TestCib.resource(ws, "r:0").active().getFirst().name());
    assertEquals("a", TestCib.resource(ws, "r:1").active().getFirst().name());
  }

  @Test
  void moreHistoriesThanInstancesMakeSurplusOnes() {
    cib.resource(
            "<clone id='c'>" + cib.meta("clone-max", "1") + TestCib.dummyXml("r", "") + "</clone>")
        .online("a", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)))
        .online("b", TestCib.history("r", cib.entry("r", "start", 2, 0, 0)));
    var ws = cib.read();
    assertFalse(TestCib.resource(ws, "r:0").is(ResourceFlag.REMOVED));
    assertTrue(TestCib.resource(ws, "r:1").is(ResourceFlag.REMOVED));
  }

  @Test
  void operationsOfATemplateCountUnlessTheResourceHasTheSame() {
    cib.resource(
            "<template id='t' class='ocf' provider='pacemaker' type='Dummy'><operations>"
                + "<op id='t-mon' name='monitor' interval='10s'/>"
                + "<op id='t-start' name='start' interval='0' timeout='5s'/>"
                + "</operations></template>")
        .resource(
            "<primitive id='r' template='t'><operations>"
                + "<op id='r-mon' name='monitor' interval='20s'/></operations></primitive>");
    var ws = cib.read();
    var r = TestCib.resource(ws, "r");
    assertEquals("Dummy", r.xml().get("type"));
    var operations = r.operations();
    assertNotNull(operations);
    assertEquals(
        List.of("r-mon", "t-start"),
        operations.children().stream().map(op -> op.get("id", "")).toList());
    assertTrue(ws.templates().get("t").refs().contains("r"));
  }

  @Test
  void membersInheritFromTheirGroup() {
    cib.resource(
        "<group id='g'>"
            + cib.meta("target-role", "Stopped")
            + TestCib.dummyXml("m1", "")
            + TestCib.dummyXml("m2", cib.meta("target-role", "Started"))
            + "</group>");
    var ws = cib.read();
    assertEquals(Role.STOPPED, TestCib.resource(ws, "m1").targetRole());
    assertNull(TestCib.resource(ws, "m2").targetRole());
  }

  @Test
  void resourcesOfHigherPriorityComeFirst() {
    cib.dummy("low", "").dummy("high", cib.meta("priority", "10"));
    assertEquals(List.of("high", "fencing", "low"), ids(cib.read().resources()));
  }

  @Test
  void aGuestNodeHasAConnectionLaunchedByItsResource() {
    cib.dummy("vm", cib.meta("remote-node", "guest"));
    var ws = cib.read();
    var guest = ws.node("guest");
    assertNotNull(guest);
    assertTrue(guest.isGuest());
    assertEquals("container", guest.attributes().get("#kind"));
    assertSame(TestCib.resource(ws, "vm"), TestCib.resource(ws, "guest").launcher());
  }

  @Test
  void aBundleImpliesContainersAddressesConnectionsAndNodes() {
    cib.resource(
        "<bundle id='web'><podman image='img' replicas='2'/>"
            + "<network ip-range-start='192.168.0.10'/>"
            + "<storage><storage-mapping id='s' source-dir-root='/srv' target-dir='/data'/>"
            + "</storage>"
            + TestCib.dummyXml("r", "")
            + "</bundle>");
    var ws = cib.read();
    var web = assertInstanceOf(Bundle.class, TestCib.resource(ws, "web"));
    assertEquals(
        List.of(
            "web-podman-0",
            "web-ip-192.168.0.10",
            "web-0",
            "web-podman-1",
            "web-ip-192.168.0.11",
            "web-1",
            "web-clone"),
        ids(web.children()));
    var node = ws.node("web-1");
    assertNotNull(node);
    assertTrue(node.isBundleNode());
    assertEquals(
        " -h web-1 -e PCMK_stderr=1 -e PCMK_remote_port=3121 -v /srv/web-1:/data"
            + " -v /etc/pacemaker/authkey:/etc/pacemaker/authkey"
            + " -v /var/log/pacemaker/bundles/web-1:/var/log"
            + " -p 192.168.0.11:3121:3121"
            + "  --add-host=web-0:192.168.0.10 --add-host=web-1:192.168.0.11",
        TestCib.resource(ws, "web-podman-1").parameters(null).get("run_opts"));
  }

  @Test
  void aBundleHasNoMoreReplicasThanThereAreAddresses() {
    cib.resource(bundle("of6", 3, "fd00::10")).resource(bundle("last", 4, "10.0.253.253"));
    var ws = cib.read();
    assertEquals(
        List.of("of6-podman-0", "of6-ip-fd00::10", "of6-0", "of6-clone"),
        ids(TestCib.resource(ws, "of6").children()));
    assertEquals(
        List.of("last-ip-10.0.253.253", "last-ip-10.0.253.254", "last-ip-10.0.254.1"),
        ids(TestCib.resource(ws, "last").children()).stream()
            .filter(id -> id.contains("-ip-"))
            .toList());
    assertEquals(
        2,
        ws.messages().stream()
            .filter(message -> message.text().contains("there are no more addresses from"))
            .count());
  }

  private static String bundle(String id, int replicas, String address) {
    return "<bundle id='%s'><podman image='img' replicas='%d'/><network ip-range-start='%s'/>%s</bundle>"
        .formatted(id, replicas, address, TestCib.dummyXml("in-" + id, ""));
  }

  @Test
  void aResourceThatIsNotValidIsLeftOutAndReported() {
    var ws = cib.resource("<primitive id='r' template='none'/>").read();
    assertNull(ws.resource("r"));
    assertTrue(
        ws.messages().stream()
            .anyMatch(message -> message.text().equals("No template named 'none'")));
  }
}
