package org.systole.schedulerd.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

class PackedGraphTest {
  private static final int MIB = 1 << 20;

  /// As many actions of a resource as there are nodes, each with all parameters.
  private static Element graph(int nodes, String... values) {
    var graph = Element.builder("transition_graph").attr("transition_id", 0);
    for (var node = 1; node <= nodes; node++) {
      var attributes = Element.builder("attributes").attr("on", node);
      for (var at = 0; at < values.length; at++) {
        attributes.attr("p" + at, values[at]);
      }
      graph.add(Element.builder("rsc_op").attr("id", node).add(attributes));
    }
    return graph.build();
  }

  @Test
  void aPlanForSevenNodesIsHardlyLongerThanTheLongestParametersThereMayBe() throws XmlException {
    var graph = graph(7, "x".repeat(15 * MIB), "short", "@@0", "@@=", "@@");
    assertTrue(graph.textLength() > 100 * MIB);

    var packed = PackedGraph.pack(graph);

    assertTrue(packed.textLength() < 15 * MIB + 2000, "" + packed.textLength());
    var read = PackedGraph.unpack(XmlReader.parse(XmlWriter.compact(packed)));
    assertEquals(graph, read);
    assertSame(
        read.child(0).child(0).get("p0"), read.child(6).child(0).get("p0"), "it is there once");
  }

  @Test
  void aShortPlanGoesAsItIs() throws XmlException {
    var graph = graph(3, "y".repeat(1000), "@@0");
    assertSame(graph, PackedGraph.pack(graph));
    assertSame(graph, PackedGraph.unpack(graph));
  }

  @Test
  void whatIsNoPackedPlanIsRefused() throws XmlException {
    for (var broken :
        new String[] {
          "<packed-graph/>",
          "<packed-graph><value text=\"a\"/><g a=\"@@1\"/></packed-graph>",
          "<packed-graph><g a=\"@@x\"/></packed-graph>",
          "<packed-graph><g><h a=\"@@-1\"/></g></packed-graph>"
        }) {
      var element = XmlReader.parse(broken);
      assertThrows(XmlException.class, () -> PackedGraph.unpack(element), broken);
    }
  }
}
