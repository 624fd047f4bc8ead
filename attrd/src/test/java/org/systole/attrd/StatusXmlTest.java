package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.output.Rc;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// Attributes as the CIB's status section has them, and back.
class StatusXmlTest {
  private static final Kind USED = new Kind("", true, false);
  private static final Kind OWN_SET = new Kind("my set", false, false);

  private final List<CibOp> deletions = new ArrayList<>();

  private static Attribute attribute(String name, Kind kind) {
    return new Attribute(name, kind, 0);
  }

  @Test
  void valuesAreMergedIntoTheNodesStateBySet() {
    var status = new StatusXml(new CibNodeId("7"), new NodeName("node7"));
    status.add(attribute("color", Kind.TRANSIENT), "red", deletions);
    status.add(attribute("size", Kind.TRANSIENT), "big", deletions);
    status.add(attribute("cpu", USED), "4", deletions);
    assertEquals(List.of(), deletions);
    var merge = status.merge();
    assertNotNull(merge);
    assertEquals(
        "<node_state id=\"7\" uname=\"node7\"><transient_attributes id=\"7\">"
            + "<instance_attributes id=\"status-7\">"
            + "<nvpair id=\"status-7-color\" name=\"color\" value=\"red\"/>"
            + "<nvpair id=\"status-7-size\" name=\"size\" value=\"big\"/></instance_attributes>"
            + "<utilization id=\"status-7\">"
            + "<nvpair id=\"status-7-cpu\" name=\"cpu\" value=\"4\"/></utilization>"
            + "</transient_attributes></node_state>",
        XmlWriter.compact(merge).strip());
  }

  @Test
  void aDeletedValueIsDeletedByItsIds() {
    var status = new StatusXml(new CibNodeId("7"), new NodeName("node7"));
    status.add(attribute("color", Kind.TRANSIENT), null, deletions);
    assertNull(status.merge());
    assertEquals(1, deletions.size());
    assertTrue(
        deletions
            .getFirst()
            .toString()
            .contains(
                "/cib/status/node_state[@id='7']/transient_attributes[@id='7']"
                    + "/instance_attributes[@id='status-7']/nvpair[@id='status-7-color']"),
        deletions::toString);
  }

  /// All that the type lets be a name is one here: nothing in it is read as part of a path.
  @ParameterizedTest
  @ValueSource(
      strings = {"n'", "n\"", "n']|//node_state['", "n' or '1'='1", "'\"", "a/b", "<&>[]|", " "})
  void anUnusualNodeNameConcernsOnlyItsNode(String text) throws Exception {
    var name = new NodeName(text);
    var color = attribute("color", Kind.TRANSIENT);
    var one = new StatusXml(new CibNodeId(text), name);
    one.add(color, "red", deletions);
    var other = new StatusXml(new CibNodeId("2"), new NodeName("n"));
    other.add(color, "red", deletions);
    var states = XmlWriter.compact(one.merge()) + XmlWriter.compact(other.merge());
    var cib =
        XmlReader.parse(
            """
            <cib validate-with="none" admin_epoch="0" epoch="1" num_updates="0"><configuration/>
            <status>%s</status></cib>"""
                .formatted(states));
    one.add(color, null, deletions);
    var without = CibUpdate.apply(cib, deletions, null);
    assertEquals(Rc.OK, without.rc());
    assertFalse(one.has(without.cib(), color, "red"));
    assertTrue(other.has(without.cib(), color, "red"));

    var all = List.of(CibOp.deleteAllXPath(StatusXml.everythingOf(name)));
    var gone = CibUpdate.apply(cib, all, null);
    assertEquals(Rc.OK, gone.rc());
    assertEquals(List.of(), one.read(gone.cib()));
    assertTrue(other.has(gone.cib(), color, "red"));
  }

  @Test
  void idsAreXmlIdsWhateverTheNames() {
    assertEquals("fail-count-a.start_0", StatusXml.clean("fail-count-a#start_0"));
    assertEquals("a.b:c-d_e", StatusXml.clean("a b:c-d_e"));
    assertEquals("größe", StatusXml.clean("größe"));
    assertEquals(".x.", StatusXml.clean("'x\""));
  }

  @Test
  void writtenValuesAreReadAgain() throws Exception {
    var status = new StatusXml(new CibNodeId("7"), new NodeName("node7"));
    var color = attribute("color", Kind.TRANSIENT);
    var own = attribute("size", OWN_SET);
    status.add(color, "red", deletions);
    status.add(own, "big", deletions);
    status.add(attribute("cpu", USED), "4", deletions);
    var text = XmlWriter.compact(status.merge());
    var cib = XmlReader.parse("<cib><configuration/><status>" + text + "</status></cib>");
    assertTrue(status.has(cib, color, "red"));
    assertTrue(status.has(cib, own, "big"));
    assertFalse(status.has(cib, color, "blue"));
    assertFalse(new StatusXml(new CibNodeId("8"), new NodeName("node8")).has(cib, color, "red"));
    assertEquals(
        List.of(
            new AttrPeerMessage.Value(
                "color", Kind.TRANSIENT, 0, new NodeName("node7"), "red", false),
            new AttrPeerMessage.Value(
                "size", new Kind("my.set", false, false), 0, new NodeName("node7"), "big", false),
            new AttrPeerMessage.Value("cpu", USED, 0, new NodeName("node7"), "4", false)),
        status.read(cib));
  }

  @Test
  void aCibWithoutTheNodeHasNothing() throws Exception {
    var status = new StatusXml(new CibNodeId("7"), new NodeName("node7"));
    for (var text :
        List.of(
            "<cib/>",
            "<cib><status/></cib>",
            "<cib><status><node_state id='7' uname='node7'/></status></cib>")) {
      var cib = XmlReader.parse(text);
      assertEquals(List.of(), status.read(cib));
      assertFalse(status.has(cib, attribute("color", Kind.TRANSIENT), "red"));
    }
  }
}
