package org.systole.controld.dc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.systole.controld.TestNodes.id;
import static org.systole.controld.TestNodes.ids;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cluster.LinkMessage.ConfiguredNode;
import org.systole.common.transition.GraphAction;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

/// What a side without quorum that freezes may bring where. Node1 decides about node2.
final class AdmissionsTest {
  private final Host host = new Host();
  private final NodeBook book = new NodeBook();
  private final Admissions admissions = new Admissions(host, id(1), book);

  private static final class Host implements Admissions.Host {
    boolean quorate;
    boolean freezes = true;
    List<NodeId> joined = ids(1, 2);
    @Nullable Element cib;

    @Override
    public boolean quorate() {
      return quorate;
    }

    @Override
    public boolean freezes() {
      return freezes;
    }

    @Override
    public List<NodeId> joined() {
      return joined;
    }

    @Override
    public @Nullable Element cib() {
      return cib;
    }
  }

  AdmissionsTest() {
    var nodes = new ArrayList<ConfiguredNode>();
    for (var id = 1; id <= 3; id++) {
      nodes.add(new ConfiguredNode(new NodeId(id), new NodeName("node" + id), 1));
    }
    book.configured(nodes);
  }

  private @Nullable String objection(String operation, String node, String primitive) {
    var action =
        """
        <rsc_op id="1" operation="%s" operation_key="a_%s_0" on_node="%s" on_node_uuid="2">%s
          <attributes CRM_meta_migrate_source="node1" CRM_meta_migrate_target="node2"/></rsc_op>
        """
            .formatted(operation, operation, node, primitive);
    return admissions.objection(GraphAction.of(TestCib.xml(action)));
  }

  private @Nullable String objection(String operation) {
    return objection(
        operation, "node2", "<primitive id=\"a\" class=\"ocf\" provider=\"p\" type=\"D\"/>");
  }

  private static Element cib(String state) {
    return TestCib.xml("<cib><configuration/><status>" + state + "</status></cib>");
  }

  private static final String MEMBER =
      "<node_state id='2' in_ccm='1' crmd='1' join='member' expected='member'/>";

  @Test
  void noResourceIsBroughtOntoANodeThatNoSideWithQuorumHasLetIn() {
    for (var operation : List.of("start", "promote", "migrate_from", "migrate_to")) {
      assertNotNull(objection(operation), operation);
    }
    for (var operation : List.of("stop", "demote", "monitor", "notify", "delete")) {
      assertNull(objection(operation), operation);
    }
    assertNull(
        admissions.objection(
            GraphAction.of(
                TestCib.xml(
                    "<crm_event id='1' operation='stonith' operation_key='k' on_node='node2'/>"))));
    assertNull(objection("start", "elsewhere", "<primitive id=\"a\"/>"), "no cluster node");
  }

  @Test
  void withQuorumOrAnotherPolicyEverythingMayBeDone() {
    host.freezes = false;
    assertNull(objection("start"));
    host.freezes = true;
    host.quorate = true;
    assertNull(objection("start"));
  }

  @Test
  void aNodeIsLetInByQuorumAndByTheCibCallingItAMember() {
    admissions.observe(cib(MEMBER));
    assertNotNull(objection("start"), "this side has no quorum");
    host.quorate = true;
    for (var lacking : List.of("in_ccm='1'", "crmd='1'", "join='member'", "expected='member'")) {
      admissions.observe(cib(MEMBER.replace(lacking, "")));
      assertEquals(false, admissions.has(id(2)), lacking);
    }
    host.joined = ids(1);
    admissions.observe(cib(MEMBER));
    assertEquals(false, admissions.has(id(2)), "it has not joined this DC");
    host.joined = ids(1, 2);
    admissions.observe(cib(MEMBER));
    host.quorate = false;
    assertNull(objection("start"));

    admissions.left(id(2));
    assertNotNull(objection("start"), "that was for one stay");
    admissions.told(id(2));
    assertNull(objection("start"));
    admissions.told(id(1));
    assertEquals(true, admissions.hasSelf());
  }

  @Test
  void aFenceDeviceHoldsNothingAnotherNodeCouldHold() {
    assertNull(objection("start", "node2", "<primitive id=\"a\" class=\"stonith\" type=\"f\"/>"));
  }

  @Test
  void aResourceThatRequiresNothingMayBeStartedAnywhere() {
    var nothing =
        "<meta_attributes id='m'><nvpair id='n' name='requires' value='nothing'/></meta_attributes>";
    for (var resources :
        List.of(
            "<primitive id='a'>" + nothing + "</primitive>",
            "<group id='g'><primitive id='a'>" + nothing + "</primitive></group>",
            "<clone id='c'>" + nothing + "<group id='g'><primitive id='a'/></group></clone>")) {
      host.cib = resources(resources);
      assertNull(objection("start"), resources);
    }
    for (var resources :
        List.of(
            "<primitive id='a'/>",
            "<primitive id='b'>" + nothing + "</primitive><primitive id='a'/>",
            "<group id='g'><primitive id='a'/><primitive id='b'>" + nothing + "</primitive></group>",
            "<primitive id='a'>" + nothing.replace("nothing", "quorum") + "</primitive>",
            "<primitive id='a'>" + nothing.replace("requires", "other") + "</primitive>")) {
      host.cib = resources(resources);
      assertNotNull(objection("start"), resources);
    }
  }

  private static Element resources(String text) {
    return TestCib.xml(
        "<cib><configuration><resources>" + text + "</resources></configuration></cib>");
  }
}
