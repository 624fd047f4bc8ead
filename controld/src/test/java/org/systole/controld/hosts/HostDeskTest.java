package org.systole.controld.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibUpdate;
import org.systole.common.hosts.HostStatus;
import org.systole.common.operation.ExecStatus;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestPeer;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;
import org.systole.controld.TestCib;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.io.PeerMessage;
import org.systole.controld.io.PeerMessage.AgentRan;
import org.systole.controld.io.PeerMessage.RunAgent;
import org.systole.fenced.client.FenceMessage;
import org.systole.hostha.cib.CibRecords;

/// The DC's part of host HA, with two hosts. The test plays the CIB, the members and the fencer.
final class HostDeskTest implements HostHa.Host {
  private static final NodeName N1 = new NodeName("n1");
  private static final NodeName H1 = new NodeName("h1");

  private static final String CIB =
      """
      <cib admin_epoch="0" epoch="1" num_updates="0" validate-with="pacemaker-4.0">
        <configuration>
          <crm_config><cluster_property_set id="a">
            <nvpair id="a1" name="ha.enabled" value="true"/>
            <nvpair id="a2" name="ha.provider" value="activity-file"/>
            <nvpair id="a3" name="ha.volumes" value="/srv/a, /srv/b"/>
            <nvpair id="a4" name="ha.power.check.interval" value="0"/>
          </cluster_property_set></crm_config>
          <nodes/>
          <resources>
            <primitive id="f" class="stonith" type="fence_x"/>
            <primitive id="h1" class="ocf" provider="pacemaker" type="remote"/>
            <primitive id="h2" class="ocf" provider="pacemaker" type="remote"/>
          </resources>
          <constraints/>
        </configuration>
        <status>%s</status>
      </cib>
      """;

  private static final String FENCED = "FENCED since=5 attempts=1 begun=true";

  private final TestWorld world = new TestWorld();
  private final TestPeer<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> fencer =
      world.peer(FenceMessage.SOCKET, FenceMessage.PROTOCOL);
  private final HostHa dc = new HostHa(world, this);
  private final List<RunAgent> asked = new ArrayList<>();
  private Element cib = TestCib.xml(CIB.formatted(""));
  private final List<String> recordedAndTold = new ArrayList<>(); // after each write
  private final List<String> alerts = new ArrayList<>();
  private boolean allKnowHostHa = true;
  private final List<CtlMessage.Reply> ordered = new ArrayList<>();
  private boolean quorum = true;
  private boolean clusterMaintenance;
  private Writes writes = Writes.ACCEPTED;

  /// What becomes of changes.
  private enum Writes {
    ACCEPTED,
    REFUSED,
    SILENT
  }

  private static String connected(String host, String more) {
    return """
        <node_state id="%s" uname="%s" remote_node="true" in_ccm="100" connection="n1"%s/>
        """
        .formatted(host, host, more);
  }

  private void begin(String status) {
    cib = TestCib.xml(CIB.formatted(status));
    dc.tookOver();
    world.settle();
  }

  private void status(String status) {
    change(TestCib.xml(CIB.formatted(status)));
  }

  private void change(Element next) {
    var before = cib;
    cib = next;
    dc.cibChanged(before, next);
    world.settle();
  }

  /// What was asked of a host last; null if nothing.
  private @Nullable RunAgent last(NodeName host, String action) {
    return asked.stream()
        .filter(it -> it.node().equals(host))
        .filter(it -> it.call() != null && it.call().action().text().equals(action))
        .reduce((_, later) -> later)
        .orElse(null);
  }

  private void answer(NodeName host, String action, int rc, String reason) {
    var one = last(host, action);
    assertNotNull(one);
    dc.ran(new AgentRan(one.number(), true, rc, ExecStatus.DONE, reason, ""));
    world.settle();
  }

  private CtlMessage.HaHost host() {
    if (dc.hosts(new CtlMessage.HostsQuery(null, false)) instanceof CtlMessage.Hosts all) {
      return all.hosts().getFirst();
    }
    throw new AssertionError("no hosts");
  }

  @Test
  void aProviderLearnsTheVolumesWhateverItIsAskedFor() {
    begin(connected("h1", "") + connected("h2", ""));

    for (var action : List.of("eligible", "health")) {
      var one = last(H1, action);
      assertNotNull(one, action);
      assertNotNull(one.call());
      assertEquals("/srv/a,/srv/b", one.call().parameters().get("volumes"), action);
    }
  }

  @Test
  void nobodyIsSentToAHostThatTheClusterIsNotConnectedTo() {
    begin("");
    world.pass(Duration.ofSeconds(30));

    assertEquals(List.of(), asked.stream().filter(it -> it.server() != null).toList());
    assertEquals("INELIGIBLE", host().state());
    assertEquals("no member is connected to it", host().why());
  }

  @Test
  void aReasonIsOneLineThatTerminalsCanShow() {
    begin(connected("h1", "") + connected("h2", ""));
    var why = "being\u001b[2J\nlooked at " + "x".repeat(5000);

    order(CtlMessage.HostOrder.HOLD, why);

    var held = host().held();
    assertNotNull(held);
    assertEquals(300, held.length());
    assertEquals("being [2J looked at ", held.substring(0, 20));
  }

  @Test
  void aHostIsLookedAfterOnceItIsConnected() {
    begin("");
    status(connected("h1", "") + connected("h2", ""));
    answer(H1, "eligible", 0, "");

    assertEquals("AVAILABLE", host().state());
    assertNull(last(H1, "health").server(), "over the connection that is there");
  }

  @Test
  void whereTheConnectionIsLostOneIsMadeForTheCheckAlone() {
    begin(connected("h1", " host_ha=\"AVAILABLE\" host_ha_lost=\"1\"") + connected("h2", ""));
    answer(H1, "eligible", 0, "");

    var health = last(H1, "health");
    assertNotNull(health);
    assertEquals("h1", health.server());
  }

  @Test
  void aHostWhoseConnectionIsClosedOnPurposeIsNoLongerLookedAfter() {
    begin(connected("h1", "") + connected("h2", ""));
    answer(H1, "eligible", 0, "");
    assertEquals("AVAILABLE", host().state());

    status(connected("h1", "").replace("in_ccm=\"100\"", "in_ccm=\"0\"") + connected("h2", ""));
    assertEquals("INELIGIBLE", host().state());
    asked.clear();
    world.pass(Duration.ofSeconds(30));
    assertEquals(List.of(), asked.stream().filter(it -> it.server() != null).toList());
  }

  /// A connection that is made anew and fails would be taken for lost, and the host be fenced later.
  @Test
  void aConnectionThatIsClosedOnPurposeUnderANewDcIsToldAtOnce() {
    var there = connected("h1", " host_ha=\"AVAILABLE\"") + connected("h2", "");
    begin(there);
    answer(H1, "eligible", 1, "it is being repaired");
    assertEquals("INELIGIBLE", host().state());
    assertEquals("AVAILABLE", told().state(), "the former DC may know better");

    change(
        CibUpdate.apply(cib, List.of(CibOp.put("status", closed("h1"))), null).cib());
    assertEquals("INELIGIBLE", told().state());
  }

  private static Element closed(String host) {
    return Element.of("node_state", "id", host, "uname", host, "in_ccm", "0");
  }

  private static String history(String operations) {
    return """
        <node_state id="1" uname="n1"><lrm id="1"><lrm_resources>
          <lrm_resource id="h1" class="ocf" provider="pacemaker" type="remote">%s</lrm_resource>
        </lrm_resources></lrm></node_state>
        """
        .formatted(operations);
  }

  private static String operation(String id, String what, int call, int rc, int status) {
    return """
        <lrm_rsc_op id="h1_%s" operation="%s" call-id="%d" rc-code="%d" op-status="%d"/>
        """
        .formatted(id, what, call, rc, status);
  }

  @Test
  void aHostThatWasLostBeforeHostHaWasOnIsTheClustersUntilItIsConnectedAnew() {
    var hosts = connected("h1", "") + connected("h2", "");
    var start = operation("last_0", "start", 3, 0, 0);
    var failure =
        operation("last_failure_0", "monitor", 5, 1, 4)
            + operation("monitor_10000", "monitor", 5, 1, 4);

    begin(hosts + history(start + failure));

    assertEquals("INELIGIBLE", host().state());
    assertEquals("no member is connected to it", host().why());
    world.pass(Duration.ofSeconds(61));
    answer(H1, "eligible", 0, "");
    assertEquals("INELIGIBLE", host().state(), "whatever it says by another way");

    status(hosts + history(start + failure + operation("last_0", "stop", -1, 193, -1)));
    assertEquals("INELIGIBLE", host().state(), "what is under way has not ended");
    status(hosts + history(operation("last_0", "start", 8, 0, 0) + failure));
    answer(H1, "eligible", 0, "");
    assertEquals("AVAILABLE", host().state());
  }

  @Test
  void aConnectionThatFailsWithoutHostHaIsTheClusters() {
    var hosts = connected("h1", "") + connected("h2", "");
    begin(hosts + history(operation("last_0", "start", 3, 0, 0)));
    answer(H1, "eligible", 0, "");
    assertEquals("AVAILABLE", host().state());

    status(hosts + history(operation("last_failure_0", "asyncmon", 4, 1, 0)));

    assertEquals("INELIGIBLE", host().state());
  }

  @Test
  void aHostThatWasAddedIsNotVisitedBeforeTheClusterHasConnected() {
    begin(connected("h1", "") + connected("h2", ""));
    asked.clear();

    change(
        TestCib.xml(
            CIB.formatted(connected("h1", "") + connected("h2", ""))
                .replace(
                    "</resources>",
                    """
                    <primitive id="h3" class="ocf" provider="pacemaker" type="remote"/>
                    </resources>""")));

    assertEquals(List.of(), asked.stream().filter(it -> it.server() != null).toList());
  }

  @Test
  void theStatusTellsWhatKeepsAHostFromBeingLookedAfterAsThatChanges() {
    begin(connected("h1", "") + connected("h2", ""));
    answer(H1, "eligible", 1, "none of its volumes is mounted");
    assertEquals("none of its volumes is mounted", told().why());

    world.pass(Duration.ofSeconds(61));
    answer(H1, "eligible", 1, "it is being repaired");

    assertEquals("INELIGIBLE", told().state());
    assertEquals("it is being repaired", told().why());
  }

  @Test
  void aFencedHostThatIsClearedByAnotherDcIsNoLongerSaidToBeFenced() {
    beginFenced();

    order(CtlMessage.HostOrder.CLEAR, "");
    world.settle();

    assertEquals("INELIGIBLE", told().state());
  }

  @Test
  void aHostThatIsClearedIsInMaintenanceAsLongAsTheWholeClusterIs() {
    clusterMaintenance = true;
    beginFenced();
    order(CtlMessage.HostOrder.CLEAR, "");
    world.settle();

    assertEquals("INELIGIBLE", host().state());
    assertTrue(host().maintenance());
  }

  private void beginFenced() {
    cib =
        TestCib.xml(
            CIB.formatted(
                    connected("h1", " host_ha=\"FENCED\"").replace("in_ccm=\"100\"", "in_ccm=\"0\"")
                        + connected("h2", ""))
                .replace(
                    "<nodes/>",
                    """
                    <nodes><node id="h1" uname="h1" type="remote"><instance_attributes id="h1-a">
                      <nvpair id="h1-r" name="#host-ha" value="FENCED since=5 attempts=1"/>
                      <nvpair id="h1-m" name="maintenance" value="true"/>
                    </instance_attributes></node></nodes>"""));
    dc.tookOver();
    world.settle();
    assertEquals("FENCED", told().state());
  }

  private void answerAs(NodeName host, String action, String output) {
    var one = last(host, action);
    assertNotNull(one);
    dc.ran(new AgentRan(one.number(), true, 0, ExecStatus.DONE, "", output));
    world.settle();
  }

  @Test
  void aTrialTellsWhatEachCheckSaysAndChangesNothing() {
    begin(connected("h1", "") + connected("h2", ""));
    var h2 = new NodeName("h2");
    answer(H1, "eligible", 0, "");
    answer(h2, "eligible", 0, "");
    answer(H1, "health", 0, "");
    answer(h2, "health", 0, "");
    var before = cib;
    var told = new ArrayList<CtlMessage.Reply>();

    dc.tryOut(H1, told::add);
    world.settle();
    answer(H1, "eligible", 1, "it is being repaired");
    answer(H1, "health", 1, "it is on fire");
    answerAs(h2, "activity", "volume=/srv/a stamp=7 age=3\nvolume=/srv/b error=stale handle\n");
    world.pass(Duration.ofSeconds(15));

    assertEquals(
        List.of(
            new CtlMessage.Tried(
                List.of(
                    new CtlMessage.HaTry("eligible", "", false, "it is being repaired"),
                    new CtlMessage.HaTry("health", "", false, "it is on fire"),
                    new CtlMessage.HaTry(
                        "activity", "h2", true, "/srv/a: last written to 3 s ago; /srv/b: stale handle"),
                    new CtlMessage.HaTry("power", "", false, "UNKNOWN")))),
        told);
    assertEquals("AVAILABLE", HostStatus.of(before, H1).state());
    assertEquals(HostStatus.of(before, H1), HostStatus.of(cib, H1));
  }

  @Test
  void aTrialOfNoHostIsRefused() {
    begin(connected("h1", "") + connected("h2", ""));
    var told = new ArrayList<CtlMessage.Reply>();

    dc.tryOut(new NodeName("h9"), told::add);

    assertEquals(
        List.of(
            new CtlMessage.Refused(
                CtlMessage.Reason.UNKNOWN,
                "there is no host h9: hosts are the remote nodes, and crm_hostha --list shows them")),
        told);
  }

  private HostStatus told() {
    var status = HostStatus.of(cib, H1);
    assertNotNull(status);
    return status;
  }

  /// Has h1 looked after by its provider alone, and recovered because a person wants it.
  private void recoverByProvider() {
    cib =
        TestCib.xml(
            CIB.formatted(connected("h1", "") + connected("h2", ""))
                .replace(
                    "<nvpair id=\"a1\"",
                    """
                    <nvpair id="a5" name="kvm.ha.recovery.restart_operation" value="PROVIDER"/>
                    <nvpair id="a6" name="kvm.ha.fence.stop_operation" value="PROVIDER"/>
                    <nvpair id="a1\""""));
    dc.tookOver();
    world.settle();
    for (var host : List.of(H1, new NodeName("h2"))) {
      answer(host, "eligible", 0, "");
      answer(host, "health", 0, "");
    }
    order(CtlMessage.HostOrder.RECOVER, "");
    world.settle();
  }

  @Test
  void aProviderRecoversFromANeighbour() {
    recoverByProvider();

    var one = last(new NodeName("h2"), "recover");
    assertNotNull(one, asked.toString());
    assertNotNull(one.call());
    assertEquals("h1", one.call().parameters().get("host"));
    answer(new NodeName("h2"), "recover", 0, "");
    assertEquals("RECOVERED", host().state());
    assertTrue(fencer.received(FenceMessage.Fence.class).isEmpty());
  }

  @Test
  void aProvidersFencingIsAProofOnlyIfItSaysSo() {
    recoverByProvider();
    answer(new NodeName("h2"), "recover", 1, "the outlet is stuck");
    assertEquals("FENCING", host().state());
    answer(H1, "health", 1, "it does not answer");
    answer(new NodeName("h2"), "fence", 3, "");
    assertEquals("FENCING", host().state());
    assertTrue(host().why().contains("its provider cannot do that"), host().why());
    world.pass(Duration.ofSeconds(11));
    answer(new NodeName("h2"), "fence", 0, "");
    assertEquals("FENCED", host().state());
    assertEquals("FENCED", told().state());
  }

  @Test
  void aPowerCycleIsGivenUpForGoodOnceItsHostIsToBeFenced() {
    begin(connected("h1", "") + connected("h2", ""));
    for (var host : List.of(H1, new NodeName("h2"))) {
      answer(host, "eligible", 0, "");
      answer(host, "health", 0, "");
    }
    order(CtlMessage.HostOrder.RECOVER, "");
    world.settle();
    for (var minutes = 0; minutes < 60 && !host().state().equals("FENCING"); minutes++) {
      assertTrue(fencer.received(FenceMessage.Withdraw.class).stream().noneMatch(it -> it.wholly()));
      world.pass(Duration.ofMinutes(1));
    }

    assertEquals("FENCING", host().state());
    assertEquals("reboot", fencer.received(FenceMessage.Fence.class).getFirst().action());
    var withdrawn = fencer.received(FenceMessage.Withdraw.class);
    assertTrue(withdrawn.size() > 1, withdrawn.toString());
    assertEquals(
        List.of("reboot"),
        withdrawn.stream().filter(it -> it.wholly()).map(it -> it.action()).toList());
  }

  @Test
  void hostsAreLookedAfterOnceAMemberThatKnowsNoHostHaIsGone() {
    allKnowHostHa = false;
    begin(connected("h1", "") + connected("h2", ""));
    assertEquals(List.of(), asked);

    allKnowHostHa = true;
    var status = cib.first("status");
    assertNotNull(status);
    change(cib.replace(cib.indexOf(status), status.with("left", "2")));

    assertEquals("AVAILABLE", host().state());
  }

  private static Element withRecord(Element cib, String host, String text) {
    var nodes =
        TestCib.xml(
            """
            <nodes><node id="%s" uname="%s" type="remote"><instance_attributes id="r">
              <nvpair id="r-1" name="#host-ha" value="%s"/></instance_attributes></node></nodes>
            """
                .formatted(host, host, text));
    var configuration = cib.first("configuration");
    var before = configuration == null ? null : configuration.first("nodes");
    if (configuration == null || before == null) {
      throw new AssertionError("no configuration");
    }
    var next = configuration.replace(configuration.indexOf(before), nodes);
    return cib.replace(cib.indexOf(configuration), next);
  }

  private void bothAreWell() {
    for (var host : List.of(H1, new NodeName("h2"))) {
      answer(host, "eligible", 0, "");
      answer(host, "health", 0, "");
    }
    assertEquals("AVAILABLE", host().state());
    assertEquals("AVAILABLE", told().state());
  }

  /// What runs there would be started elsewhere.
  @Test
  void aRecordOfAFencedHostThatComesBackWithABackupIsNoProof() {
    var old = "FENCED since=5 attempts=1 begun=true";
    begin(connected("h1", "") + connected("h2", ""));
    bothAreWell();
    change(withRecord(cib, "h1", old));
    world.pass(Duration.ofSeconds(1));
    assertNull(CibRecords.read(cib).get(H1), "this DC has it removed");

    dc.release();
    asked.clear();
    cib = withRecord(cib, "h1", old);
    assertEquals("AVAILABLE", told().state());
    dc.tookOver();
    world.settle();
    bothAreWell();
    assertNull(CibRecords.read(cib).get(H1), "so has one that finds it");

    dc.release();
    asked.clear();
    cib = withRecord(TestCib.xml(CIB.formatted(connected("h1", "") + connected("h2", ""))), "h1", old);
    assertEquals(HostStatus.Hold.FROZEN, told().hold(), "nor is it one for a plan that is made meanwhile");
    dc.tookOver();
    world.settle();
    bothAreWell();
  }

  @Test
  void aRecordThatCannotBeReadProvesNothingAndIsRemoved() {
    for (var text :
        List.of(" ", "  ", "=", "held=x", " held=x", "FENCED", "FENCED attempts=x", "FENCED attempts=-1", "RECOVERING state=FENCED")) {
      dc.release();
      asked.clear();
      cib = withRecord(TestCib.xml(CIB.formatted(connected("h1", "") + connected("h2", ""))), "h1", text);
      assertEquals(HostStatus.Hold.FROZEN, told().hold(), text);
      dc.tookOver();
      world.settle();
      bothAreWell();
      assertNull(CibRecords.read(cib).get(H1), text);
    }
  }

  @Test
  void aRecordIsOfTheNodeThatHasIt() {
    cib =
        withRecord(
            TestCib.xml(CIB.formatted(connected("h1", "") + connected("h2", ""))),
            "h7",
            "FENCED uname=h1 since=5 attempts=1 begun=true");
    dc.tookOver();
    world.settle();
    bothAreWell();
    assertTrue(CibRecords.read(cib).isEmpty(), "h7 is no host");
    change(withRecord(cib, "h7", "FENCED since=5 attempts=1 begun=true"));
    assertTrue(CibRecords.read(cib).isEmpty(), "and would be taken for fenced once it is one");
  }

  @Test
  void theFencerIsNotAskedForPowerThatNobodyWantsToKnow() {
    begin(connected("h1", "") + connected("h2", ""));
    world.pass(Duration.ofSeconds(30));

    assertTrue(fencer.received(FenceMessage.DeviceQuery.class).isEmpty());
  }

  private static String recorded(String text) {
    return """
        <nodes><node id="h1" uname="h1" type="remote"><instance_attributes id="h1-a">
          <nvpair id="h1-r" name="#host-ha" value="%s"/>
        </instance_attributes></node></nodes>"""
        .formatted(text);
  }

  private void beginWith(String record) {
    cib =
        TestCib.xml(
            CIB.formatted(connected("h1", "") + connected("h2", ""))
                .replace("<nodes/>", recorded(record)));
    dc.tookOver();
    world.settle();
    well();
  }

  private void well() {
    for (var host : List.of(H1, new NodeName("h2"))) {
      answer(host, "eligible", 0, "");
      answer(host, "health", 0, "");
    }
    world.settle();
  }

  private @Nullable String record() {
    var node = Objects.requireNonNull(cib.path("configuration", "nodes")).first("node", "h1");
    return node == null ? null : HostStatus.record(node);
  }

  /// A backup of when the host was fenced is put in the place of the nodes: no proof of anything now.
  @Test
  void aRecordThatComesBackIsNotBelieved() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    var backup = TestCib.xml(CIB.formatted("").replace("<nodes/>", recorded(FENCED)));
    var nodes = Objects.requireNonNull(backup.path("configuration", "nodes"));
    var configuration = Objects.requireNonNull(cib.first("configuration"));
    var old = configuration.replace(configuration.indexOf(configuration.first("nodes")), nodes);

    change(cib.replace(cib.indexOf(configuration), old));
    assertNull(record());
    assertEquals("AVAILABLE", told().state());

    dc.release();
    change(cib.replace(cib.indexOf(cib.first("configuration")), old));
    dc.tookOver();
    world.settle();
    assertNull(record());
    assertEquals("AVAILABLE", told().state());
  }

  @Test
  void aRecordOfAHostThatTheClusterIsConnectedToIsNotBelieved() {
    beginWith(FENCED);

    assertNull(record());
    assertEquals("AVAILABLE", host().state());
    assertEquals("AVAILABLE", told().state());
  }

  private void answerAll() {
    for (var one : List.copyOf(asked)) {
      asked.remove(one);
      dc.ran(new AgentRan(one.number(), true, 0, ExecStatus.DONE, "", ""));
      world.settle();
    }
  }

  /// A healthy host would be cycled or fenced, past all guards.
  @Test
  void whatABackupSaysThatIsBeingDoneToAHostIsNotDone() {
    for (var state : List.of("FENCING", "RECOVERING", "RECOVERED")) {
      for (var more : List.of("begun=true reason=A_PERSON", "begun=false reason=A_PERSON", "begun=true")) {
        for (var said : List.of("", " host_ha=\"AVAILABLE\"")) {
          var record = state + " since=5 attempts=1 " + more;
          dc.release();
          asked.clear();
          cib =
              TestCib.xml(
                  CIB.formatted(connected("h1", said) + connected("h2", said))
                      .replace("<nodes/>", recorded(record)));
          dc.tookOver();
          world.settle();
          for (var at = 0; at < 40; at++) { // right after a power cycle an answer says nothing
            answerAll();
            world.pass(Duration.ofSeconds(3));
          }

          assertEquals(List.of(), fencer.received(FenceMessage.Fence.class), record + said);
          assertEquals("AVAILABLE", host().state(), record + said);
          assertNull(record(), record + said);
        }
      }
    }
  }

  private void takeOverByFaults(String status, String good, String bad) {
    cib = TestCib.xml(CIB.formatted(status).replace(good, bad));
    dc.tookOver();
    world.settle();
    assertTrue(alerts.getLast().contains("leaves out of its configuration what makes no sense"), alerts.toString());
  }

  /// Nobody would ask it how it is, and the cluster leaves it alone.
  @Test
  void aHostIsNotLeftSuspectByADcThatCannotGoByTheConfiguration() {
    takeOverByFaults(
        connected("h1", " host_ha=\"SUSPECT\"") + connected("h2", " host_ha=\"AVAILABLE\""),
        "name=\"ha.volumes\"",
        "name=\"ha.volume\"");
    well();

    assertEquals("AVAILABLE", told().state());
    assertEquals(1, ((CtlMessage.Hosts) dc.hosts(new CtlMessage.HostsQuery(null, false))).doubts().stream().filter(it -> it.contains("ha.volume:") || it.contains("setting ha.volume")).count());
  }

  @Test
  void whatKeepsItFromBeingReadThatHostHaIsOnDoesNotGiveAHostToTheCluster() {
    takeOverByFaults(
        connected("h1", " host_ha=\"DEGRADED\"") + connected("h2", " host_ha=\"AVAILABLE\""),
        "name=\"ha.enabled\" value=\"true\"",
        "name=\"ha.enabled\" value=\"trve\"");
    well();
    assertEquals("AVAILABLE", told().state());
  }

  @Test
  void nothingIsDoneToAHostBeforeAConfigurationThatMakesNoSenseIsMended() {
    var bad = "name=\"kvm.ha.accepted.problematic.hosts.ratio\" value=\"30%\"";
    var good = "name=\"kvm.ha.accepted.problematic.hosts.ratio\" value=\"0.3\"";
    takeOverByFaults(
        connected("h1", " host_ha=\"FENCING\"") + connected("h2", " host_ha=\"AVAILABLE\""),
        "<nvpair id=\"a1\"",
        "<nvpair id=\"a5\" " + bad + "/><nvpair id=\"a1\"");
    dc.release();
    cib = TestCib.xml(cib.toString().replace("<nodes/>", recorded("FENCING since=%d attempts=1 begun=true".formatted(world.now().getEpochSecond()))));
    dc.tookOver();
    world.settle();

    failFor(Duration.ofMinutes(1));
    assertEquals(List.of(), fencer.received(FenceMessage.Fence.class));
    assertEquals("FENCING", told().state());

    change(TestCib.xml(cib.toString().replace(bad, good)));
    failFor(Duration.ofMinutes(2));
    assertFalse(fencer.received(FenceMessage.Fence.class).isEmpty());
  }

  /// What makes host HA do less needs no sound rest.
  @Test
  void hostHaIsSwitchedOffWhateverElseMakesNoSense() {
    begin(connected("h1", "") + connected("h2", ""));
    well();

    var next = cib.toString().replace("name=\"ha.enabled\" value=\"true\"", "name=\"ha.enabled\" value=\"false\"");
    change(TestCib.xml(next.replace("name=\"ha.volumes\"", "name=\"ha.volume\"")));

    assertEquals(List.of(), ((CtlMessage.Hosts) dc.hosts(new CtlMessage.HostsQuery(null, false))).hosts(), "nothing is left of it");
    assertNull(HostStatus.of(cib, H1));
  }

  /// Its guests would be started elsewhere, or the cluster would fence it.
  @Test
  void whatSomebodyChangesOfTheStatusIsPutRight() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    assertEquals("AVAILABLE", told().state());

    for (var wrong : List.of("FENCED", "SUSPECT", "")) {
      var entry = Element.of("node_state", "id", "h1", "uname", "h1", "host_ha", wrong);
      change(CibUpdate.apply(cib, List.of(CibOp.put("status", entry)), null).cib());
      assertEquals("AVAILABLE", told().state(), wrong);
    }
  }

  @Test
  void aRecordOfALaterBuildIsLeftThere() {
    var record = "RESTING since=5 attempts=0 begun=false";
    beginWith(record);

    assertEquals(record, record());
    assertEquals("AVAILABLE", told().state());
  }

  @Test
  void aReasonIsNotCutInTheMiddleOfACharacter() {
    begin(connected("h1", "") + connected("h2", ""));
    order(CtlMessage.HostOrder.HOLD, "x".repeat(299) + "\ud83d\ude00y");
    assertEquals("x".repeat(299), host().held());
  }

  /// Somebody else's question about the host ended, and took this one with it.
  @Test
  void aCheckThatIsCancelledIsMadeAgainAndSaysNothing() {
    begin(connected("h1", "") + connected("h2", ""));
    answer(H1, "eligible", 0, "");
    for (var at = 0; at < 2; at++) {
      var one = last(H1, "health");
      assertNotNull(one);
      dc.ran(new AgentRan(one.number(), true, 1, ExecStatus.CANCELLED, "", ""));
      world.settle();
      assertEquals("AVAILABLE", host().state());
      assertTrue(one.number() < Objects.requireNonNull(last(H1, "health")).number());
    }
  }

  /// A host does one check of a kind at a time.
  @Test
  void aHostIsTriedOutOnceAtATime() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    var replies = new ArrayList<CtlMessage.Reply>();
    dc.tryOut(H1, replies::add);
    dc.tryOut(H1, replies::add);
    dc.tryOut(new NodeName("h2"), replies::add);
    world.settle();

    assertEquals(1, replies.size());
    assertTrue(replies.getFirst() instanceof CtlMessage.Refused);
    world.pass(Duration.ofSeconds(26));
    assertEquals(3, replies.size());
    dc.tryOut(H1, replies::add);
    assertEquals(3, replies.size());
  }

  /// The whole cluster was down: nobody but the record knows that it did not answer. The cluster would fence it.
  @Test
  void aHostThatDidNotAnswerBeforeTheClustersStartIsLookedAt() {
    cib = TestCib.xml(CIB.formatted(connected("h2", "")).replace("<nodes/>", recorded("SUSPECT since=5 attempts=0 begun=false")));
    dc.tookOver();
    world.settle();

    assertEquals("SUSPECT", told().state());
    assertEquals("it did not answer before the cluster's start", told().why());
    answer(H1, "health", 0, "");
    assertEquals("INELIGIBLE", told().state(), "the cluster can connect to it");
    assertNull(record());
  }

  /// h1 does not answer, all else is well.
  private void failFor(Duration time) {
    for (var at = Duration.ZERO; at.compareTo(time) < 0; at = at.plusSeconds(3)) {
      for (var one : List.copyOf(asked)) {
        asked.remove(one);
        var rc = one.node().equals(H1) ? 1 : 0;
        dc.ran(new AgentRan(one.number(), true, rc, ExecStatus.DONE, "", ""));
      }
      world.pass(Duration.ofSeconds(3));
    }
  }

  /// The next DC would not believe the one without the other.
  @Test
  void whatIsDoneToAHostIsRecordedTogetherWithItsStatus() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    order(CtlMessage.HostOrder.FENCE, "");
    world.settle();

    assertEquals("FENCING", recordedAndTold.stream().filter(it -> it.startsWith("FENCING")).findFirst().map(it -> it.substring(it.lastIndexOf(' ') + 1)).orElse("not recorded"));
  }

  /// Among them what ended one DC's controller after the other.
  @Test
  void whatCannotBeReadIsWrittenAnew() {
    for (var text : List.of(" ", "FENCED", "FENCED attempts=-1", "=", "held=x", "&#10;")) {
      dc.release();
      asked.clear();
      beginWith(text);

      assertNull(record(), text);
      assertEquals("AVAILABLE", told().state(), text);
    }
  }

  @Test
  void aRecordThatSomebodyRemovesIsWrittenAgain() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    order(CtlMessage.HostOrder.HOLD, "new disk");
    world.settle();
    var kept = record();
    assertNotNull(kept);

    change(CibUpdate.apply(cib, List.of(CibOp.deleteAllXPath("//nvpair[@name='#host-ha']")), null).cib());

    assertEquals(kept, record());
  }

  /// It would be lost when the sides come together again, and the other one heeds it meanwhile as little.
  @Test
  void withoutAQuorumNothingIsOrdered() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    quorum = false;
    for (var what : CtlMessage.HostOrder.values()) {
      order(what, "new disk");
      var answer = ordered.getLast();
      if (what != CtlMessage.HostOrder.CHECK) {
        var refused = assertInstanceOf(CtlMessage.Refused.class, answer);
        assertEquals(CtlMessage.Reason.NO_QUORUM, refused.reason(), what.name());
      }
    }
    world.settle();
    var hosts = (CtlMessage.Hosts) dc.hosts(new CtlMessage.HostsQuery(null, false));
    assertTrue(hosts.doubts().getFirst().contains("no quorum"), hosts.doubts().toString());
    assertNull(hosts.hosts().getFirst().held());
    quorum = true;
    order(CtlMessage.HostOrder.HOLD, "new disk");
    world.settle();
    assertEquals(new CtlMessage.Done(), ordered.getLast());
    assertEquals(List.of(), ((CtlMessage.Hosts) dc.hosts(new CtlMessage.HostsQuery(null, false))).doubts());
  }

  /// A person who was told that a host is held would take it apart.
  @Test
  void anOrderIsAnsweredOnceItIsOnRecord() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    order(CtlMessage.HostOrder.HOLD, "new disk");
    assertEquals(List.of(), ordered, "nothing is written yet");
    world.settle();
    assertEquals(List.of(new CtlMessage.Done()), ordered);
    assertTrue(record().contains("held=new disk"), record());

    order(CtlMessage.HostOrder.RELEASE, "");
    world.settle();
    order(CtlMessage.HostOrder.CHECK, "");
    order(CtlMessage.HostOrder.RELEASE, "");
    assertEquals(4, ordered.size(), "what changes nothing is answered at once");
    assertEquals(CtlMessage.Reason.NOT_NOW, refused().reason());
  }

  @Test
  void anOrderThatMayNotBeOnRecordIsNotSaidToBeDone() {
    begin(connected("h1", "") + connected("h2", ""));
    well();
    writes = Writes.REFUSED;
    order(CtlMessage.HostOrder.HOLD, "new disk");
    world.settle();
    assertEquals(List.of(), ordered, "it is tried again");
    quorum = false;
    world.pass(Duration.ofSeconds(11));
    assertEquals(CtlMessage.Reason.NO_QUORUM, refused().reason());
    assertTrue(refused().why().contains("may not be on record (this side of the cluster has no quorum)"), refused().why());

    quorum = true;
    writes = Writes.SILENT;
    order(CtlMessage.HostOrder.FENCE, "");
    world.pass(Duration.ofSeconds(14));
    assertEquals(1, ordered.size());
    world.pass(Duration.ofSeconds(2));
    assertEquals(CtlMessage.Reason.NOT_NOW, refused().reason());
    assertTrue(refused().why().contains("(not written within 15 s): look with crm_hostha --show h1"), refused().why());

    order(CtlMessage.HostOrder.HOLD, "new disk");
    dc.release();
    assertEquals(3, ordered.size());
    assertTrue(refused().why().contains("(n1 is no longer DC)"), refused().why());
  }

  @Test
  void anOrderThatIsRefusedIsNewsForNobodyElse() {
    begin(connected("h1", "") + connected("h2", ""));
    bothAreWell();
    alerts.clear();

    order(CtlMessage.HostOrder.CLEAR, "");

    assertTrue(refused().why().contains("it is not fenced"), refused().why());
    assertEquals(List.of(), alerts);
  }

  @Test
  void aFencingThatFailsSaysWhatHasFailed() {
    begin(connected("h1", "") + connected("h2", ""));
    bothAreWell();
    var record =
        new FenceMessage.FenceRecord(
            "r", H1, "off", N1, "n1", "c", FenceMessage.Progress.FAILED, 1, "", 0);
    fencer.script(
        (id, request) -> {
          if (request instanceof FenceMessage.Fence) {
            fencer.reply(id, new FenceMessage.Outcome(record, 7, ExecStatus.DONE));
          }
        });

    order(CtlMessage.HostOrder.FENCE, "");
    world.settle();

    var last = alerts.getLast();
    assertTrue(last.contains("could not be switched off: the fence agent failed with exit status 7"), last);
  }

  private CtlMessage.Refused refused() {
    return assertInstanceOf(CtlMessage.Refused.class, ordered.getLast());
  }

  private void order(CtlMessage.HostOrder what, String why) {
    dc.order(new CtlMessage.OrderHost(H1, what, why), ordered::add);
  }

  // What the controller does

  @Override
  public Element cib() {
    return cib;
  }

  @Override
  public long epoch() {
    return 7;
  }

  @Override
  public boolean knowHostHa() {
    return allKnowHostHa;
  }

  @Override
  public List<NodeId> online() {
    return List.of(new NodeId(1), new NodeId(2), new NodeId(3));
  }

  @Override
  public boolean knowPowerReads() {
    return true;
  }

  @Override
  public boolean knowQuorumWanted() {
    return true;
  }

  @Override
  public boolean hasQuorum() {
    return quorum;
  }

  @Override
  public boolean isInMaintenance() {
    return clusterMaintenance;
  }

  @Override
  public void writeAsDc(List<CibOp> changes, Consumer<Boolean> done) {
    if (writes != Writes.ACCEPTED) {
      if (writes == Writes.REFUSED) {
        world.post(() -> done.accept(false));
      }
      return;
    }
    world.post(
        () -> {
          var before = cib;
          var result = CibUpdate.apply(cib, changes, null);
          assertTrue(result.rc().isOk(), () -> result.problems() + " " + changes);
          cib = result.cib();
          var said = HostStatus.of(cib, H1);
          recordedAndTold.add(record() + " " + (said == null ? "" : said.state()));
          done.accept(true);
          dc.cibChanged(before, cib);
        });
  }

  @Override
  public void forgetAttributes(NodeName node) {}

  @Override
  public void alert(@Nullable NodeName host, String text) {
    alerts.add(text);
  }

  @Override
  public NodeName nodeName() {
    return N1;
  }

  @Override
  public @Nullable NodeId nodeId(NodeName name) {
    return name.equals(N1) ? new NodeId(1) : null;
  }

  @Override
  public boolean isOnline(NodeId id) {
    return true;
  }

  @Override
  public void send(NodeId node, PeerMessage message) {
    if (message instanceof RunAgent it) {
      asked.add(it);
    }
  }

  @Override
  public long membershipNumber() {
    return 3;
  }
}
