package org.systole.cts.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// A case's configuration as the lab gives it to its nodes.
final class LiveConfigurationTest {
  private static final String CASE =
      """
      <cib validate-with="pacemaker-3.7"><configuration>
        <crm_config><cluster_property_set id="o">
          <nvpair id="o-1" name="concurrent-fencing" value="false"/>
          <nvpair id="o-2" name="cluster-name" value="theirs"/></cluster_property_set></crm_config>
        <nodes><node id="1" uname="alpha"><instance_attributes id="a"><nvpair id="a-1" name="colour" value="red"/>
          </instance_attributes></node><node id="2" uname="beta"/></nodes>
        <resources>
          <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/>
          <primitive id="idle" class="ocf" provider="heartbeat" type="Dummy"><meta_attributes id="idle-m">
            <nvpair id="idle-r" name="target-role" value="Started"/></meta_attributes></primitive>
          <primitive id="other" class="ocf" provider="heartbeat" type="Dummy"/>
        </resources>
        <constraints>
          <rsc_location id="l" rsc="web" node="alpha" score="-INFINITY"/>
          <rsc_location id="r" rsc="idle"><rule id="r-r" score="5"><expression id="r-e" attribute="#uname"
            operation="eq" value="beta"/></rule></rsc_location>
          <rsc_colocation id="c" rsc="web" with-rsc="other" score="5"/>
        </constraints></configuration>
        <status><node_state id="1" uname="alpha" in_ccm="true" crmd="online" join="member" expected="member">
          <lrm id="1"><lrm_resources><lrm_resource id="web" class="ocf" provider="heartbeat" type="Dummy">
            <lrm_rsc_op id="web_last_0" operation_key="web_start_0" operation="start" transition-key="1:1:0:x"
              transition-magic="0:0;1:1:0:x" call-id="1" rc-code="0" op-status="0" interval="0"/>
          </lrm_resource></lrm_resources></lrm></node_state></status></cib>
      """;

  private static final String LAB =
      """
      <configuration><crm_config><cluster_property_set id="lab"/></crm_config>
        <nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>
        <resources><primitive id="first" class="ocf" provider="lab" type="Witness"/></resources>
        <constraints/></configuration>
      """;

  private static final LiveConfiguration.Stage STAGE =
      new LiveConfiguration.Stage() {
        @Override
        public Element agent(Element primitive, boolean promotable) {
          return primitive.with("type", "Witness");
        }

        @Override
        public Element bundle(Element bundle) {
          return bundle;
        }
      };

  private static Element read(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private static LiveConfiguration configuration() {
    var part = Part.of("alpha", "node1", "beta", "node2").without("other", "not told of");
    return new LiveConfiguration(
        new CorpusCase("made up", read(CASE), TransitionGraph.EMPTY, Instant.EPOCH), part, STAGE);
  }

  private static Element byId(Element in, String id) {
    return Objects.requireNonNull(in.find(it -> id.equals(it.id())), id);
  }

  private static boolean has(Element in, String id) {
    return in.find(it -> id.equals(it.id())) != null;
  }

  @Test
  void itIsTheCasesWithTheLabsAgentsAndNodes() {
    var made = configuration().of(read(LAB));
    assertEquals("Witness", byId(made, "web").get("type"));
    assertEquals("node1", byId(made, "l").get("node"));
    assertEquals("node2", byId(made, "r-e").get("value"));
    assertEquals("red", byId(made, "a-1").get("value"));
    assertTrue(has(made, "lab") && has(made, "replay-option-o-1"));
    assertTrue(!has(made, "replay-option-o-2"), "what the cluster is called is its own matter");
    assertTrue(!has(made, "first"), "the lab's resources make room");
    assertTrue(!has(made, "other") && !has(made, "c"), "what is left out has no constraints either");
  }

  @Test
  void madeTwiceItIsTheSame() {
    var once = configuration().of(read(LAB));
    assertEquals(once, configuration().of(once));
  }

  @Test
  void heldItHasEverythingWhereTheCaseHasItAtItsBegin() {
    var held = configuration().held(read(LAB));
    assertEquals("node1", byId(held, "replay-hold-web").get("node"));
    assertEquals("INFINITY", byId(held, "replay-hold-web").get("score"));
    assertTrue(!has(held, "l"), "what would drive it away comes with the event");
    assertEquals("Stopped", byId(held, "idle-replay-role-1").get("value"));
    assertNull(held.find(it -> "idle-r".equals(it.id())), "what the case says of its role comes later");
  }
}
