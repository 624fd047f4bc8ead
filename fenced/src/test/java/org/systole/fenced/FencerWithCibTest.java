package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.fenced.FencerUnderTest.foreign;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.Progress;

/// Devices and topology as they come and go in the CIB. The test also plays the CIB manager.
final class FencerWithCibTest {
  private final TestWorld world = new TestWorld();
  private final TestPeer<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib =
      world.peer(CibMessage.SOCKET, CibMessage.PROTOCOL);
  private String copy = "";
  private boolean answers = true;
  private long waiting;

  private FencerUnderTest fencer(String resources, String topology) {
    copy = cib(resources, topology, "");
    cib.script(
        (id, _) -> {
          if (answers) {
            cib.reply(id, new CibMessage.Copy(copy));
          } else {
            waiting = id;
          }
        });
    return new FencerUnderTest(world);
  }

  private static String cib(String resources, String topology, String status) {
    return """
        <cib validate-with="pacemaker-4.0"><configuration>
          <nodes><node id="1" uname="node1"/><node id="2" uname="node2"/></nodes>
          <resources>%s</resources><fencing-topology>%s</fencing-topology>
        </configuration><status>%s</status></cib>
        """
        .formatted(resources, topology, status);
  }

  private static String device(String id, String hosts, String more) {
    return """
        <primitive id="%1$s" class="stonith" type="fence_test">
          <instance_attributes id="i%1$s">
            <nvpair id="h%1$s" name="pcmk_host_list" value="%2$s"/>%3$s
          </instance_attributes>
        </primitive>
        """
        .formatted(id, hosts, more);
  }

  private void becomes(String resources, String topology, String status) {
    cib.event(new CibMessage.Copy(cib(resources, topology, status)));
    world.pass(Duration.ofMillis(200));
  }

  private static List<String> devices(FencerUnderTest fencer) {
    var answer =
        (FenceMessage.Devices) fencer.root().answer(new FenceMessage.DeviceQuery(null, 1000));
    return answer.devices().stream().map(it -> it.name() + " " + it.verified()).toList();
  }

  private static long changes(FencerUnderTest fencer) {
    return fencer.root().events().stream()
        .filter(FenceMessage.DevicesChanged.class::isInstance)
        .count();
  }

  @Test
  void devicesOfTheCibAreUsedWithTheirParameters() {
    var fencer =
        fencer(device("a", "node3", "<nvpair id=\"p\" name=\"ip\" value=\"10.0.0.9\"/>"), "");
    var id = fencer.ask("node3", "reboot");
    fencer.othersOfferNothing();
    var run = fencer.runs("reboot");
    assertEquals("10.0.0.9", run.input("ip"));
    run.exits(0, "");

    assertTrue(fencer.outcome(id).succeeded());
  }

  @Test
  void aDeviceRemovedFromTheCibIsNotUsedAndItsWaitingActionsEnd() {
    var fencer = fencer(device("a", "node3", ""), "");
    fencer.root().ask(new FenceMessage.Subscribe());
    order(fencer, "one", 1);
    order(fencer, "two", 2);
    fencer.runs("off"); // the other waits for it
    becomes("", "", "");

    assertEquals(1, changes(fencer));
    assertEquals(List.of(), devices(fencer));
    var answer = fencer.sentTo(2, FencePeerMessage.Executed.class);
    assertEquals("two", answer.operation());
    assertEquals(ExecStatus.NO_FENCE_DEVICE, answer.status());
    fencer.runs("off").exits(0, ""); // an action that runs is left to finish
    assertEquals("one", fencer.sentTo(2, FencePeerMessage.Executed.class).operation());
    order(fencer, "three", 3);
    assertEquals(
        ExecStatus.NO_FENCE_DEVICE, fencer.sentTo(2, FencePeerMessage.Executed.class).status());
  }

  private static void order(FencerUnderTest fencer, String operation, int attempt) {
    fencer.says(
        2,
        false,
        new FencePeerMessage.Execute(
            operation, attempt, new NodeName("node3"), "off", "a", 9_000, 0, fencer.number()));
  }

  @Test
  void aDeviceWhoseParametersChangeIsUsedWithTheNewOnes() {
    var fencer = fencer(device("a", "node3", ""), "");
    fencer.root().ask(new FenceMessage.Subscribe());
    becomes(device("a", "node3", "<nvpair id=\"p\" name=\"ip\" value=\"10.0.0.7\"/>"), "", "");
    assertEquals(1, changes(fencer));
    order(fencer, "one", 1);

    assertEquals("10.0.0.7", fencer.runs("off").input("ip"));
  }

  @Test
  void aDeviceWithNewParametersStaysStartedButIsNotVerified() {
    var fencer = fencer(device("a", "node3", ""), "");
    fencer.register("a", Map.of("pcmk_host_list", "node3"));
    monitor(fencer);
    assertEquals(List.of("a true"), devices(fencer));

    becomes(device("a", "node3", "<nvpair id=\"p\" name=\"ip\" value=\"10.0.0.7\"/>"), "", "");
    assertEquals(List.of("a false"), devices(fencer));
    monitor(fencer);
    assertEquals(List.of("a true"), devices(fencer));
  }

  private void monitor(FencerUnderTest fencer) {
    fencer.root().ask(new FenceMessage.RunDevice("a", "monitor", null, 1_000));
    world.settle();
    fencer.runs("monitor").exits(0, "");
  }

  @Test
  void aChangeThatDoesNotConcernDevicesIsNotReportedAsOne() {
    var fencer = fencer(device("a", "node3", ""), "");
    fencer.root().ask(new FenceMessage.Subscribe());
    becomes(device("a", "node3", ""), "", "<node_state id=\"1\" uname=\"node1\"/>");
    becomes(device("a", "node3", "") + "<primitive id=\"w\" class=\"lsb\" type=\"w\"/>", "", "");

    assertEquals(0, changes(fencer));
  }

  @Test
  void theTopologyOfTheCibIsFollowedAsItChanges() {
    var devices = device("a", "node3", "") + device("b", "node3", "");
    var level = "<fencing-level id=\"l\" target=\"node3\" index=\"1\" devices=\"%s\"/>";
    var fencer = fencer(devices, level.formatted("b"));
    fencer.ask("node3", "off");
    fencer.othersOfferNothing();
    fencer.runs("off").exits(0, "");
    becomes(devices, level.formatted("a,b"), "");
    fencer.ask("node3", "off");
    fencer.othersOfferNothing();
    fencer.runs("off").exits(0, "");
    fencer.runs("off").exits(0, "");

    assertEquals(3, fencer.begun("off"));
  }

  @Test
  void devicesOfClientsOutliveThoseOfTheCibAndTheOtherWayRound() {
    var fencer = fencer(device("a", "node3", ""), "");
    fencer.register("b", Map.of("pcmk_host_list", "node3"));
    becomes(device("c", "node3", ""), "", "");
    assertEquals(List.of("b false", "c false"), devices(fencer));

    fencer.register("c", Map.of("pcmk_host_list", "node3"));
    fencer.root().ask(new FenceMessage.RunDevice("c", "monitor", null, 1_000));
    world.settle();
    fencer.runs("monitor").exits(0, "");
    assertEquals(List.of("b false", "c true"), devices(fencer));
    fencer.root().ask(new FenceMessage.DeregisterDevice("c"));
    fencer.root().ask(new FenceMessage.DeregisterDevice("b"));
    assertEquals(List.of("c false"), devices(fencer), "it is the CIB's, but not started here");
  }

  @Test
  void aQueryBeforeTheCibIsReadIsAnsweredOnceItIs() {
    answers = false;
    var fencer = new Late();
    fencer.says();
    assertEquals(0, fencer.offers());
    cib.reply(waiting, new CibMessage.Copy(copy));
    world.pass(Duration.ofMillis(200));

    assertEquals(1, fencer.offers());
    becomes(device("b", "node3", ""), "", "");
    assertEquals(1, fencer.offers(), "once is enough");
  }

  @Test
  void withoutACibAQueryIsAnsweredAfterFiveSeconds() {
    answers = false;
    var fencer = new Late();
    fencer.says();
    world.pass(Duration.ofMillis(4_900));
    assertEquals(0, fencer.offers());
    world.pass(Duration.ofMillis(200));

    assertEquals(1, fencer.offers());
  }

  /// A fencer that is asked before it has a CIB.
  private final class Late {
    private final FencerUnderTest fencer;

    Late() {
      copy = cib(device("a", "node3", ""), "", "");
      cib.script((id, _) -> waiting = id);
      fencer = new FencerUnderTest(world, Duration.ZERO);
    }

    void says() {
      fencer.says(
          2,
          true,
          new FencePeerMessage.Query(
              foreign("theirs", "node3", Progress.QUERYING, fencer.number()),
              true,
              1000,
              fencer.number()));
    }

    int offers() {
      return fencer.sent(FencePeerMessage.Offers.class).size();
    }
  }

  /// The test's time begins at 22:13:20.
  @Test
  void aDeviceIsUsedFromTheMomentOnAtWhichARuleAboutTheTimeAllowsIt() {
    var switchedOff =
        """
        <primitive id="a" class="stonith" type="fence_test"><meta_attributes id="m">
          <rule id="r"><date_expression id="d" operation="lt" end="2023-11-14T22:15:00Z"/></rule>
          <nvpair id="t" name="target-role" value="Stopped"/></meta_attributes></primitive>
        """;
    var fencer = fencer(switchedOff, "");
    assertEquals(List.of(), devices(fencer));
    world.pass(Duration.ofMinutes(2));
    assertEquals(1, devices(fencer).size());
  }

  @Test
  void anAttributeOfThisNodeCanBanItFromADevice() {
    var rule =
        """
        <rsc_location id="l" rsc="a"><rule id="r" score="-INFINITY">
        <expression id="e" attribute="pingd" operation="eq" value="0"/></rule></rsc_location>
        """;
    var status =
        """
        <node_state id="1" uname="node1"><transient_attributes id="1"><instance_attributes id="s1">
        <nvpair id="p1" name="pingd" value="%d"/></instance_attributes></transient_attributes></node_state>
        """;
    var fencer = fencer("", "");
    var banned = "</fencing-topology><constraints>%s</constraints><fencing-topology>".formatted(rule);
    becomes(device("a", "node3", ""), banned, status.formatted(1));
    assertEquals(1, devices(fencer).size());
    becomes(device("a", "node3", ""), banned, status.formatted(0));
    assertEquals(List.of(), devices(fencer));
  }
}
