package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

final class RemoteNodesTest {
  private static final String FAR =
      "<primitive id='far' class='ocf' provider='pacemaker' type='remote'/>";

  private final TestWorld world = new TestWorld();
  private final RemoteNodes nodes = new RemoteNodes(world);

  private static Element cib(String resources, String status) throws Exception {
    return XmlReader.parse(
        "<cib><configuration><resources>%s</resources></configuration><status>%s</status></cib>"
            .formatted(resources, status)
            .replace('\'', '"'));
  }

  private static Element found(Element cib, String id) {
    return cib.find(it -> id.equals(it.id()));
  }

  @Test
  void aConfigurationWithoutThemIsPlannedAsItIs() throws Exception {
    var cib = cib("<group id='g'><primitive id='a'/></group><bundle id='b'/>", "");
    assertSame(cib, nodes.leftOut(cib));
  }

  @Test
  void aRemoteNodesConnectionStaysStoppedAndTheNodeCountsAsKnown() throws Exception {
    var cib = cib(FAR, "");
    var planned = nodes.leftOut(cib);
    assertEquals("Stopped", found(planned, "far-out-of-reach-role").get("value"));
    assertNotNull(planned.first("status").first("node_state", "far"));
    assertTrue(world.logged("Nothing connects to remote and guest nodes yet: far can run nothing"));
    assertEquals(planned, nodes.leftOut(cib), "again the same");

    var known = cib(FAR, "<node_state id='far' uname='far'/>");
    assertEquals(1, nodes.leftOut(known).first("status").childCount());
  }

  @Test
  void whatATemplateSaysCountsForTheResourcesMadeFromIt() throws Exception {
    var planned =
        nodes.leftOut(
            cib(
                "<template id='t' class='ocf' provider='pacemaker' type='remote'/>"
                    + "<primitive id='far' template='t'/>"
                    + "<template id='g' class='ocf' provider='heartbeat' type='VirtualDomain'>"
                    + "<meta_attributes id='m'><nvpair id='n' name='remote-node' value='inside'/>"
                    + "</meta_attributes></template><primitive id='vm' template='g'/>",
                ""));
    assertEquals("Stopped", found(planned, "far-out-of-reach-role").get("value"));
    assertNotNull(planned.first("status").first("node_state", "far"));
    assertNull(found(planned, "n"));
    assertTrue(world.logged("far, inside can run nothing"));
  }

  @Test
  void whatMakesAGuestNodeIsAnOrdinaryResourceAndABundleHasOnlyItsContainers() throws Exception {
    var planned =
        nodes.leftOut(
            cib(
                "<group id='g'><primitive id='vm'><meta_attributes id='m'><nvpair id='n'"
                    + " name='remote-node' value='inside'/><nvpair id='p' name='priority'"
                    + " value='1'/></meta_attributes></primitive></group><bundle id='web'><docker"
                    + " image='x'/><primitive id='httpd'/></bundle>",
                ""));
    assertNull(found(planned, "n"));
    assertNotNull(found(planned, "p"));
    assertNull(found(planned, "httpd"));
    assertEquals(1, found(planned, "web").childCount());
    assertTrue(world.logged("inside, the containers of web can run nothing"));
    assertEquals(0, planned.first("status").childCount());
  }
}
