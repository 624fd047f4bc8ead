package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.output.ExitStatus;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.roles.document.RolesWriter;
import org.systole.roles.live.RolesDesk;
import org.systole.roles.model.DeploymentId;
import org.systole.roles.model.RolesDocument;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Shell;

/// What is sent of what is asked: nothing that is so already, no name that there is not.
final class RoleRequestsTest {
  private RolesDesk desk;

  @BeforeEach
  void begin() throws Exception {
    desk = new RolesDesk(null, () -> 0);
    ask(
        """
        <role id="disk" jig="script"><data>{"disk":{"dir":"/srv","free":10}}</data></role>
        <role id="clock" jig="script"/>
        <create-node node="n1"/><create-node node="n2"/>
        <propose/><bind role="disk" node="n1"/><commit/>
        """);
  }

  private void ask(String steps) throws XmlException {
    var admin = NodeName.of("n1");
    assertTrue(admin != null);
    var who = new RolesDesk.Who("now", "root", admin, "crm_role", false, List.of());
    assertNull(desk.carryOut(XmlReader.parse("<steps>" + steps + "</steps>"), who));
  }

  private RolesDocument now() {
    return desk.roles().document();
  }

  private static List<Element> steps(String steps) throws XmlException {
    return XmlReader.parse("<steps>" + steps + "</steps>").children();
  }

  private void isKept(boolean kept, String steps) throws XmlException {
    var all = steps(steps);
    if (kept) {
      assertSame(all, NeededSteps.of(all, now()));
    } else {
      assertEquals(List.of(), NeededSteps.of(all, now()));
    }
  }

  @Test
  void whatIsBoundAlreadyMakesNoSnapshot() throws Exception {
    isKept(false, "<propose/><bind role='disk' node='n1'/><commit/>");
    isKept(false, "<propose/><set role='disk' node='n1'>{\"disk\":{\"free\":10,\"dir\":\"/srv\"}}</set><commit/>");
    isKept(true, "<propose/><bind role='disk' node='n1'/>");
    isKept(true, "<propose/><bind role='disk' node='n1'/><bind role='disk' node='n2'/><commit/>");
    isKept(true, "<propose/><set role='disk' node='n1'>{}</set><commit/>");
    isKept(true, "<propose/><commit/>");
    isKept(true, "<propose from='1'/><bind role='disk' node='n1'/><commit/>");
    ask("<propose/><unbind role='disk' node='n1'/>"); // is open
    isKept(true, "<propose/><bind role='disk' node='n1'/><commit/>");
  }

  private String set(String... values) throws CommandException {
    var data = new SetData(now(), DeploymentId.SYSTEM);
    var step = Element.of("none");
    for (var value : values) {
      step = data.step(value, Element.builder("steps"));
    }
    return step.toString().replace("&quot;", "\"").strip();
  }

  @Test
  void oneValueIsSetAndTheOthersStay() throws Exception {
    assertEquals(
        "<set role=\"disk\" node=\"n1\">{\"disk\":{\"dir\":\"/srv\",\"free\":99}}</set>", set("disk@n1/disk/free=99"));
    assertEquals("<set role=\"disk\" node=\"n1\">{\"disk\":{\"free\":99}}</set>", set("disk@n1={\"disk\":{\"free\":99}}"));
    assertEquals(
        "<set role=\"disk\" node=\"n1\">{\"disk\":{\"dir\":\"/var\",\"free\":10,\"words\":[\"a\"]}}</set>",
        set("disk@n1/disk/dir=/var", "disk@n1/disk/words=[\"a\"]"));
    assertEquals("<set role=\"clock\">{\"clock\":{\"wait\":5}}</set>", set("clock/clock/wait=5"));
    assertEquals(
        "<set role=\"disk\" node=\"n2\">{\"disk\":{\"dir\":\"/srv\",\"free\":10,\"on\":true}}</set>",
        set("disk@n2/disk/on=true"));
    isRefused(ExitStatus.DATAERR, "no JSON object", "disk@n1={x");
    isRefused(ExitStatus.DATAERR, "no JSON", "disk@n1/disk/free={x");
    isRefused(ExitStatus.USAGE, "write ROLE[@NODE]=JSON", "disk@n1");
    isRefused(ExitStatus.USAGE, "empty key", "disk@n1//free=1");
  }

  private List<String> kept(String steps) throws XmlException {
    var before = now();
    ask(steps);
    return OwnData.kept(XmlReader.parse("<steps>" + steps + "</steps>"), before, now());
  }

  @Test
  void whatIsSetForAllAndStaysOnANodeIsTold() throws Exception {
    assertEquals(
        List.of(
            "disk/disk/free stays 10 on n1, where it was set or copied before."
                + " To change it there, too: crm_role --set 'disk@n1/disk/free=20' --commit"),
        kept("<propose/><set role='disk'>{\"disk\":{\"dir\":\"/srv\",\"free\":20,\"more\":1}}</set><commit/>"));
    assertEquals(List.of(), kept("<propose/><set role='disk' node='n1'>{\"disk\":{\"free\":20}}</set><commit/>"));
    assertEquals(
        List.of(), kept("<propose/><set role='disk'>{\"disk\":{\"dir\":\"/var\",\"free\":20}}</set><commit/>"));
    assertEquals(
        List.of(
            "disk: the new data are for what is bound later; deployment system goes on with"
                + " {\"disk\":{\"dir\":\"/var\",\"free\":20}}. For all: crm_role --set 'disk={\"disk\":{\"free\":5}}' --commit"),
        kept("<role id='disk' jig='script'><data>{\"disk\":{\"free\":5}}</data></role>"));
    assertEquals(List.of(), kept("<role id='disk' jig='script' check-interval='5s'><data>{\"disk\":{\"free\":5}}</data></role>"));
  }

  private void isRefused(ExitStatus status, String why, String value) {
    var refused = assertThrows(CommandException.class, () -> set(value));
    assertEquals(status, refused.status());
    assertTrue(("" + refused.getMessage()).contains(why), refused::toString);
  }

  private String unknown(String steps) throws XmlException {
    var names = new RequestNames(now(), () -> Set.of("n1", "n2", "n3"));
    var all = steps(steps);
    var refused =
        assertThrows(
            CommandException.class,
            () -> {
              for (var step : all) {
                names.check(step);
              }
            });
    assertEquals(ExitStatus.NOSUCH, refused.status());
    return "" + refused.getMessage();
  }

  @Test
  void namesThatAreNotThereAreToldWithWhatMayHaveBeenMeant() throws Exception {
    assertEquals(
        "there is no role dsik (is disk meant?): crm_role --list shows all", unknown("<bind role='dsik' node='n1'/>"));
    assertEquals("there is no node elsewhere: crm_role --list shows all", unknown("<unavailable node='elsewhere'/>"));
    assertEquals(
        "there is no jig scrpt (is script meant?): nodes know ansible, noop, script, test",
        unknown("<jig id='scrpt' active='false'/>"));
    assertTrue(unknown("<role id='x' jig='scrpt'/>").startsWith("there is no jig scrpt"));
    assertEquals("there is no deployment site: there are system", unknown("<propose deployment='site'/>"));
    assertEquals("there is no snapshot system/77: crm_role --list shows all", unknown("<archive number='77'/>"));
    assertEquals(
        "there is no noderole clock@n1 that is committed: crm_role --graph shows all",
        unknown("<retry role='clock' node='n1'/>"));
  }

  @Test
  void whatARequestMakesIsThereForWhatFollows() throws Exception {
    var names = new RequestNames(now(), () -> Set.of("n1", "n2", "n3"));
    for (var step :
        steps(
            """
            <role id="net" jig="noop"/><create-deployment id="site"/><create-node node="n9"/>
            <propose/><bind role="net" node="n9"/><bind role="net" node="n3"/><commit/><retry role="net" node="n9"/>
            <move-node node="n9" deployment="site"/>
            """)) {
      names.check(step);
    }
  }

  @Test
  void theSnapshotThatIsWorkedOnIsNotArchivedUnasked() throws Exception {
    var committed = XmlReader.parse("<steps><archive number='2' deployment='system'/></steps>");
    var refused = assertThrows(CommandException.class, () -> ArchiveDoubts.mayGo(committed, now()));
    assertEquals(ExitStatus.UNSAFE, refused.status());
    assertEquals(
        "system/2 is what is wanted now: without it none of its roles (disk) is done or looked at on any node."
            + " --roll-back=NUMBER goes back to an older one; to archive it all the same add --force",
        refused.getMessage());

    ask("<propose/><bind role='clock' node='n1'/>");
    for (var other : List.of("<archive number='3'/>", "<archive number='1'/>", "<archive number='2' deployment='east'/>")) {
      ArchiveDoubts.mayGo(XmlReader.parse("<steps>" + other + "</steps>"), now());
    }
  }

  /// Of what is shown, of what the CIB manager keeps, and of the document alone.
  @Test
  void theRolesOfASavedDocumentCanBeDefined(@TempDir Path directory) throws Exception {
    var document = RolesWriter.write(now()).toString();
    for (var saved :
        List.of("%s", "<pacemaker-result api-version=\"2.42\">%s</pacemaker-result>", "<cluster-roles>%s</cluster-roles>")) {
      Files.writeString(directory.resolve("saved.xml"), saved.formatted(document));
      new Shell(directory)
          .runOn(
              terminal -> {
                try {
                  assertEquals(
                      now().roles().values().stream().map(RolesWriter::role).toList(),
                      RoleFiles.roles(terminal, "saved.xml"));
                  return 0;
                } catch (CommandException e) {
                  throw new AssertionError(e);
                }
              });
    }
  }
}
