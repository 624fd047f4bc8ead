package org.systole.cibd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibQuery;
import org.systole.common.cluster.StandAlone;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.common.world.Connection.Credentials;
import org.systole.common.world.TestClient;
import org.systole.common.world.TestWorld;
import org.systole.common.xml.Element;

/// A CIB manager without a cluster.
class StandAloneTest {
  private final TestWorld world = new TestWorld();

  private void start() {
    var layout = new Layout(Path.of("/"), Path.of("/usr/share"));
    CibDaemon.start(world, layout, Map.of(StandAlone.VARIABLE, "alpha"));
    world.settle();
  }

  private CibMessage.Answer ask(Credentials who, CibMessage.Request request) {
    TestClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client =
        world.client(CibMessage.SOCKET, CibMessage.PROTOCOL, who);
    client.ask(request);
    world.pass(Duration.ofSeconds(1));
    return (CibMessage.Answer) client.answers().getFirst();
  }

  private static CibMessage.Update creates(String id) {
    var dummy = Element.of("primitive", "id", id, "class", "ocf", "provider", "pacemaker", "type", "Dummy");
    return new CibMessage.Update(List.of(CibOp.create("resources", dummy)), false, "", "test", 60_000);
  }

  private String configured() {
    var found = ask(TestWorld.ROOT, new CibMessage.Query(CibQuery.section("resources"), "")).xml();
    assertNotNull(found);
    return found;
  }

  @Test
  void takesChangesOfEverybodyWhoMayMakeThem() {
    start();
    assertEquals(Rc.OK, ask(TestWorld.ROOT, creates("a")).rc());
    assertEquals(Rc.OK, ask(TestWorld.MEMBER, creates("b")).rc());
    assertTrue(configured().matches(".*\"a\".*\"b\".*"), configured());
    assertEquals(Rc.EEXIST, ask(TestWorld.ROOT, creates("a")).rc());
  }

  /// What it is told to look at may be a cluster's: there it must not win against what nodes with a quorum did.
  @Test
  void whatItWritesHasNoQuorum() {
    start();
    ask(TestWorld.ROOT, creates("a"));
    world.terminate();
    var meta = CibMeta.parse(new String(world.disk().files().get(CibDisk.META), StandardCharsets.UTF_8));
    var line = meta.entries().getLast().line();
    assertTrue(line.left() && line.index() == 0, line.toString());
  }

  /// As Pacemaker's, for tests of what looks at one.
  @Test
  void aStatusInItsFileIsThere() {
    var cib =
        """
        <cib epoch="3" num_updates="0" admin_epoch="0" validate-with="pacemaker-4.0"><configuration><crm_config/><nodes/>\
        <resources/><constraints/></configuration><status><node_state id="1" uname="beta"/></status></cib>
        """;
    world.disk().files().put(CibDisk.CIB, cib.getBytes(StandardCharsets.UTF_8));
    start();
    var found = ask(TestWorld.ROOT, new CibMessage.Query(CibQuery.section("status"), "")).xml();
    assertNotNull(found);
    assertTrue(found.contains("beta"), found);
  }
}
