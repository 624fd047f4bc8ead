package org.systole.roles.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.roles.model.NodeRoleState;

final class RolesReaderTest {
  private static final String WHOLE =
      """
      <roles-document version="1" domain="example.com">
        <jigs><jig id="script" active="true"/></jigs>
        <roles>
          <role id="net" jig="script" discovery="true" service="true">
            <provides name="names"/>
            <data>{"mtu":1500}</data>
            <on event="on_proposed">{"address":"10.0.0.1"}</on>
          </role>
          <role id="store" jig="script" description="disks &amp; mounts" destructive="true">
            <requires role="names"/>
            <conflicts role="diskless"/>
          </role>
        </roles>
        <nodes>
          <node name="n1.example.com" admin="true" alive="true" available="true" deployment="web">
            <once role="store" done="false"/>
          </node>
        </nodes>
        <deployments>
          <deployment id="system"/>
          <deployment id="web" parent="system"/>
        </deployments>
        <snapshots>
          <snapshot deployment="system" number="1" state="archived"/>
          <snapshot deployment="system" number="2" state="committed">
            <deployment-role role="net">{"mtu":1500}</deployment-role>
            <noderole role="net" node="n1.example.com" state="active" run="2">
              <user>{"mtu":9000}</user>
              <wall>{"link":"up"}</wall>
            </noderole>
          </snapshot>
          <snapshot deployment="web" number="1" state="committed">
            <deployment-role role="store"/>
            <noderole role="store" node="n1.example.com" state="error" run="1" cause="no disk">
              <parent role="net" node="n1.example.com"/>
            </noderole>
          </snapshot>
        </snapshots>
      </roles-document>
      """;

  private static List<String> faults(String text) {
    return assertThrows(
            DocumentFault.class, () -> RolesReader.read(text.getBytes(StandardCharsets.UTF_8)))
        .faults();
  }

  private static List<String> faultsWith(String old, String fresh) {
    assertEquals(true, WHOLE.contains(old), old);
    return faults(WHOLE.replace(old, fresh));
  }

  @Test
  void whatWasReadIsWrittenTheSame() throws DocumentFault {
    var read = RolesReader.read(WHOLE.getBytes(StandardCharsets.UTF_8));
    var written = RolesWriter.write(read);

    assertEquals(read, RolesReader.read(written, Map.of()));
    assertEquals(written, RolesWriter.write(RolesReader.read(written, Map.of())));
    assertEquals(
        RolesReader.read(WHOLE.replaceAll(">\\s+<", "><").getBytes(StandardCharsets.UTF_8)), read);
  }

  /// As an earlier build left it; with the next run on the node nobody could read it.
  @Test
  void theRunOfARoleThatIsGoneIsNotTakenForOne() throws DocumentFault {
    var left =
        WHOLE
            .replace(
                "state=\"archived\"/>",
                """
                state="archived">
                <noderole role="gone" node="n1.example.com" state="transition" run="3"/>
                <noderole role="net" node="gone.example.com" state="transition" run="4"/>
                </snapshot>""")
            .replace("state=\"active\" run=\"2\"", "state=\"transition\" run=\"2\"")
            .replace("state=\"error\" run=\"1\" cause=\"no disk\"", "state=\"blocked\" run=\"1\"");
    var read = RolesReader.read(left.getBytes(StandardCharsets.UTF_8));
    var running =
        read.snapshots().values().stream()
            .flatMap(it -> it.nodeRoles().values().stream())
            .filter(it -> it.state() == NodeRoleState.TRANSITION)
            .map(it -> it.id().toString())
            .toList();
    assertEquals(List.of("net@n1.example.com"), running);
  }

  @Test
  void whatDoesNotConformIsRefusedWithItsLine() {
    assertEquals(
        List.of(
            "line 4: <role id=\"net\">: there is no attribute urgent; possible: description,"
                + " timeout, check-interval, check-then, bootstrap, implicit, library, cluster,"
                + " service, destructive, abstract, milestone"),
        faultsWith("discovery=\"true\" ", "discovery=\"true\" urgent=\"yes\" "));
    assertEquals(
        List.of("line 24: <snapshot>: state=\"done\": expected proposed, committed, archived"),
        faultsWith("number=\"1\" state=\"archived\"", "number=\"1\" state=\"done\""));
    assertEquals(
        List.of("<cib>: the outermost element must be <roles-document>"),
        faults("<cib/>").stream().map(it -> it.replaceFirst("line 1: ", "")).toList());
  }

  @Test
  void namesThatCanBeNoneAreRefused() {
    assertEquals(
        List.of("line 4: <role> has id=\"9 net\", which can be no name"),
        faultsWith("role id=\"net\"", "role id=\"9 net\""));
    assertEquals(
        List.of("line 7: role net: there is no event on_birthday"),
        faultsWith("on_proposed", "on_birthday"));
  }

  @Test
  void dataThatAreNoObjectAreRefusedByNameAndLine() {
    assertEquals(
        List.of(
            "line 29: snapshot system/2, noderole net@n1.example.com: <wall>: no JSON object"),
        faultsWith("{\"link\":\"up\"}", "[1]"));
  }

  @Test
  void everyFaultIsTold() {
    assertEquals(
        List.of(
            "line 4: role net names the jig puppet, which there is not",
            "line 15: node n1.example.com is in deployment nowhere: there is none"),
        faults(
            WHOLE
                .replace("id=\"net\" jig=\"script\"", "id=\"net\" jig=\"puppet\"")
                .replace("deployment=\"web\">\n      <once", "deployment=\"nowhere\"><once")));
  }

  @Test
  void whatDoesNotFitTogetherIsRefusedByName() {
    assertEquals(
        List.of("line 15: node n1.example.com: it is not in the domain example.org"),
        faultsWith("domain=\"example.com\"", "domain=\"example.org\""));
    assertEquals(
        List.of("line 9: role store requires air, which no role is or provides"),
        faultsWith("<requires role=\"names\"/>", "<requires role=\"air\"/>"));
    assertEquals(
        List.of(
            "line 32: snapshot web/1: noderole store@n1.example.com rests on dns@n1.example.com, which is"
                + " not in it nor committed above"),
        faultsWith("<parent role=\"net\"", "<parent role=\"dns\""));
    assertEquals(
        List.of("line 32: snapshot web/1: noderole store@n1.example.com is in error without a cause"),
        faultsWith(" cause=\"no disk\"", ""));
    assertEquals(
        List.of(
            "line 32: snapshot web/1: noderole store@n1.example.com is blocked, but what it rests on says"
                + " otherwise"),
        faultsWith("state=\"error\" run=\"1\" cause=\"no disk\"", "state=\"blocked\" run=\"1\""));
    assertEquals(
        List.of("snapshots system/1 and system/2 are committed"),
        faultsWith("state=\"archived\"", "state=\"committed\""));
    assertEquals(
        List.of("line 24: snapshot system/1 is proposed: system/2 cannot follow"),
        faultsWith("state=\"archived\"", "state=\"proposed\""));
    assertEquals(
        List.of("line 21: deployment web is under itself, not under system"),
        faultsWith("id=\"web\" parent=\"system\"", "id=\"web\" parent=\"web\""));
  }

  @Test
  void twoOfANameAreRefused() {
    assertEquals(
        List.of("line 2: there are two of jig script"),
        faultsWith(
            "<jig id=\"script\" active=\"true\"/>", "<jig id=\"script\"/><jig id=\"script\"/>"));
  }

  @Test
  void whatIsNoXmlIsRefused() {
    assertEquals(1, faults("<roles-document").size());
    assertEquals(1, faults("<!DOCTYPE x [<!ENTITY e 'x'>]><roles-document/>").size());
  }
}
