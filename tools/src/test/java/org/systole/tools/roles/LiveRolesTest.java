package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cli.Command;
import org.systole.tools.cli.Shell;
import org.systole.tools.cli.StandIn;
import org.systole.tools.status.CrmMon;

/// What is said of the running cluster's roles where they are lost, or nothing is begun.
final class LiveRolesTest {
  private static final String LOST = "the cluster's roles are lost: start a member that has them";
  private static final String CIB =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-3.10" epoch="1" num_updates="0" admin_epoch="0" %s>
        <configuration>
          <crm_config><cluster_property_set id="o">%s</cluster_property_set></crm_config>
          <nodes><node id="1" uname="n1"/></nodes>
          <resources><primitive id="far" class="ocf" provider="pacemaker" type="remote"/></resources><constraints/>
        </configuration>
        <status/>
      </cib>
      """;
  private static final String ROLES =
      """
      <cluster-roles><roles-document version="1" domain="">
        <jigs><jig id="test" active="true"/></jigs>
        <roles><role id="clock" jig="test"/></roles>
        <nodes><node name="n1" alive="true" available="true" deployment="system"/></nodes>
        <deployments><deployment id="system"/></deployments>
        <snapshots><snapshot deployment="system" number="1" state="committed">
          <deployment-role role="clock"/><noderole role="clock" node="n1" state="%s" run="1"/>
        </snapshot></snapshots>
      </roles-document></cluster-roles>
      """;

  @TempDir private Path directory;
  private String cib = CIB.formatted("have-quorum=\"1\"", "");
  private @Nullable String roles;
  private final List<String> changes = new ArrayList<>();

  private Shell.Result run(Command command, String... args) throws Exception {
    var shell =
        new Shell(directory).set(Layout.ROOT, directory.toString()).set(Layout.HOME, directory.toString());
    Files.createDirectories(directory.resolve("share/systole/roles")); // as installed
    return StandIn.answering(
        directory,
        CibMessage.SOCKET,
        CibMessage.PROTOCOL,
        asked -> {
          if (asked instanceof CibMessage.Update update) {
            changes.add("" + update.operations().getFirst().xml());
          }
          return asked instanceof CibMessage.RolesQuery
              ? new CibMessage.Answer(Rc.OK, roles == null ? LOST : "", roles, CibVersion.NONE)
              : new CibMessage.Answer(Rc.OK, "", cib, CibVersion.NONE);
        },
        () -> shell.run(command, args));
  }

  @Test
  void aNodeThatIsInMaintenanceByItselfIsNamed() throws Exception {
    roles = ROLES.formatted("todo");
    cib =
        cib.replace(
            "<node id=\"1\" uname=\"n1\"/>",
            "<node id=\"1\" uname=\"n1\"><instance_attributes id=\"a\">"
                + "<nvpair id=\"a-m\" name=\"maintenance\" value=\"true\"/></instance_attributes></node>");
    assertEquals(
        "Waiting:\n  node n1 is in maintenance: nothing is begun there\n  clock@n1 is to be done\n",
        run(new CrmRole(), "--waits").out());
  }

  @Test
  void stepsThatThereAreNotAreToldWithTheirLine() throws Exception {
    roles = ROLES.formatted("active");
    var file = directory.resolve("steps.xml");
    Files.writeString(file, "<steps>\n  <propose/>\n  <bnd role=\"clock\" node=\"n1\"/>\n  <retry node=\"n1\"/>\n</steps>\n");
    var told = run(new CrmRole(), "--request=" + file);
    assertTrue(told.err().contains(file + ": line 3: "), told.err());
    assertTrue(told.err().contains("bnd"), told.err());
    assertTrue(told.err().contains("line 4: "), told.err());
    assertTrue(told.err().endsWith(file + " is refused: nothing was done\n"), told.err());
    assertEquals(78, told.code());
  }

  /// Whatever roles there are: it is the file that is wrong.
  @Test
  void stepsThatCanBeNoneAreToldWithTheirLineBeforeTheClusterIsAsked() throws Exception {
    roles = ROLES.formatted("active");
    var file = directory.resolve("steps.xml");
    Files.writeString(
        file,
        "<steps>\n <propose/>\n <set role=\"clock\" node=\"n1\">{x</set>\n <bind role=\"a b\" node=\"n1\"/>\n <alive node=\"n1\"/>\n</steps>\n");
    var before = changes.size();
    var told = run(new CrmRole(), "--request=" + file);
    assertTrue(told.err().contains(file + ": line 3: "), told.err());
    assertTrue(told.err().contains(file + ": line 4: <bind> has role=\"a b\", which can be none"), told.err());
    assertTrue(told.err().contains(file + ": line 5: <alive> is for stories"), told.err());
    assertEquals(78, told.code());
    assertEquals(before, changes.size());
  }

  @Test
  void aDeploymentIsMadeAndMeantByOneRequest() throws Exception {
    roles = ROLES.formatted("active");
    run(new CrmRole(), "--create-deployment=site", "-D", "site", "--move=n1", "--bind=clock@n1", "--commit");
    assertEquals(
        "<steps><create-deployment id=\"site\"/><move-node node=\"n1\" deployment=\"site\"/>"
            + "<propose deployment=\"site\"/><bind role=\"clock\" node=\"n1\" deployment=\"site\"/>"
            + "<commit deployment=\"site\"/></steps>",
        changes.getLast());
    run(new CrmRole(), "--create-deployment=below", "-D", "system");
    assertTrue(changes.getLast().contains("parent=\"system\""), changes::toString);
  }

  @Test
  void whyAFileCannotBeReadIsTold() throws Exception {
    roles = ROLES.formatted("active");
    var none = directory.resolve("none.xml");
    var missing = run(new CrmRole(), "--request=" + none);
    assertEquals("crm_role: " + none + " cannot be read: there is no such file\n", missing.err());
    assertEquals(66, missing.code());
    assertEquals(
        "crm_role: " + directory + " cannot be read: it is a directory\n",
        run(new CrmRole(), "--define=" + directory).err());
  }

  @Test
  void lostRolesAreNoEmptyList() throws Exception {
    for (var view : new String[] {"--list", "--waits", "--audit", "--query", "--retry=clock@n1", "--gate=on"}) {
      var told = run(new CrmRole(), view);
      assertEquals("crm_role: " + LOST + "\n", told.err(), view);
      assertEquals(1, told.code(), view);
    }
    assertEquals("crm_role: " + LOST + "\n", run(new CrmRole()).err());
    for (var format : new String[] {"xml", "json"}) {
      var told = run(new CrmRole(), "--output-as=" + format);
      assertEquals(1, told.code());
      assertTrue(told.out().contains(LOST), told.out());
    }
  }

  @Test
  void theGateCanBeOpenedWithoutThem() throws Exception {
    cib = CIB.formatted("have-quorum=\"1\"", "<nvpair id=\"g\" name=\"join-gate-roles\" value=\"clock\"/>");
    var off = run(new CrmRole(), "--gate=off");
    assertEquals(0, off.code(), off.err());
    assertTrue(off.out().contains("The gate is off"), off.out());
    var verified = run(new CrmVerify(), "-L", "-V");
    assertTrue((verified.out() + verified.err()).contains("[roles-lost]"), verified.toString());
  }

  @Test
  void theStatusTellsOfLostRoles() throws Exception {
    var text = run(new CrmMon(), "-1", "--include=none,roles");
    assertTrue(text.out().contains("Roles:\n  * " + LOST), text.toString());
    var xml = run(new CrmMon(), "-1", "--include=none,roles", "--output-as=xml");
    assertTrue(xml.out().contains("<lost why=\"the cluster"), xml.toString());
  }

  @Test
  void whatWaitsSaysWhyNothingIsBegunAtAll() throws Exception {
    roles = ROLES.formatted("todo");
    assertEquals("Waiting:\n  clock@n1 is to be done\n", run(new CrmRole(), "--waits").out());
    cib = CIB.formatted("have-quorum=\"0\"", "");
    assertEquals(
        "Waiting:\n  the cluster has no quorum: nothing is begun, and nothing can be changed, until it has\n"
            + "  clock@n1 is to be done\n",
        run(new CrmRole(), "--waits").out());
    cib = CIB.formatted("have-quorum=\"1\"", "<nvpair id=\"m\" name=\"maintenance-mode\" value=\"true\"/>");
    assertTrue(run(new CrmRole(), "--waits").out().contains("is in maintenance (maintenance-mode)"));
    roles = ROLES.formatted("active");
    assertEquals("Waiting:\n  nothing waits\n", run(new CrmRole(), "--waits").out());
  }

  @Test
  void theLogOfANoderoleIsWhatNamesIt() throws Exception {
    roles = ROLES.formatted("active");
    var log = Files.createDirectories(new Layout(directory, directory).log()).resolve("pacemaker.log");
    Files.writeString(
        log,
        "Jig script runs for clock@n1 (run 1)\nof clock@n12\nof my-clock@n1\nclock@n1.b waits for clock@n1: it is slow\n");
    assertEquals(
        "Jig script runs for clock@n1 (run 1)\nclock@n1.b waits for clock@n1: it is slow\n",
        run(new CrmRole(), "--log=clock@n1").out());
    Files.writeString(log, "of clock@n12\n");
    var elsewhere = run(new CrmRole(), "--log=clock@n1");
    assertEquals(105, elsewhere.code());
    assertTrue(elsewhere.err().contains("ask on node n1"), elsewhere.err());
  }

  @Test
  void whoChangedWhatIsTold() throws Exception {
    roles =
        ROLES.formatted("active")
            .replace(
                "</cluster-roles>",
                "<audit><did when=\"noon\" user=\"anna\" node=\"n1\" client=\"crm_role\" what=\"commit\"/></audit></cluster-roles>");
    var told = run(new CrmRole(), "--audit");
    assertEquals(0, told.code(), told.err());
    assertTrue(told.out().startsWith("Changes:"), told.out());
    assertTrue(told.out().contains("anna"), told.out());
  }

  @Test
  void rolesThatAreBoundToNoNodeAreListedToo() throws Exception {
    roles = ROLES.formatted("active");
    var bound = run(new CrmRole(), "--list");
    assertTrue(!bound.out().contains("bound to no node"), bound.out());
    roles = roles.replace("</roles>", "<role id=\"disk\" jig=\"test\"/></roles>");
    var told = run(new CrmRole(), "--list");
    assertEquals(0, told.code(), told.err());
    assertTrue(told.out().endsWith("Defined, but bound to no node:\n  disk\n"), told.out());
    var json = run(new CrmRole(), "--list", "--output-as=json").out();
    assertTrue(json.replaceAll("\\s", "").contains("\"unbound\":[{\"element\":\"role\",\"id\":\"disk\"}]"), json);
  }

  @Test
  void theListOfAShutGateSaysOnWhichNode() throws Exception {
    roles = ROLES.formatted("todo");
    var gate = run(new CrmRole(), "--gate=clock", "--force");
    assertTrue(gate.out().contains("  it is shut on n1: clock is to be done\n"), gate.out() + gate.err());
    var empty = run(new CrmRole(), "--gate=");
    assertEquals(64, empty.code(), empty.err());
    assertTrue(empty.err().contains("--gate=ROLE,..."), empty.err());
  }

  @Test
  void aGateDoesNotCoverRemoteNodes() throws Exception {
    roles = ROLES.formatted("active");
    var said = "join-gate-roles does not cover far: remote nodes and guests have no roles";
    var gate = run(new CrmRole(), "--gate=clock");
    assertEquals(0, gate.code(), gate.err());
    assertTrue(gate.out().contains("  " + said), gate.out());
    cib = CIB.formatted("have-quorum=\"1\"", "<nvpair id=\"g\" name=\"join-gate-roles\" value=\"clock\"/>");
    assertTrue(run(new CrmVerify(), "-L", "--lint").out().contains("notice: [gate-remote] " + said));
    assertTrue(!run(new CrmVerify(), "-L", "-V").toString().contains(said), "no mistake");
  }
}
