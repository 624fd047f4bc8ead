package org.systole.controld.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.systole.controld.TestNodes.id;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;

final class LeftRunningTest {
  private static final String FILE = "left-running.xml";
  private static final LeftRunning.Resource WEB =
      new LeftRunning.Resource(
          new ResourceId("web"), RunnerUnderTest.DUMMY, Map.of("state", "a<\"b"));
  private static final LeftRunning.Resource DB =
      new LeftRunning.Resource(new ResourceId("db"), RunnerUnderTest.DUMMY, Map.of());

  private final TestWorld world = new TestWorld();
  private Host host = new Host();
  private LeftRunning left = open();

  private static final class Host implements LeftRunning.Host {
    final List<LeftRunning.Resource> presumed = new ArrayList<>();
    final Map<String, Runnable> looking = new LinkedHashMap<>();
    final List<LeftRunning.Resource> looked = new ArrayList<>();
    List<ResourceId> known = List.of();
    boolean joined = true;

    @Override
    public boolean hasJoined() {
      return joined;
    }

    @Override
    public List<ResourceId> knownResources() {
      return known;
    }

    @Override
    public void presume(LeftRunning.Resource resource) {
      presumed.add(resource);
    }

    @Override
    public void look(LeftRunning.Resource resource, Runnable done) {
      looked.add(resource);
      looking.put(resource.id().text(), done);
    }
  }

  private LeftRunning open() {
    var opened = new LeftRunning(world, host, id(1));
    opened.open();
    world.settle();
    return opened;
  }

  private void keep(LeftRunning.Resource... now) {
    left.keep(List.of(now));
    world.settle();
  }

  /// Another controller takes the place of this one.
  private void restart() {
    host = new Host();
    left = open();
  }

  private void check(String state, String resources) {
    left.check(cib(state, resources));
    world.settle();
  }

  private static Element cib(String state, String resources) {
    return TestCib.xml(
        "<cib><configuration><resources>%s</resources></configuration><status>%s</status></cib>"
            .formatted(resources, state));
  }

  private static final String JOINED = "<node_state id='1' join='member'/>";
  private static final String BOTH = "<primitive id='web'/><group id='g'><primitive id='db'/></group>";

  @Test
  void runningResourcesAreKeptForTheNextController() {
    assertFalse(left.isUnsure());
    keep(WEB, DB);
    restart();
    assertEquals(List.of(DB, WEB), host.presumed);
    assertTrue(left.isUnsure());
  }

  @Test
  void whatIsMovedHereLiveIsKeptAsThat() {
    var sent = new LeftRunning.Resource(WEB.id(), WEB.agent(), WEB.parameters(), new NodeName("node2"));
    keep(sent);
    restart();
    assertEquals(List.of(sent), host.presumed);
  }

  @Test
  void stoppedResourcesAreNotKeptAndTheFileGoesWithTheLast() {
    keep(WEB, DB);
    keep(DB);
    restart();
    assertEquals(List.of(DB), host.presumed);
    host.known = List.of(new ResourceId("db"));
    check(JOINED, BOTH);
    assertFalse(left.isUnsure());
    left.leave(List.of(), () -> {});
    world.settle();
    assertEquals(Map.of(), world.disk().files());
  }

  @Test
  void aControllerThatEndedBadlyHasLostItsOperations() {
    assertFalse(left.isLost(List.of()), "there was none before");
    restart();
    assertTrue(left.isLost(List.of()));
    assertFalse(left.isLost(List.of(new ResourceId("web"))), "the executor knows");
    keep(WEB, DB);
    restart();
    assertTrue(left.isLost(List.of(new ResourceId("web"))), "one of them nobody knows of");
    assertFalse(left.isLost(List.of(new ResourceId("web"), new ResourceId("db"))));
    left.leave(List.of(), () -> {});
    world.settle();
    host.known = List.of();
    restart();
    assertTrue(left.isLost(List.of()), "what was not found again may run");
  }

  @Test
  void configuredResourcesAreProbedByTheDc() {
    keep(WEB, DB);
    restart();
    check(JOINED, BOTH);
    assertEquals(List.of(), host.looked);
    assertTrue(left.isUnsure(), "it has not been heard of yet");
    host.known = List.of(new ResourceId("web"), new ResourceId("db"));
    check(JOINED, BOTH);
    assertFalse(left.isUnsure());
  }

  @Test
  void aResourceNoLongerConfiguredIsProbedOnce() {
    keep(WEB, DB);
    restart();
    for (var i = 0; i < 2; i++) {
      check(JOINED, "<primitive id='db'/><group id='web'/>");
      assertEquals(List.of(WEB), host.looked);
    }
    assertTrue(left.isUnsure());
    restart();
    assertEquals(List.of(DB, WEB), host.presumed, "it is not known yet whether it runs");
    check(JOINED, "<primitive id='db'/>");
    host.looking.values().forEach(Runnable::run);
    world.settle();
    restart();
    assertEquals(List.of(DB), host.presumed);
  }

  @Test
  void nothingIsLookedForBeforeThisNodeHasJoined() {
    keep(WEB);
    restart();
    for (var state :
        List.of("", "<node_state id='2' join='member'/>", JOINED.replace("member", "down"))) {
      check(state, "");
    }
    host.joined = false;
    check(JOINED, "");
    assertEquals(List.of(), host.looked);
    host.joined = true;
    left.check(TestCib.xml("<cib><configuration/><status>" + JOINED + "</status></cib>"));
    assertEquals(List.of(WEB), host.looked, "nothing is configured at all");
  }

  @Test
  void onlyOneWriteIsUnderWayAndTheLatestCounts() {
    world.disk().waits(true);
    keep(WEB);
    keep(DB);
    keep(WEB, DB);
    world.disk().waits(false);
    restart();
    assertEquals(List.of(DB, WEB), host.presumed);
  }

  @Test
  void aLeavingNodeWaitsUntilTheFileIsOnDisk() {
    var told = new ArrayList<String>();
    world.disk().waits(true);
    left.leave(List.of(WEB), () -> told.add("kept"));
    world.settle();
    assertEquals(List.of(), told);
    world.disk().waits(false);
    assertEquals(List.of("kept"), told);
    left.leave(List.of(WEB), () -> told.add("known"));
    assertEquals(List.of("kept", "known"), told, "it is there already");
  }

  @Test
  void aDiskThatCannotBeWrittenDoesNotKeepANodeFromLeaving() {
    var told = new ArrayList<String>();
    world.disk().fails("full");
    left.leave(List.of(WEB), () -> told.add("not kept"));
    world.settle();
    assertEquals(List.of("not kept"), told);
    assertTrue(world.logged("Cannot save the list of resources that run here: full"));
    world.disk().works();
    keep(WEB, DB);
    restart();
    assertEquals(List.of(DB, WEB), host.presumed, "it is tried again with the next change");
  }

  /// With other parameters in the configuration a probe would find nothing, and it would be started on a second node.
  @Test
  void whatAFullDiskDidNotTakeIsKeptOnceItDoesThoughNothingChanges() {
    keep(WEB);
    world.disk().fails("full");
    keep(WEB, DB);
    world.settle();
    world.disk().works();
    world.pass(Duration.ofSeconds(2));
    restart();
    assertEquals(List.of(DB, WEB), host.presumed);
  }

  @Test
  void aFileThatCannotBeReadIsReportedAndReplaced() {
    world.disk().files().put(FILE, "<broken".getBytes(StandardCharsets.UTF_8));
    restart();
    assertTrue(world.logged("Cannot read what was left running here"));
    var told = new ArrayList<String>();
    left.leave(List.of(), () -> told.add("left"));
    world.settle();
    assertEquals(List.of("left"), told);
    assertEquals(Map.of(), world.disk().files());
  }
}
