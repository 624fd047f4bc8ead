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

final class GuestNodesTest {
  private static final String FAR =
      "<primitive id='far' class='ocf' provider='pacemaker' type='remote'/>";

  private final TestWorld world = new TestWorld();
  private final GuestNodes nodes = new GuestNodes(world);

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
  void aRemoteNodesConnectionIsPlannedAsItIs() throws Exception {
    var cib = cib(FAR, "");
    assertSame(cib, nodes.leftOut(cib));
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
