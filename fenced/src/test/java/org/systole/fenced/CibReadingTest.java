package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// When devices and topology are read again.
final class CibReadingTest {
  private static final NodeName LOCAL = new NodeName("node1");

  private final Element own = attributes("1");
  private final Element others = attributes("2");
  private final CibReading reading = new CibReading(new TestWorld(), () -> {});

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  private static Element attributes(String id) {
    return Element.of("transient_attributes", "id", id);
  }

  private static Element cib(Element configuration, Element own, Element others) {
    var one = Element.of("node_state", "id", "1", "uname", "node1").withChildren(List.of(own));
    var two = Element.of("node_state", "id", "2", "uname", "node2").withChildren(List.of(others));
    var status = Element.of("status").withChildren(List.of(one, two));
    return Element.of("cib").withChildren(List.of(configuration, status));
  }

  /// Whether this node's attributes, and others', have all read again.
  private void hasRead(String configured, boolean forOwn, boolean forOthers) {
    var configuration = xml("<configuration>" + configured + "</configuration>");
    assertTrue(reading.isDue(cib(configuration, own, others), LOCAL));
    reading.done(cib(configuration, own, others), LOCAL);
    assertFalse(reading.isDue(cib(configuration, own, others), LOCAL));
    assertTrue(forOwn == reading.isDue(cib(configuration, attributes("1"), others), LOCAL));
    assertTrue(forOthers == reading.isDue(cib(configuration, own, attributes("2")), LOCAL));
  }

  @Test
  void attributesCountWhereSomethingGoesByThem() {
    hasRead("", false, false);
    hasRead("<fencing-topology><fencing-level target='a'/></fencing-topology>", false, false);
    hasRead("<constraints><rsc_location><rule/></rsc_location></constraints>", true, false);
    hasRead(
        "<fencing-topology><fencing-level target-attribute='a'/></fencing-topology>", true, true);
  }
}
