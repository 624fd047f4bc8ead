package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

class SimTellingTest {
  private final SimTelling telling = new SimTelling();

  @Test
  void whatHappensSideBySideIsToldTheSameInWhateverOrderItCame() {
    var one =
        telling.inOrder(
            List.of(
                "store started on node2",
                "a stopped on node1",
                "store started on node1",
                "node2 is DC",
                "a started on node2"));
    var other =
        telling.inOrder(
            List.of(
                "node2 is DC",
                "a stopped on node1",
                "a started on node2",
                "store started on node1",
                "store started on node2"));

    assertEquals(one, other);
    assertEquals(
        List.of(
            "a stopped on node1",
            "a started on node2",
            "node2 is DC",
            "store started on node1",
            "store started on node2"),
        one);
  }

  @Test
  void whatComesBeforeAFencingIsToldBeforeIt() {
    var unsafe = List.of("b started on node1", "node3 fenced by node2", "a started on node1");
    var safe = List.of("node3 fenced by node2", "a started on node1", "b started on node1");

    assertEquals(unsafe, telling.inOrder(unsafe));
    assertEquals(safe, telling.inOrder(safe));
  }

  @Test
  void aStopThatDoesNotConcernTheFencedNodeIsToldAsIfItCameFirst() {
    var stop = "a stopped on node1";
    var fenced = "node3 fenced by node2";

    assertEquals(List.of(stop, fenced), telling.inOrder(List.of(fenced, stop)));
    assertEquals(List.of(stop, fenced), telling.inOrder(List.of(stop, fenced)));
  }

  @Test
  void membersOfAGroupKeepTheirOrder() throws XmlException {
    var first = List.of("g2 stopped on node1", "g1 stopped on node1");
    assertNotEquals(first, telling.inOrder(first));

    telling.groupsOf(
        XmlReader.parse(
            "<cib><configuration><resources><group id=\"g\"><primitive id=\"g1\"/>"
                + "<primitive id=\"g2\"/></group></resources></configuration></cib>"));

    assertEquals(first, telling.inOrder(first));
  }
}
