package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrMessage.Done;
import org.systole.attrd.client.AttrMessage.Outcome;
import org.systole.attrd.client.AttrUpdates;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;

/// When the attribute manager of node1, which has been there longest, writes to the CIB, and what
/// it takes from it. The test also plays the CIB manager.
class AttrdWithCibTest extends AttrdUnderTest {
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private final List<String> written = new ArrayList<>();
  private String copy = "<cib><configuration/><status/></cib>";

  AttrdWithCibTest() {
    cib.script(
        (id, request) -> {
          switch (request) {
            case CibMessage.Subscribe _ -> cib.reply(id, new CibMessage.Copy(copy));
            case CibMessage.Update(var operations, var _, var _, var _, var _, var _) -> {
              written.add(operations.toString());
              cib.reply(id, new CibMessage.Answer(Rc.OK, "", null, CibVersion.NONE));
            }
            default -> throw new IllegalStateException("unexpected: " + request);
          }
        });
  }

  private String lastWritten() {
    return written.getLast();
  }

  private static String everything(String node) {
    return StatusXml.everythingOf(new NodeName(node));
  }

  private static String withAttribute(String node, String name, String value) {
    return """
        <cib><configuration/><status><node_state id="%1$s" uname="node%1$s">
          <transient_attributes id="%1$s"><instance_attributes id="status-%1$s">
            <nvpair id="x%1$s" name="%2$s" value="%3$s"/>
          </instance_attributes></transient_attributes>
        </node_state></status></cib>
        """
        .formatted(node, name, value);
  }

  @Test
  void theWriterReplacesTheAttributesOfEveryNodeInTheCib() {
    assertTrue(written.getFirst().contains(everything("node1")), written::toString);
    assertTrue(written.getFirst().contains(everything("node3")), written::toString);
    assertEquals(1, written.size());

    assertEquals(ok(), ask(set("color", "red")));
    assertEquals(2, written.size());
    assertTrue(lastWritten().contains("value=\"red\""), this::lastWritten);
    assertFalse(lastWritten().contains(everything("node1")), "once");
    assertTrue(world.logged("INFO: Sent CIB request 2 with 1 change for color (set unspecified)"), world.lines()::toString);
    assertTrue(world.logged("INFO: * Wrote color[node1]=red"), world.lines()::toString);
    ask(new AttrMessage.Refresh());
    assertTrue(world.logged("INFO: Updating all attributes"), world.lines()::toString);
  }

  @Test
  void theAttributesOfANodeThatLeavesAreTakenOutOfTheCib() {
    says(
        2,
        new AttrPeerMessage.Batch(
            1,
            List.of(new AttrPeerMessage.Apply(0, AttrUpdates.set("size", new NodeName("node2"), "9"), false))));
    pass(100);
    written.clear();
    goes(2);
    pass(100);

    assertEquals(1, written.size(), written::toString);
    assertTrue(lastWritten().contains(everything("node2")), this::lastWritten);
    assertFalse(lastWritten().contains("size"), this::lastWritten);
    assertFalse(lastWritten().contains(everything("node3")), this::lastWritten);
  }

  @Test
  void theAttributesOfARemovedNodeAreTakenOutOfTheCib() {
    written.clear();
    assertEquals(ok(), ask(new AttrMessage.RemoveNode(new NodeName("node3"), false)));
    pass(100);

    assertTrue(lastWritten().contains(everything("node3")), this::lastWritten);
  }

  @Test
  void aNodesOwnValuesReplaceThoseInTheCib() {
    goes(2);
    pass(100);
    written.clear();
    comes(2);
    says(2, new AttrPeerMessage.Tell(false, List.of(known("size", "node2", "7")), List.of()));
    pass(100);

    assertTrue(lastWritten().contains(everything("node2")), this::lastWritten);
    assertTrue(lastWritten().contains("value=\"7\""), this::lastWritten);
    assertFalse(lastWritten().contains(everything("node1")), this::lastWritten);
  }

  @Test
  void valuesANodeVouchesForReplaceThoseInTheCib() {
    written.clear();
    says(2, new AttrPeerMessage.Tell(true, List.of(), List.of(known("size", "node3", "5"))));
    pass(100);

    assertEquals("5", value("size", "node3"));
    assertTrue(lastWritten().contains(everything("node3")), this::lastWritten);
  }

  @Test
  void aRefreshWritesEverythingAgain() {
    ask(set("color", "red"));
    ask(set("size", "9"));
    written.clear();
    assertEquals(ok(), ask(new AttrMessage.Refresh()));
    pass(100);

    assertEquals(1, written.size());
    assertTrue(lastWritten().contains("value=\"red\""), this::lastWritten);
    assertTrue(lastWritten().contains("value=\"9\""), this::lastWritten);
  }

  @Test
  void everythingIsWrittenAgainToARestartedCibManager() {
    ask(set("color", "red"));
    written.clear();
    cib.drop("it died");
    pass(5_000);

    assertTrue(lastWritten().contains("value=\"red\""), this::lastWritten);
  }

  @Test
  void aValueRemovedFromTheCibIsPutBack() {
    ask(set("color", "red"));
    written.clear();
    cib.event(new CibMessage.Copy("<cib><configuration/><status><x/></status></cib>"));
    pass(2_000);

    assertTrue(lastWritten().contains("value=\"red\""), this::lastWritten);
  }

  @Test
  void aManagerThatIsCutOffStopsWritingAndSendsItsValuesOnceItIsBack() {
    ask(set("color", "red"));
    written.clear();
    link.drop("the link died");
    assertTrue(world.logged("Lost the cluster: "));
    pass(500);
    client.ask(set("color", "blue"));
    pass(500);
    assertEquals(List.of(), written);

    pass(10_000); // the link is back
    comes(1, 2, 3);
    pass(100);
    assertEquals("blue", value("color", "node1"), "it was kept for the cluster");
    assertEquals("null", value("color", "node2"));
  }

  @Test
  void aClientThatGoesIsNotAnsweredAndNothingOfItRemains() {
    echoes = false;
    var other = world.client(AttrMessage.SOCKET, AttrMessage.PROTOCOL, TestWorld.ROOT);
    other.ask(AttrUpdates.waiting(set("color", "red"), AttrMessage.Wait.LOCAL));
    var id = client.ask(AttrUpdates.waiting(set("size", "1"), AttrMessage.Wait.LOCAL));
    other.close();
    pass(25_000);

    assertEquals(List.of(), other.answers());
    assertEquals(Outcome.FAILED, ((Done) client.answerTo(id)).outcome(), "the others are");
  }

  @Test
  void aMemberRemovesNoNodeButMayHaveAllWrittenAgain() {
    var guest = world.client(AttrMessage.SOCKET, AttrMessage.PROTOCOL, TestWorld.MEMBER);
    ask(set("color", "red"));
    written.clear();
    var refused = (Done) guest.answer(new AttrMessage.RemoveNode(new NodeName("node1"), false));
    assertEquals(Outcome.DENIED, refused.outcome());
    pass(100);
    assertEquals(List.of(), written);
    assertEquals("red", value("color", "node1"));

    assertEquals(ok(), guest.answer(new AttrMessage.Refresh()));
    pass(100);
    assertEquals(1, written.size());
  }

  @Test
  void alertsFollowTheConfigurationInTheCib() {
    var alerts =
        """
        <cib><configuration><alerts>
          <alert id="a" path="/bin/tell"><select><select_attributes/></select></alert>
        </alerts></configuration><status/></cib>
        """;
    ask(set("color", "red"));
    assertEquals(0, world.programs().all().size());
    cib.event(new CibMessage.Copy(alerts));
    pass(200);
    ask(set("color", "blue"));
    pass(200);

    assertEquals(
        List.of("/bin/tell"),
        world.programs().all().stream().map(it -> it.program().command().getFirst()).toList());
    var environment = world.programs().all().getFirst().program().environment();
    assertEquals("color", environment.get("CRM_alert_attribute_name"));
    assertEquals("blue", environment.get("CRM_alert_attribute_value"));
    assertEquals("node1", environment.get("CRM_alert_node"));
  }

  /// When no manager has known anything before.
  @Nested
  final class WhenAllHaveJustStarted extends AttrdUnderTest {
    private final List<String> updates = new ArrayList<>();

    WhenAllHaveJustStarted() {
      var manager = world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
      manager.script(
          (id, request) -> {
            if (request instanceof CibMessage.Subscribe) {
              manager.reply(id, new CibMessage.Copy(withAttribute("2", "size", "11")));
            } else if (request instanceof CibMessage.Update update) {
              updates.add(update.operations().toString());
              manager.reply(id, new CibMessage.Answer(Rc.OK, "", null, CibVersion.NONE));
            }
          });
    }

    @Override
    boolean othersAreFresh() {
      return true;
    }

    @Test
    void valuesThatOnlyTheCibHasAreTakenFromIt() {
      assertEquals("11", value("size", "node2"));
      assertTrue(updates.getLast().contains("value=\"11\""), updates::toString);
    }
  }
}
