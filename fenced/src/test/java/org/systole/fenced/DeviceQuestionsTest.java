package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.fenced.FencerUnderTest.foreign;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.FenceRecord;
import org.systole.fenced.client.FenceMessage.Progress;

/// What a fencer finds out about its devices before it offers them: what the agent can do, which
/// nodes the device fences, whether it answers.
final class DeviceQuestionsTest {
  private final FencerUnderTest fencer = new FencerUnderTest();
  private int count;

  private void register(String... parameters) {
    var all = new TreeMap<String, String>();
    for (var at = 0; at < parameters.length; at += 2) {
      all.put(parameters[at], parameters[at + 1]);
    }
    fencer.register("power", all);
  }

  private FenceRecord query(String target, String action) {
    var like = foreign("q" + ++count, target, Progress.QUERYING, fencer.number());
    var record =
        new FenceRecord(
            like.id(),
            like.target(),
            action,
            like.origin(),
            "",
            "test",
            Progress.QUERYING,
            0,
            "",
            like.membership());
    fencer.says(2, true, new FencePeerMessage.Query(record, true, 5_000, fencer.number()));
    return record;
  }

  private List<Offer> offers(String target, String action) {
    var record = query(target, action);
    fencer.world.pass(Duration.ofSeconds(3));
    var over = foreign(record.id(), target, Progress.FAILED, record.membership());
    fencer.says(2, true, new FencePeerMessage.Ended(over, 1, ExecStatus.ERROR));
    var answer = fencer.sentTo(2, FencePeerMessage.Offers.class);
    assertEquals(record.id(), answer.operation());
    return answer.offers();
  }

  private boolean isOffered(String target) {
    return !offers(target, "off").isEmpty();
  }

  private boolean isVerified() {
    return offers("node3", "off").getFirst().verified();
  }

  private void order(String action) {
    var order =
        new FencePeerMessage.Execute(
            "op" + ++count,
            count,
            new NodeName("node3"),
            action,
            "power",
            10_000,
            0,
            fencer.number());
    fencer.says(2, false, order);
  }

  @Test
  void withHostCheckNoneEveryTargetIsOffered() {
    register("pcmk_host_check", "none");

    assertTrue(isOffered("node3"));
    assertTrue(isOffered("anything"));
  }

  @Test
  void withAnUnknownHostCheckNothingIsOffered() {
    register("pcmk_host_check", "dynamic", "pcmk_host_list", "node3");

    assertFalse(isOffered("node3"));
    assertTrue(fencer.world.logged("invalid pcmk_host_check"));
  }

  @Test
  void withHostCheckStatusATargetThatIsOnOrOffIsOffered() {
    register("pcmk_host_check", "status");
    fencer.agent("status", 0, "");
    assertTrue(isOffered("node3"));
    fencer.agent("status", 2, "");
    assertTrue(isOffered("node3"));
    fencer.agent("status", 1, "");
    assertFalse(isOffered("node3"));
  }

  @Test
  void aStatusThatFailsIsRetriedAndOneThatSaysOffIsNot() {
    register("pcmk_host_check", "status");
    fencer.agent("status", 2, "");
    isOffered("node3");
    assertEquals(1, fencer.begun("status"));

    fencer.agent("status", 1, "");
    isOffered("node3");
    assertEquals(3, fencer.begun("status"));
  }

  @Test
  void anOffThatExitsWithTwoIsAFailure() {
    register("pcmk_host_list", "node3", "pcmk_off_retries", "1");
    fencer.agent("off", 2, "");
    order("off");

    assertEquals(2, fencer.sentTo(2, FencePeerMessage.Executed.class).rc());
  }

  @Test
  void aListIsReusedForAMinute() {
    fencer.world.pass(Duration.ofHours(1));
    fencer.agent("list", 0, "node3");
    register();
    assertTrue(isOffered("node3"));
    fencer.world.pass(Duration.ofSeconds(50));
    assertTrue(isOffered("node3"));
    assertEquals(1, fencer.begun("list"));

    fencer.agent("list", 0, "node2");
    fencer.world.pass(Duration.ofSeconds(10));
    assertFalse(isOffered("node3"));
    assertEquals(2, fencer.begun("list"));
  }

  @Test
  void anExplicitDynamicListIsNotReplacedByStatus() {
    fencer.agent("list", 1, "");
    fencer.agent("status", 0, "");
    register("pcmk_host_check", "dynamic-list");

    assertFalse(isOffered("node3"));
    assertFalse(isOffered("node3"));
    assertEquals(0, fencer.begun("status"));
  }

  @Test
  void aListOrAStatusVerifiesTheDevice() {
    fencer.agent("list", 0, "node3");
    register();
    assertTrue(isVerified());

    fencer.agent("status", 0, "");
    register("pcmk_host_check", "status");
    assertTrue(isVerified());
  }

  @Test
  void aStatusThatSaysOffDoesNotVerifyTheDevice() {
    fencer.agent("status", 2, "");
    register("pcmk_host_check", "status");

    assertFalse(isVerified());
  }

  @Test
  void aFailedListLeavesAMonitoredDeviceVerified() {
    register("pcmk_host_list", "node3");
    fencer.agent("monitor", 0, "");
    fencer.agent("list", 1, "");
    run("monitor");
    run("list");

    assertTrue(isVerified());
  }

  @Test
  void aFencingDoesNotVerifyTheDevice() {
    register("pcmk_host_list", "node3");
    fencer.agent("off", 0, "");
    order("off");

    assertFalse(isVerified());
  }

  private void run(String action) {
    fencer.root().ask(new FenceMessage.RunDevice("power", action, null, 5_000));
    fencer.world.pass(Duration.ofSeconds(3));
  }

  @Test
  void anAgentWithoutOnIsNotOfferedForUnfencing() {
    fencer.metadata(
        FencerUnderTest.METADATA.replace("<action name=\"on\" automatic=\"0\"/>", ""));
    register("pcmk_host_list", "node3");

    assertEquals(List.of(), offers("node3", "on"));
    assertTrue(isOffered("node3"));
  }

  @Test
  void aNodeThatFencesItselfDoesNotOfferTheOnOfItsReboot() {
    register("pcmk_host_list", "node1");
    var terms = offers("node1", "reboot").getFirst().terms();

    assertTrue(terms.get("reboot").allowed());
    assertTrue(terms.get("off").allowed());
    assertFalse(terms.get("on").allowed());
  }

  @Test
  void anActionOnTargetIsOfferedByTheTargetOnly() {
    fencer.metadata(
        FencerUnderTest.METADATA.replace(
            "automatic=\"0\"", "automatic=\"1\" on_target=\"1\""));
    register("pcmk_host_list", "node1 node3");

    assertTrue(fencer.world.logged("' requires actions (on) to be executed on target"));
    assertEquals(List.of(), offers("node3", "on"));
    assertTrue(offers("node1", "on").getFirst().automatic());
    assertTrue(isOffered("node3"), "any node may cut it off");
  }

  @Test
  void aRebootDoneByOffHasTheTimeoutOfOff() {
    var times = Map.of("pcmk_reboot_timeout", "7s", "pcmk_off_timeout", "33s");
    var all = new TreeMap<>(times);
    all.put("pcmk_host_list", "node3");
    fencer.register("power", all);
    assertEquals(7_000, rebootMillis());

    fencer.metadata(FencerUnderTest.METADATA.replace("<action name=\"reboot\"/>", ""));
    fencer.root().ask(new FenceMessage.RegisterDevice("switch", "fence_other", all));
    fencer.root().ask(new FenceMessage.DeregisterDevice("power"));
    assertEquals(33_000, rebootMillis());
  }

  private long rebootMillis() {
    return offers("node3", "reboot").getFirst().terms().get("reboot").timeoutMillis();
  }

  @Test
  void missingMetadataAreAskedForAgain() {
    fencer.metadata("not XML");
    register("pcmk_host_list", "node3");
    assertTrue(fencer.world.logged("the metadata of fence_test is not XML"));
    assertTrue(isOffered("node3"), "it may well be able to");

    fencer.metadata(FencerUnderTest.METADATA.replace("<action name=\"reboot\"/>", ""));
    fencer.world.pass(Duration.ofSeconds(10));
    order("reboot");
    fencer.runs("off");
  }

  @Test
  void metadataAreNotAskedForAgainOnceTheDeviceIsRemoved() {
    fencer.metadata("not XML");
    register("pcmk_host_list", "node3");
    fencer.root().ask(new FenceMessage.DeregisterDevice("power"));
    fencer.world.pass(Duration.ofSeconds(25));

    assertEquals(1, fencer.begun("metadata"));
  }

  @Test
  void aQueryIsAnsweredThoughADeviceIsRemovedBeforeItsMetadataCame() {
    fencer.metadata(null);
    register("pcmk_host_list", "node3");
    query("node3", "off");
    assertEquals(List.of(), fencer.sent(FencePeerMessage.Offers.class));

    fencer.root().ask(new FenceMessage.DeregisterDevice("power"));
    fencer.world.settle();

    assertEquals(1, fencer.sent(FencePeerMessage.Offers.class).size());
  }
}
