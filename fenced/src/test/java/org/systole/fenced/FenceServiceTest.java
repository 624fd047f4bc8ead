package org.systole.fenced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.fenced.FencerUnderTest.foreign;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;
import org.systole.fenced.client.FenceMessage.Progress;

/// What clients may ask, and what they are told.
final class FenceServiceTest {
  private static final Map<String, String> NONE = Map.of();

  private final FencerUnderTest fencer = new FencerUnderTest();

  private static Stream<FenceMessage.Request> forbidden() {
    return Stream.of(
        FencerUnderTest.fence("node3", "off"),
        new FenceMessage.Withdraw(new NodeName("node3"), "off", "test", false),
        new FenceMessage.HistoryQuery(null, true),
        new FenceMessage.HistoryCleanup(""),
        new FenceMessage.Confirm(new NodeName("node3"), "alice"),
        new FenceMessage.RegisterDevice("a", "fence_test", NONE),
        new FenceMessage.DeregisterDevice("a"),
        new FenceMessage.RegisterLevel("node3", 1, List.of("a")),
        new FenceMessage.DeregisterLevel("node3", 1),
        new FenceMessage.DeviceQuery(new NodeName("node3"), 1000),
        new FenceMessage.RunDevice("a", "monitor", null, 1000),
        new FenceMessage.Validate("fence_test", "a", NONE, 1000));
  }

  private static Stream<FenceMessage.Request> allowed() {
    return Stream.of(
        new FenceMessage.Subscribe(),
        new FenceMessage.HistoryQuery(null, false),
        new FenceMessage.DeviceQuery(null, 1000),
        new FenceMessage.MetadataQuery("fence_test", 1000));
  }

  @ParameterizedTest
  @MethodSource("forbidden")
  void onlyTheClustersOwnMay(FenceMessage.Request request) {
    var before = fencer.world.programs().all().size();

    var refused =
        assertInstanceOf(FenceMessage.Denied.class, fencer.client(false).answer(request));

    assertEquals(
        "user alice may not do this: only root and the cluster's own user may", refused.why());
    assertEquals(before, fencer.world.programs().all().size());
    assertEquals(List.of(), fencer.sent(FencePeerMessage.class));
  }

  @ParameterizedTest
  @MethodSource("allowed")
  void membersOfTheGroupMayLook(FenceMessage.Request request) {
    var answer = fencer.client(false).answer(request);

    assertFalse(answer instanceof FenceMessage.Denied, String.valueOf(answer));
  }

  @Test
  void everyRequestIsEitherAllowedOrForbidden() {
    var named =
        Stream.concat(forbidden(), allowed())
            .<Class<?>>map(Object::getClass)
            .collect(Collectors.toSet());

    assertEquals(
        Set.copyOf(Arrays.asList(FenceMessage.Request.class.getPermittedSubclasses())), named);
  }

  private static Stream<FenceMessage.Request> mistakes() {
    return Stream.of(
        FencerUnderTest.fence("", "off"),
        FencerUnderTest.fence("node3", "explode"),
        new FenceMessage.Fence(new NodeName("node3"), "off", 0, 0, 0, "test", true, 0),
        new FenceMessage.RegisterDevice("", "fence_test", NONE),
        new FenceMessage.RegisterDevice("a", "../evil", NONE),
        new FenceMessage.RegisterDevice("a", "fence_/../../evil", NONE),
        new FenceMessage.RegisterLevel("node3", 0, List.of("a")),
        new FenceMessage.RegisterLevel("node3", 10, List.of("a")),
        new FenceMessage.RegisterLevel("node3", 1, List.of()),
        new FenceMessage.RegisterLevel("", 1, List.of("a")),
        new FenceMessage.DeregisterLevel("", 1),
        new FenceMessage.RunDevice("a", "off", new NodeName("node3"), 1000));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void whatMakesNoSenseIsRefused(FenceMessage.Request request) {
    assertInstanceOf(FenceMessage.Refused.class, fencer.root().answer(request));
    assertEquals(List.of(), fencer.sent(FencePeerMessage.class));
  }

  @Test
  void onlySubscribersAreToldOfEveryFencing() {
    var other = fencer.client(false);
    var subscriber = fencer.client(false);
    subscriber.ask(new FenceMessage.Subscribe());
    var done = foreign("x", "node3", Progress.DONE, fencer.number());
    fencer.says(2, true, new FencePeerMessage.Ended(done, 0, ExecStatus.DONE));

    assertEquals(List.of(new FenceMessage.Fenced(done, 0, ExecStatus.DONE)), subscriber.events());
    assertEquals(List.of(), other.events());
  }

  @Test
  void theSameEndReceivedTwiceIsOneEvent() {
    fencer.root().ask(new FenceMessage.Subscribe());
    var done = foreign("x", "node3", Progress.DONE, fencer.number());
    fencer.says(2, true, new FencePeerMessage.Ended(done, 0, ExecStatus.DONE));
    fencer.says(2, true, new FencePeerMessage.Ended(done, 0, ExecStatus.DONE));

    assertEquals(1, fencer.root().events().size());
  }

  @Test
  void anotherFencersHistoryIsAHistoryChangeAndNoFencing() {
    fencer.root().ask(new FenceMessage.Subscribe());
    var past =
        new FencePeerMessage.Past(foreign("x", "node3", Progress.DONE, 3), 0, ExecStatus.DONE);
    fencer.says(2, false, new FencePeerMessage.History(List.of(past)));

    assertEquals(List.of(new FenceMessage.HistoryChanged()), fencer.root().events());
    assertEquals("x", fencer.history().getFirst().id());
  }

  @Test
  void aClientThatIsGoneIsToldNothing() {
    var client = fencer.client(true);
    client.ask(new FenceMessage.Subscribe());
    client.ask(FencerUnderTest.fence("node3", "off"));
    client.close();
    fencer.othersOfferNothing();

    assertFalse(fencer.world.logged("ERROR"), fencer.world.lines()::toString);
    assertTrue(fencer.history().stream().noneMatch(FenceMessage.FenceRecord::pending));
  }

  @Test
  void aClientThatSendsGarbageIsDisconnectedAndTheOthersAreServed() {
    var client = fencer.client(false);
    client.sendRaw(new byte[] {1, 2, 3});

    assertTrue(client.isCutOff());
    assertEquals(List.of(), fencer.history());
  }

  @Test
  void anAgentsMetadataIsFetchedOnceAndAFailureIsReported() {
    fencer.root().answer(new FenceMessage.MetadataQuery("fence_test", 1000));
    var again = fencer.root().answer(new FenceMessage.MetadataQuery("fence_test", 1000));
    assertEquals(ExecStatus.DONE, assertInstanceOf(FenceMessage.Metadata.class, again).status());
    assertEquals(1, fencer.begun("metadata"));

    fencer.metadata("<no xml");
    var broken = fencer.root().answer(new FenceMessage.MetadataQuery("fence_other", 1000));
    var metadata = assertInstanceOf(FenceMessage.Metadata.class, broken);
    assertEquals(ExecStatus.ERROR, metadata.status());
    assertTrue(metadata.why().startsWith("the metadata of fence_other is not XML"));
  }

  @Test
  void parametersAreCheckedByTheAgent() {
    fencer.agent("validate-all", 1, "ip is missing");
    var request = new FenceMessage.Validate("fence_test", "a", Map.of("x", "y"), 1000);

    var answer = assertInstanceOf(FenceMessage.Validated.class, fencer.root().answer(request));

    assertEquals(1, answer.rc());
    assertEquals("ip is missing", answer.output());
  }

  @Test
  void aDeviceThatIsOnlyConfiguredIsNotMonitored() {
    fencer.register("a", NONE);
    fencer.agent("monitor", 0, "");
    var monitor = new FenceMessage.RunDevice("a", "monitor", null, 1000);
    assertTrue(
        assertInstanceOf(FenceMessage.DeviceResult.class, fencer.root().answer(monitor))
            .succeeded());

    fencer.root().ask(new FenceMessage.DeregisterDevice("a"));
    assertEquals(
        ExecStatus.NO_FENCE_DEVICE,
        assertInstanceOf(FenceMessage.DeviceResult.class, fencer.root().answer(monitor)).status());
  }

  @Test
  void theHistoryIsClearedEverywhere() {
    assertEquals(
        new FenceMessage.Ok(),
        fencer.root().answer(new FenceMessage.HistoryCleanup("3")));

    assertEquals(
        List.of(new FencePeerMessage.HistoryCleared("node3")),
        fencer.sent(FencePeerMessage.HistoryCleared.class));
  }

  @Test
  void aHistoryClearedByAnotherNodeIsClearedHere() {
    fencer.root().ask(new FenceMessage.Subscribe());
    var done = foreign("x", "node3", Progress.DONE, fencer.number());
    fencer.says(2, true, new FencePeerMessage.Ended(done, 0, ExecStatus.DONE));
    fencer.says(2, true, new FencePeerMessage.HistoryCleared("node2"));
    assertEquals(List.of(done), fencer.history());
    fencer.says(2, true, new FencePeerMessage.HistoryCleared("node3"));

    assertEquals(List.of(), fencer.history());
    assertEquals(new FenceMessage.HistoryChanged(), fencer.root().events().getLast());
  }

  @Test
  void aDeregisteredLevelIsNotUsed() {
    fencer.register("a", Map.of("pcmk_host_list", "node3"));
    fencer.root().ask(new FenceMessage.RegisterLevel("node3", 1, List.of("elsewhere")));
    var first = fencer.ask("node3", "off");
    fencer.othersOfferNothing();
    assertFalse(fencer.outcome(first).succeeded());

    assertEquals(
        new FenceMessage.Ok(), fencer.root().answer(new FenceMessage.DeregisterLevel("node3", 1)));
    fencer.ask("node3", "off");
    fencer.othersOfferNothing();
    fencer.runs("off");
  }

  @Test
  void subscribersAreToldOfDevicesRegisteredAndDeregistered() {
    fencer.root().ask(new FenceMessage.Subscribe());
    fencer.register("a", NONE);
    assertEquals(List.of(new FenceMessage.DevicesChanged()), fencer.root().events());

    fencer.root().ask(new FenceMessage.DeregisterDevice("a"));
    assertEquals(2, fencer.root().events().size());
  }

  @Test
  void devicesAreListedForATarget() {
    fencer.register("a", Map.of("pcmk_host_list", "node3"));
    fencer.register("b", Map.of("pcmk_host_list", "node2"));

    var answer = fencer.root().answer(new FenceMessage.DeviceQuery(new NodeName("node3"), 1000));

    var devices = assertInstanceOf(FenceMessage.Devices.class, answer).devices();
    assertEquals(List.of("a"), devices.stream().map(FenceMessage.Device::name).toList());
  }

  @Test
  void otherFencersAreAskedForTheirHistoryOnlyOnRefresh() {
    fencer.root().ask(new FenceMessage.HistoryQuery(null, false));
    assertEquals(List.of(), fencer.sent(FencePeerMessage.HistoryWanted.class));

    fencer.root().ask(new FenceMessage.HistoryQuery(null, true));
    assertEquals(
        List.of(new FencePeerMessage.HistoryWanted(false)),
        fencer.sent(FencePeerMessage.HistoryWanted.class));
  }

  @Test
  void aConfirmationWithoutConnectionToTheClusterIsRefused() {
    fencer.goes(3);
    fencer.loseLink();

    var answer = fencer.root().answer(new FenceMessage.Confirm(new NodeName("node3"), "admin"));

    assertEquals(
        ExecStatus.NOT_CONNECTED, assertInstanceOf(FenceMessage.Refused.class, answer).status());
    assertEquals(List.of(), fencer.history());
  }

  @Test
  void anActionOfAnUnknownDeviceIsRefused() {
    for (var action : List.of("monitor", "list")) {
      var answer = fencer.root().answer(new FenceMessage.RunDevice("x", action, null, 1000));
      var result = assertInstanceOf(FenceMessage.DeviceResult.class, answer);
      assertEquals(ExecStatus.NO_FENCE_DEVICE, result.status());
      assertEquals("'x' not found", result.exitReason());
    }
  }

  @Test
  void validationNamesAnAgentThatDoesNotExist() {
    var request = new FenceMessage.Validate("no/such/agent", "a", NONE, 1000);
    var answer = assertInstanceOf(FenceMessage.Validated.class, fencer.root().answer(request));

    assertEquals(ExecStatus.NOT_INSTALLED, answer.status());
    assertEquals("\"no/such/agent\" is not a fence agent", answer.errors());
    assertEquals(0, fencer.begun("validate-all"));
  }

  @Test
  void aDeviceIsToldWhatIsKeptOutOfTheCibAndNobodyElseIs() {
    fencer.world.secrets().put("a", "passwd", "Secr3t");
    fencer.register("a", Map.of("passwd", "lrm://"));
    fencer.agent("monitor", 0, "");
    var monitor = new FenceMessage.RunDevice("a", "monitor", null, 1000);
    var answer =
        assertInstanceOf(FenceMessage.DeviceResult.class, fencer.root().answer(monitor));

    assertTrue(answer.succeeded());
    var agent = fencer.world.programs().all().getLast().program();
    assertTrue(agent.input().contains("\npasswd=Secr3t\n"), agent::input);
    assertFalse((agent.command() + " " + agent.environment()).contains("Secr3t"));
    var list = fencer.root().answer(new FenceMessage.DeviceQuery(null, 1000));
    assertFalse((list + " " + fencer.world.lines()).contains("Secr3t"));
  }

  @Test
  void withoutTheValueADevicesAgentIsNotRun() {
    fencer.register("a", Map.of("passwd", "lrm://"));
    fencer.agent("monitor", 0, "");
    var begun = fencer.world.programs().all().size();
    var monitor = new FenceMessage.RunDevice("a", "monitor", null, 1000);
    var answer =
        assertInstanceOf(FenceMessage.DeviceResult.class, fencer.root().answer(monitor));

    assertEquals(ExecStatus.NO_SECRETS, answer.status());
    assertEquals("Failed to get CIB secrets", answer.exitReason());
    assertEquals(begun, fencer.world.programs().all().size());
    assertTrue(fencer.world.logged("The secret parameters of a cannot be had"));
  }

  @Test
  void validationIsToldTheValueToo() {
    fencer.agent("validate-all", 0, "");
    var request = new FenceMessage.Validate("fence_test", "a", Map.of("passwd", "lrm://"), 1000);
    var without = assertInstanceOf(FenceMessage.Validated.class, fencer.root().answer(request));
    assertEquals(ExecStatus.NO_SECRETS, without.status());
    assertEquals("Failed to get CIB secrets", without.errors());

    fencer.world.secrets().put("a", "passwd", "Secr3t");
    var with = assertInstanceOf(FenceMessage.Validated.class, fencer.root().answer(request));
    assertEquals(ExecStatus.DONE, with.status());
    assertTrue(fencer.world.programs().all().getLast().program().input().contains("=Secr3t\n"));
  }
}
