package org.systole.controld.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.controld.io.PeerMessage;
import org.systole.roles.document.DocumentFault;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.view.LiveRoles;

/// What a DC makes of the roles, where somebody changes them at the same time.
final class RoleDirectorTest implements RoleDirector.Host {
  private static final NodeName N1 = new NodeName("n1");
  private static final NodeId ID = new NodeId(1);
  private static final String ROLE =
      "<role id=\"format\" jig=\"script\" destructive=\"%s\"><data>{\"format\":{\"device\":\"sdb\"}}</data></role>"
          + "<propose/><bind role=\"format\" node=\"n1\"/><commit/>";

  private final TestWorld world = new TestWorld();
  private final RolesDesk desk = desk();
  private final List<PeerMessage> sent = new ArrayList<>();
  private final List<String> plans = new ArrayList<>();
  private final RoleDirector director = new RoleDirector(world, this);
  private String meanwhile = ""; // what somebody asks for in the same moment as the DC begins something
  private boolean maintenance;
  private boolean maintained; // in the same moment
  private boolean slow; // it takes a while to read the roles

  private static RolesDesk desk() {
    try {
      return new RolesDesk(null, () -> 0);
    } catch (DocumentFault e) {
      throw new IllegalStateException(e);
    }
  }

  private void ask(Element request, boolean dc) {
    assertNull(desk.carryOut(request, new RolesDesk.Who("now", "root", N1, "test", dc, List.of(N1))));
  }

  private void steps(String steps) {
    try {
      ask(XmlReader.parse("<steps>" + steps + "</steps>"), false);
    } catch (XmlException e) {
      throw new IllegalStateException(e);
    }
  }

  private void begin() {
    director.changed();
    director.joined();
    world.pass(Duration.ofSeconds(1));
  }

  private List<PeerMessage.RunJig> orders() {
    return sent.stream().filter(PeerMessage.RunJig.class::isInstance).map(PeerMessage.RunJig.class::cast).toList();
  }

  @Test
  void aRunThatMayHappenOnlyOnceIsGivenWhatItsOwnSnapshotSays() {
    steps(ROLE.formatted("true"));
    meanwhile = "<propose/><unbind role=\"format\" node=\"n1\"/><commit/>";
    begin();
    assertEquals(1, orders().size());
    assertEquals("{\"format\":{\"device\":\"sdb\"}}", orders().getFirst().given());
  }

  @Test
  void whatIsBoundNoMoreBeforeItWasOrderedIsNotOrdered() {
    steps(ROLE.formatted("false"));
    meanwhile = "<propose/><unbind role=\"format\" node=\"n1\"/><commit/>";
    begin();
    assertEquals(List.of(), sent);
    steps("<role id=\"next\" jig=\"script\"/><propose/><bind role=\"next\" node=\"n1\"/><commit/>");
    director.changed();
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("next@n1"), orders().stream().map(PeerMessage.RunJig::noderole).toList());
  }

  @Test
  void whatWasWrittenJustBeforeMaintenanceIsOrderedAfterIt() {
    steps(ROLE.formatted("true"));
    maintained = true;
    begin();
    world.pass(Duration.ofSeconds(40));
    assertEquals(List.of(), sent);
    maintained = false;
    maintenance = false;
    director.membersChanged();
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of("format@n1"), orders().stream().map(PeerMessage.RunJig::noderole).toList());
  }

  @Test
  void whatStaysBoundIsOrderedOnce() {
    steps(ROLE.formatted("false"));
    begin();
    assertEquals(List.of("format@n1"), orders().stream().map(PeerMessage.RunJig::noderole).toList());
    director.changed();
    world.pass(Duration.ofSeconds(1));
    assertEquals(1, orders().size());
  }

  /// The executor has dropped its answer.
  @Test
  void whatRunsOnceAndIsNotKnownAnyMoreIsAskedOfAPerson() throws Exception {
    steps(ROLE.formatted("true"));
    begin();
    director.news(ID, new PeerMessage.JigNews("format@n1", 1, "UNKNOWN", "it ended well, but its answer is not kept any more", ""));
    world.pass(Duration.ofSeconds(30));
    assertEquals(1, orders().size());
    var noderole = new LiveRoles(desk.roles().document()).get(NodeRoleId.of("format@n1"));
    assertNotNull(noderole);
    assertTrue(noderole.cause().contains("its answer is not kept any more. It may run only once"), noderole::cause);
  }

  @Test
  void anOrderNamesWhatMayRunOnlyOnceByNow() {
    steps(ROLE.formatted("false"));
    begin();
    assertEquals(List.of(), orders().getLast().spared());
    steps("<role id=\"format\" jig=\"script\" destructive=\"true\"/><role id=\"next\" jig=\"script\"/>"
        + "<propose/><bind role=\"next\" node=\"n1\"/><commit/>");
    director.news(ID, new PeerMessage.JigNews("format@n1", 1, "OK", "{}", "{}"));
    world.pass(Duration.ofSeconds(5));
    assertEquals("next@n1", orders().getLast().noderole());
    assertEquals(List.of("format"), orders().getLast().spared());
  }

  private List<PeerMessage.EndJig> ends() {
    return sent.stream().filter(PeerMessage.EndJig.class::isInstance).map(PeerMessage.EndJig.class::cast).toList();
  }

  /// A role that is active, and is looked at.
  private void beginCheck(boolean once) {
    steps(ROLE.formatted(once).replace("jig=", "check-interval=\"10s\" jig="));
    begin();
    director.news(ID, new PeerMessage.JigNews("format@n1", 1, "OK", "{}", "{}"));
    world.pass(Duration.ofSeconds(11));
    assertTrue(sent.getLast() instanceof PeerMessage.CheckJig);
  }

  @Test
  void aCheckIsEndedWhereItsNodeIsInMaintenance() {
    beginCheck(false);
    assertEquals(Boolean.FALSE, orders().getFirst().once());
    maintenance = true;
    director.membersChanged();
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(new PeerMessage.EndJig(1, "format@n1", 1)), ends());
  }

  @Test
  void aCheckIsEndedWhoseRoleIsBoundNoMore() {
    beginCheck(false);
    steps("<propose/><unbind role=\"format\" node=\"n1\"/><commit/>");
    director.changed();
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(new PeerMessage.EndJig(1, "format@n1", 1)), ends());
  }

  /// An executor of an earlier build might end the run with it, if it goes on though nobody thinks so.
  @Test
  void aCheckOfWhatMayRunOnlyOnceIsLeftToItsTime() {
    beginCheck(true);
    assertEquals(Boolean.TRUE, orders().getFirst().once());
    maintenance = true;
    director.membersChanged();
    world.pass(Duration.ofSeconds(1));
    assertEquals(List.of(), ends());
  }

  @Test
  void noPlanIsMadeBeforeTheRolesWereRead() {
    steps(ROLE.formatted("false"));
    slow = true;
    director.changed();
    assertTrue(director.mayPlan(), "it is no DC yet");
    director.joined();
    assertFalse(director.mayPlan());
    world.pass(Duration.ofSeconds(2));
    assertTrue(director.mayPlan());
    assertEquals(List.of("may"), plans);
    assertNotNull(new LiveRoles(desk.roles().document()).get(NodeRoleId.of("format@n1")));
  }

  // What the director needs

  @Override
  public boolean governs() {
    return true;
  }

  @Override
  public long epoch() {
    return 1;
  }

  @Override
  public List<NodeId> joined() {
    return List.of(ID);
  }

  @Override
  public NodeName nodeName(NodeId node) {
    return N1;
  }

  @Override
  public @Nullable NodeId nodeId(NodeName node) {
    return ID;
  }

  @Override
  public boolean isMember(NodeId node) {
    return true;
  }

  @Override
  public boolean knowsChecks() {
    return true;
  }

  @Override
  public boolean knowsEnding() {
    return true;
  }

  @Override
  public long stay(NodeName node) {
    return 5;
  }

  @Override
  public List<String> gate() {
    return List.of();
  }

  @Override
  public boolean isLeftAlone(NodeName node) {
    return maintenance;
  }

  @Override
  public void send(NodeId node, PeerMessage message) {
    sent.add(message);
  }

  @Override
  public void setAttribute(String name, NodeName node, @Nullable String value) {}

  @Override
  public void alert(NodeName node, String role, String state, String text) {}

  @Override
  public SortedMap<NodeName, SortedMap<String, String>> roleAttributes() {
    return new TreeMap<>();
  }

  @Override
  public void readRoles(long known, Consumer<CibMessage.Answer> done) {
    var now = desk.written().toString();
    world.after(
        Duration.ofSeconds(slow ? 1 : 0),
        () -> done.accept(new CibMessage.Answer(Rc.OK, "", now, CibVersion.NONE)));
  }

  @Override
  public void changeRoles(Element request, Duration timeout, Consumer<CibMessage.Answer> done) {
    ask(request, true);
    if (request.first("begin") != null) {
      maintenance |= maintained;
    }
    if (request.first("begin") != null && !meanwhile.isEmpty()) {
      steps(meanwhile);
      meanwhile = "";
    }
    world.post(() -> done.accept(new CibMessage.Answer(Rc.OK, "", null, CibVersion.NONE)));
  }

  @Override
  public void mayPlan() {
    plans.add("may");
  }

  @Override
  public void planAgain(String why) {
    plans.add(why);
  }
}
