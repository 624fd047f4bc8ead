package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage.Change;
import org.systole.attrd.client.AttrMessage.Kind;
import org.systole.attrd.client.AttrMessage.Update;
import org.systole.attrd.client.AttrMessage.Wait;
import org.systole.cibd.client.CibClient;
import org.systole.cibd.client.CibMessage;
import org.systole.common.alerts.Alerts;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

/// What is written to the CIB and when; the test is the CIB manager.
class AttrWriterTest {
  private final TestWorld world = new TestWorld();
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private final List<List<CibOp>> updates = new ArrayList<>();
  private final AttributeTable table = new AttributeTable(new Unwatched());
  private final Alerts alerts = new Alerts(world, Map.of());
  private AttrWriter writer;
  private Rc answer = Rc.OK;
  private boolean answers = true;
  private long unanswered;

  @BeforeEach
  void start() {
    cib.script(
        (id, request) -> {
          if (request instanceof CibMessage.Update update) {
            updates.add(update.operations());
            unanswered = id;
            if (answers) {
              answer();
            }
          }
        });
    var client = new CibClient(world, "attrd", new Connected());
    writer =
        new AttrWriter(
            world,
            client,
            table,
            name ->
                name.text().startsWith("node") ? CibNodeId.of(name.text().substring(4)) : null,
            alerts,
            false);
    writer.quorum(true);
    client.open();
    world.settle();
  }

  @Test
  void withoutQuorumNothingIsCleaned() {
    writer.quorum(false);
    set("color", "node1", "red", -1);
    writer.turn(true, List.of(new NodeName("node1"), new NodeName("node2")));
    pass(1);
    assertTrue(lastUpdate().contains("red"), this::lastUpdate);
    assertFalse(lastUpdate().contains("DELETE"), this::lastUpdate);
    assertFalse(lastUpdate().contains("//node_state"), this::lastUpdate);

    writer.quorum(true);
    pass(1000);
    assertTrue(
        lastUpdate().contains(StatusXml.everythingOf(new NodeName("node2"))), this::lastUpdate);
  }

  private static final class Connected implements RpcClient.Listener<CibMessage.Event> {}

  private void answer() {
    cib.reply(unanswered, new CibMessage.Answer(answer, "", null, CibVersion.NONE));
  }

  private void set(String name, String node, String value, long delay) {
    var kind = name.startsWith(".") ? new Kind("", false, true) : Kind.TRANSIENT;
    var update =
        new Update(Change.VALUE, name, "", new NodeName(node), value, delay, kind, false, Wait.NO);
    table.apply(update, _ -> true).forEach(it -> writer.changed(table.get(it)));
  }

  private void pass(long millis) {
    world.pass(Duration.ofMillis(millis));
  }

  private String lastUpdate() {
    return updates.getLast().toString();
  }

  private long said(String line) {
    return world.lines().stream().filter(it -> it.contains(line)).count();
  }

  private void ourTurn() {
    writer.turn(true, List.of());
    pass(100);
    updates.clear();
  }

  @Test
  void onlyTheWriterWrites() {
    set("a", "node1", "1", -1);
    pass(60_000);
    assertEquals(List.of(), updates);
    assertFalse(writer.isActive());
  }

  @Test
  void aNewWriterReplacesTheAttributesOfAllNodesInTheCib() {
    set("a", "node1", "1", -1);
    writer.turn(true, List.of(new NodeName("node1"), new NodeName("node2")));
    pass(1);
    assertTrue(writer.isActive());
    assertEquals(3, updates.getFirst().size());
    assertTrue(
        lastUpdate().contains(StatusXml.everythingOf(new NodeName("node1"))), this::lastUpdate);
    assertTrue(
        lastUpdate().contains(StatusXml.everythingOf(new NodeName("node2"))), this::lastUpdate);
    assertTrue(lastUpdate().contains("value=\"1\""), this::lastUpdate);
    assertEquals(1, said("INFO: Cleared transient node attributes for node2 from CIB"));
    assertEquals(0, said("Cleared transient node attributes for node1"), "it has a value");
    pass(60_000);
    assertEquals(1, updates.size(), "once");
  }

  @Test
  void changesDuringAWriteGoTogetherWithTheNext() {
    ourTurn();
    answers = false;
    set("a", "node1", "1", -1);
    pass(1);
    set("b", "node1", "2", -1);
    set("c", "node2", "3", -1);
    pass(1000);
    assertEquals(1, updates.size());
    assertEquals(1, said("INFO: Write out of 'b' delayed: update 1 in progress"));
    answer();
    pass(100);
    assertEquals(2, updates.size());
    assertTrue(lastUpdate().contains("status-1-b"), this::lastUpdate);
    assertTrue(lastUpdate().contains("status-2-c"), this::lastUpdate);
    assertFalse(lastUpdate().contains("status-1-a"), this::lastUpdate);
  }

  @Test
  void betweenTwoWritesIsAMoment() {
    ourTurn();
    set("a", "node1", "1", -1);
    pass(1);
    set("b", "node1", "2", -1);
    pass(20);
    assertEquals(1, updates.size());
    pass(10);
    assertEquals(2, updates.size());
  }

  @Test
  void aDelayIsCountedFromTheLastChange() {
    ourTurn();
    set("a", "node1", "1", 5_000);
    pass(4_000);
    set("a", "node1", "2", -1);
    pass(4_999);
    assertEquals(List.of(), updates);
    pass(2);
    assertEquals(1, updates.size());
    assertTrue(lastUpdate().contains("value=\"2\""), this::lastUpdate);
  }

  @Test
  void anAttributeThatIsDelayedDoesNotHoldUpOthersNorGoWithThem() {
    ourTurn();
    set("slow", "node1", "1", 5_000);
    set("quick", "node1", "2", -1);
    pass(10);
    assertTrue(lastUpdate().contains("quick"), this::lastUpdate);
    assertFalse(lastUpdate().contains("slow"), this::lastUpdate);
  }

  @Test
  void aChangedDelayWritesAtOnceAndANewValueOfItsUpdateWaits() {
    world.keepDebugging();
    ourTurn();
    set("a", "node1", "1", 5_000);
    writer.delayChanged(table.get("a"));
    set("a", "node1", "2", -1);
    pass(10);
    assertEquals(1, updates.size());
    assertTrue(lastUpdate().contains("value=\"1\""), this::lastUpdate);
    assertTrue(world.logged("DEBUG: Pending update for a can be written now"), world.lines()::toString);
    assertEquals(1, said("INFO: Delaying write of 'a'"));
    pass(4_900);
    assertEquals(1, updates.size());
    pass(200);
    assertEquals(2, updates.size());
    assertTrue(lastUpdate().contains("value=\"2\""), this::lastUpdate);
  }

  private List<String> alerted() {
    return world.programs().all().stream()
        .map(it -> it.program().environment().get("CRM_alert_attribute_value"))
        .toList();
  }

  private void alertsAreConfigured() throws Exception {
    alerts.configure(
        XmlReader.parse(
            """
            <cib><configuration><alerts>
              <alert id="a" path="/bin/tell"><select><select_attributes/></select></alert>
            </alerts></configuration><status/></cib>
            """));
  }

  /// The alert for what was on its way said that value and stood for the one that had come meanwhile, of which none was sent.
  @Test
  void aValueThatComesWhileTheOneBeforeIsOnItsWayHasAnAlertOfItsOwn() throws Exception {
    alertsAreConfigured();
    ourTurn();
    answers = false;
    set("a", "node1", "1", -1);
    pass(100);
    set("a", "node1", "2", -1);
    answer();
    answers = true;
    pass(100);
    assertEquals(List.of("1", "2"), alerted());
  }

  @Test
  void whatIsWrittenAgainForAnotherDelayHasNoAlertAndTheNewValueHasOne() throws Exception {
    alertsAreConfigured();
    ourTurn();
    set("a", "node1", "1", 5_000);
    pass(5_100);
    assertEquals(List.of("1"), alerted());
    writer.delayChanged(table.get("a"));
    set("a", "node1", "2", -1);
    pass(100);
    assertEquals(2, updates.size());
    assertEquals(List.of("1"), alerted());
    pass(5_000);
    assertEquals(List.of("1", "2"), alerted());
  }

  @Test
  void whatCouldNotBeWrittenHasItsAlertOnceItIs() throws Exception {
    alertsAreConfigured();
    ourTurn();
    answer = Rc.EIO;
    set("a", "node1", "1", -1);
    pass(100);
    assertEquals(List.of(), alerted());
    answer = Rc.OK;
    pass(2_100);
    assertEquals(List.of("1"), alerted());
  }

  @Test
  void aChangedDelayWritesAlsoWhatTheCibHas() {
    ourTurn();
    set("a", "node1", "1", -1);
    pass(100);
    writer.delayChanged(table.get("a"));
    pass(100);
    assertEquals(2, updates.size());
    assertEquals(updates.getFirst().toString(), lastUpdate());
  }

  @Test
  void whatCannotBeWrittenIsNotSaidToGoOn() {
    world.keepDebugging();
    ourTurn();
    set("a", "stranger", "1", -1);
    set("b", "node1", "1", -1);
    pass(100);
    assertFalse(world.logged("Pending update for a"), world.lines()::toString);
  }

  @Test
  void aFailedWriteIsTriedAgainAfterTwoSeconds() {
    ourTurn();
    answer = Rc.EIO;
    writer.rewrite(new NodeName("node1"));
    set("a", "node1", "1", -1);
    pass(1_999);
    assertEquals(1, updates.size());
    answer = Rc.OK;
    pass(100);
    assertEquals(2, updates.size());
    assertEquals(updates.getFirst().toString(), lastUpdate(), "all of it, the cleaning too");
    assertTrue(world.logged("Could not write node attributes to the CIB, trying again"));
    assertTrue(world.logged("WARNING: CIB update 1 result for a: Input/output error | rc=-5"), world.lines()::toString);
    assertTrue(world.logged("WARNING: * Could not write a[node1]=1"), world.lines()::toString);
    assertTrue(world.logged("INFO: CIB update 2 result for a: OK | rc=0"), world.lines()::toString);
    assertTrue(world.logged("INFO: * Wrote a[node1]=1"), world.lines()::toString);
    assertFalse(world.logged("leared transient node attributes"), "a value took their place");
    pass(60_000);
    assertEquals(2, updates.size());
  }

  @Test
  void privateAttributesAndThoseOfUnknownNodesAreNotWritten() {
    ourTurn();
    set(".secret", "node1", "1", -1);
    set("a", "stranger", "1", -1);
    pass(60_000);
    assertEquals(List.of(), updates);
    var line =
        "NOTICE: Cannot write a[stranger]='1' to CIB because node's XML ID is unknown (will retry if learned)";
    assertEquals(1, said(line), "once");
    set("a", "node1", "2", -1);
    pass(100);
    assertEquals(1, said(line), "once");
    set("a", "stranger", "3", -1);
    pass(100);
    assertTrue(world.logged(line.replace("'1'", "'3'")));
  }

  @Test
  void aDeletedValueIsDeletedInTheCib() {
    ourTurn();
    set("a", "node1", "1", -1);
    pass(100);
    set("a", "node1", null, -1);
    pass(100);
    assertEquals(2, updates.size());
    assertEquals(CibOp.Kind.DELETE, updates.getLast().getFirst().kind());
  }

  @Test
  void aFormerWriterWritesNothing() {
    ourTurn();
    set("a", "node1", "1", 5_000);
    writer.turn(false, List.of());
    pass(60_000);
    assertEquals(List.of(), updates);
  }

  @Test
  void aValueRemovedFromTheCibIsPutBackAMomentLater() throws Exception {
    ourTurn();
    set("a", "node1", "1", -1);
    set("b", "node1", "2", -1);
    pass(100);
    updates.clear();
    var now = with("<nvpair id='status-1-b' name='b' value='2'/>");
    writer.cibChanged(() -> now);
    pass(999);
    assertEquals(List.of(), updates);
    pass(10);
    assertTrue(lastUpdate().contains("status-1-a"), this::lastUpdate);
    assertFalse(lastUpdate().contains("status-1-b"), this::lastUpdate);
  }

  @Test
  void aCibThatHasEverythingIsLeftAlone() throws Exception {
    ourTurn();
    set("a", "node1", "1", -1);
    pass(100);
    updates.clear();
    var now = with("<nvpair id='status-1-a' name='a' value='1'/>");
    writer.cibChanged(() -> now);
    pass(5_000);
    assertEquals(List.of(), updates);
  }

  private static Element with(String pairs) throws Exception {
    return XmlReader.parse(
        "<cib><status><node_state id='1' uname='node1'><transient_attributes id='1'>"
            + "<instance_attributes id='status-1'>"
            + pairs
            + "</instance_attributes></transient_attributes></node_state></status></cib>");
  }
}
