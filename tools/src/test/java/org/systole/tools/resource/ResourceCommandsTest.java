package org.systole.tools.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Rc;
import org.systole.common.real.SecretFiles;
import org.systole.common.secrets.SecretValue;
import org.systole.common.world.SecretStore;
import org.systole.tools.attributes.CrmAttribute;
import org.systole.tools.attributes.CrmTicket;
import org.systole.tools.cib.Cibadmin;
import org.systole.tools.cib.CrmDiff;
import org.systole.tools.cib.CrmShadow;
import org.systole.tools.cib.CrmSimulate;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cli.Shell;
import org.systole.tools.status.CrmMon;

class ResourceCommandsTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.20.5" validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0">
        <configuration>
          <crm_config/>
          <nodes><node id="1" uname="node1"/></nodes>
          <resources>
            <primitive id="a" class="ocf" provider="test" type="Said">
              <instance_attributes id="a-p"><nvpair id="a-p-word" name="word" value="hello"/></instance_attributes>
            </primitive>
            <primitive id="b" class="ocf" provider="test" type="Said"/>
          </resources>
          <constraints>
            <rsc_location id="l" rsc="a" node="node1" score="5"/>
            <rsc_colocation id="c" rsc="a" with-rsc="b" score="7"/>
          </constraints>
        </configuration>
        <status/>
      </cib>
      """;

  @TempDir Path directory;
  private Shell shell = new Shell(Path.of("."));

  @BeforeEach
  void aClusterAndAnAgent() throws IOException {
    Files.writeString(directory.resolve("cib.xml"), CIB);
    var agents = Files.createDirectories(directory.resolve("ocf/resource.d/test"));
    var agent = agents.resolve("Said");
    Files.writeString(
        agent,
        """
        #!/bin/sh
        echo "$1 $OCF_RESKEY_word"
        test "$1" = monitor && echo "ocf-exit-reason:it sleeps" >&2 && exit 7
        exit 0
        """);
    Files.setPosixFilePermissions(agent, PosixFilePermissions.fromString("rwxr-xr-x"));
    shell =
        new Shell(directory)
            .set("CIB_file", directory.resolve("cib.xml").toString())
            .set("OCF_ROOT", directory.resolve("ocf").toString());
  }

  /// What a list leaves of a CIB has no schema: that is no fault of the configuration.
  /// They would count again once a node of that name is there.
  @Test
  void whatMovesHaveLeftIsTakenBackAlsoWhereItNamesANodeThatIsGone() throws IOException {
    var left =
        """
        <rsc_location id="cli-prefer-a" rsc="a" role="Started" node="gone" score="INFINITY"/>
        <rsc_location id="cli-ban-a-on-gone" rsc="a" role="Started" node="gone" score="-INFINITY"/>
        <rsc_location id="cli-ban-b-on-gone" rsc="b" role="Started" node="gone" score="-INFINITY"/>
        <rsc_colocation""";
    Files.writeString(directory.resolve("cib.xml"), CIB.replaceFirst("<rsc_colocation", left));
    var cleared = shell.run(new CrmResource(), "--clear", "-r", "a");
    assertEquals("Removing constraint: cli-ban-a-on-gone\nRemoving constraint: cli-prefer-a\n", cleared.out() + cleared.err());
    var after = Files.readString(directory.resolve("cib.xml"));
    assertFalse(after.contains("cli-prefer-a") || after.contains("cli-ban-a-on-gone"), after);
    assertTrue(after.contains("cli-ban-b-on-gone"));
  }

  @Test
  void whoMayReadOnlyPartsIsToldSoByTheStatus() throws IOException {
    var acls =
        "<acls><acl_role id=\"r\"><acl_permission id=\"p\" kind=\"read\" xpath=\"//nodes\"/></acl_role>"
            + "<acl_target id=\"nora\"><role id=\"r\"/></acl_target></acls></configuration>";
    var options =
        "<crm_config><cluster_property_set id=\"o\"><nvpair id=\"o-a\" name=\"enable-acl\" value=\"true\"/>"
            + "</cluster_property_set></crm_config>";
    Files.writeString(
        directory.resolve("cib.xml"), CIB.replace("</configuration>", acls).replace("<crm_config/>", options));
    for (var user : List.of("nora", "nobody")) {
      var told = shell.set("CIB_user", user).run(new CrmMon(), "-1");
      assertEquals(4, told.code(), told.err());
      assertTrue(told.err().contains("Permission denied"), told.err());
    }
    assertTrue(shell.set("CIB_user", "nora").run(new CrmMon(), "-1").err().contains("you may read only parts of the CIB"));
  }

  @Test
  void constraintsOfAResourceAreShownFromItsSide() {
    var result = shell.run(new CrmResource(), "--constraints", "-r", "a");
    assertEquals(0, result.code());
    assertEquals(
        """
        Locations:
          * Node node1 (score=5, id=l, rsc=a)
        Resources a is colocated with:
          * b (score=7, id=c)
        """,
        result.out());
  }

  /// Nothing is looked for in a bundle's container but what is its own: that is no reason to keep what failed there.
  @Test
  void whatRunsInABundleIsCleanedUpOnTheNodeOfItsContainer() throws IOException {
    var bundle =
        "<bundle id=\"web\"><podman image=\"web\" replicas=\"1\"/><network control-port=\"3121\"/>"
            + "<primitive id=\"inside\" class=\"ocf\" provider=\"test\" type=\"Said\"/></bundle></resources>";
    Files.writeString(directory.resolve("cib.xml"), CIB.replace("</resources>", bundle));
    var told = shell.run(new CrmResource(), "--cleanup", "-r", "web", "-N", "web-0");
    assertEquals(0, told.code(), told.err());
    assertTrue(told.err().contains("Dry run: skipping clean-up of inside:0 on web-0"), told.err());
  }

  @Test
  void whatIsCleanedUpAndStaysStoppedIsSaidSoOnceForTheWhole() throws IOException {
    var group =
        "<group id=\"g\"><meta_attributes id=\"g-m\"><nvpair id=\"g-t\" name=\"target-role\" value=\"Stopped\"/></meta_attributes>"
            + "<primitive id=\"g1\" class=\"ocf\" provider=\"test\" type=\"Said\"/>"
            + "<primitive id=\"g2\" class=\"ocf\" provider=\"test\" type=\"Said\"/></group></resources>";
    Files.writeString(directory.resolve("cib.xml"), CIB.replace("</resources>", group));
    for (var way : List.of("--cleanup", "--refresh")) {
      var text = shell.run(new CrmResource(), way, "-r", "g2", "-N", "node1");
      assertEquals(1, text.out().split("'g'", -1).length - 1, text.out());
      var xml = shell.run(new CrmResource(), way, "-r", "g2", "-N", "node1", "--output-as=xml");
      assertTrue(xml.out().contains("<check id=\"g\" remain_stopped=\"true\"/>"), xml.out());
    }
  }

  @Test
  void whatStillNamesAResourceThatIsToBeDeletedIsSaid() throws IOException {
    var before = Files.readString(directory.resolve("cib.xml"));
    var refused = shell.run(new CrmResource(), "-r", "b", "-D", "-t", "primitive");
    assertEquals(ExitStatus.CONFIG.code(), refused.code());
    assertTrue(refused.err().startsWith("<rsc_colocation id=\"c\">: with-rsc refers to \"b\", which does not exist\n"), refused.err());
    assertTrue(refused.err().contains("Could not delete resource b: "), refused.err());
    assertEquals(before, Files.readString(directory.resolve("cib.xml")));
  }

  @Test
  void whereTextIsNoXmlIsSaid() throws IOException {
    Files.writeString(directory.resolve("x.xml"), "<cib>\n<configuration></cib>");
    for (var command :
        List.of(
            shell.run(new Cibadmin(), "-R", "-x", "x.xml"),
            shell.run(new CrmVerify(), "-x", "x.xml"),
            shell.run(new CrmSimulate(), "-S", "-x", "x.xml"),
            shell.run(new CrmDiff(), "-o", "x.xml", "-n", "cib.xml"))) {
      assertTrue(command.err().startsWith("x.xml: line 2: "), command.err());
      assertTrue(command.err().contains("\n"), command.err());
    }
    var gone = shell.run(new Cibadmin(), "-R", "-x", "gone.xml");
    assertEquals("gone.xml: there is no such file\ncibadmin: Couldn't parse input from gone.xml\n", gone.err());
  }

  /// Quotes in a name are part of it, and not the end of one in an XPath.
  @Test
  void aNameWithQuotesChangesNothingOfAnotherName() throws IOException {
    var before = Files.readString(directory.resolve("cib.xml"));
    var deleted =
        shell.run(new CrmResource(), "-r", "a", "--delete-parameter", "x' or @name='word");
    assertEquals(before, Files.readString(directory.resolve("cib.xml")), deleted.err());
    var made = shell.run(new CrmAttribute(), "-n", "word", "-N", "node1", "-v", "red");
    assertEquals(0, made.code(), made.err());
    var asked = shell.run(new CrmAttribute(), "-n", "x' or @name='word", "-N", "node1", "-G");
    assertEquals(ExitStatus.NOSUCH.code(), asked.code(), asked.out());
    assertFalse(asked.out().contains("red"), asked.out());
  }

  @Test
  void aForcedCheckTellsWhatTheAgentSaid() {
    var result = shell.run(new CrmResource(), "--force-check", "-r", "a", "word=bye");
    assertEquals(7, result.code());
    assertTrue(
        result
            .out()
            .contains(
                "Operation force-check for a (ocf:test:Said) returned 7 (Not running: it sleeps)"),
        result.out());
    assertTrue(result.out().contains("monitor bye"), result.out());
  }

  @Test
  void aForcedActionIsToldWhatIsKeptOutOfTheCib() throws IOException {
    shell.set(Layout.ROOT, directory.toString());
    var set = shell.run(new CrmResource(), "-r", "a", "-p", "word", "-v", "lrm://");
    assertEquals(0, set.code(), set.err());
    var without = shell.run(new CrmResource(), "--force-start", "-r", "a");
    assertEquals(6, without.code(), without.out());
    assertTrue(without.out().contains("Unable to load CIB secrets"), without.out());
    assertTrue(without.err().contains("there is no value"), without.err());
    var stopped = shell.run(new CrmResource(), "--force-stop", "-r", "a");
    assertEquals(0, stopped.code(), stopped.out());

    var layout = new Layout(directory, directory);
    Files.createDirectories(layout.state());
    var value = SecretValue.of("Secr3t");
    assertNotNull(value);
    assertNull(
        new SecretFiles(layout)
            .change(
                List.of(
                    new SecretStore.Change.Write("a", "word", value.content()),
                    new SecretStore.Change.Write("a", "word.sign", value.sign()))));
    var with = shell.run(new CrmResource(), "--force-start", "-r", "a");
    assertEquals(0, with.code(), with.err());
    assertTrue(with.out().contains("start Secr3t"), with.out()); // this agent shows it
  }

  @Test
  void aConfigurationOnTheCommandLineNeedsNoCluster() {
    var result =
        shell.run(
            new CrmResource(),
            "--validate",
            "--class",
            "ocf",
            "--provider",
            "test",
            "--agent",
            "Said",
            "--option",
            "word=x");
    assertEquals(0, result.code(), result.err());
    assertTrue(result.out().contains("validate-all x"), result.out());
  }

  @Test
  void anAgentThatIsNotThereIsRefused() {
    var result =
        shell.run(
            new CrmResource(),
            "--validate",
            "--class",
            "ocf",
            "--provider",
            "test",
            "--agent",
            "No");
    assertEquals(64, result.code());
    assertTrue(result.err().contains("ocf:test:No is not a known resource agent"), result.err());
  }

  @Test
  void agentsAreListedByProvider() {
    var result = shell.run(new CrmResource(), "--list-agents", "ocf:test");
    assertEquals("Said\n", result.out());
    assertEquals(105, shell.run(new CrmResource(), "--show-metadata", "nonsense").code());
  }

  @Test
  void aRestartIsRefusedWithoutARunningCluster() {
    var result = shell.run(new CrmResource(), "--restart", "-r", "a");
    assertEquals(105, result.code());
    assertTrue(result.err().contains("is not running anywhere"), result.err());
  }

  @Test
  void clusterOptionsAreListedWithoutAdvancedOnes() {
    var few = shell.run(new CrmAttribute(), "--list-options=cluster").out();
    var all = shell.run(new CrmAttribute(), "--list-options=cluster", "--all").out();
    assertTrue(few.contains("* Possible values: duration (default: \"20s\")"), few);
    assertFalse(few.contains("election-timeout"), few);
    assertTrue(all.contains("election-timeout"), all);
    assertTrue(all.contains("stonith-enabled: Deprecated alias for fencing-enabled"), all);
  }

  @Test
  void theOldXmlOfTheMonitorHasItsOldRootAndNoStatus() {
    var out = shell.run(new CrmMon(), "-1", "-X").out();
    assertTrue(out.startsWith("<crm_mon version="), out);
    assertFalse(out.contains("<status "), out);
  }

  @Test
  void aTicketIsGrantedOnlyByForce() throws IOException {
    var refused = shell.run(new CrmTicket(), "-t", "T", "--grant");
    assertEquals(107, refused.code());
    assertEquals(0, shell.run(new CrmTicket(), "-t", "T", "--grant", "--force").code());
    var cib = Files.readString(directory.resolve("cib.xml"));
    assertTrue(cib.contains("granted=\"true\" last-granted=\"1718452800\""), cib);
    assertEquals("true\n", shell.run(new CrmTicket(), "-t", "T", "-G", "granted").out());
  }

  @Test
  void severalAttributesOfATicketAreSetAtOnce() throws IOException {
    var set =
        shell.run(
            new CrmTicket(), "-t", "T", "-S", "owner", "-v", "north", "--attr-value", "7", "-S", "term");
    assertEquals(0, set.code(), set::err);
    assertEquals("north\n", shell.run(new CrmTicket(), "-t", "T", "-G", "owner").out());
    assertEquals("7\n", shell.run(new CrmTicket(), "-t", "T", "-G", "term").out());

    var before = Files.readString(directory.resolve("cib.xml"));
    var refused = shell.run(new CrmTicket(), "-t", "T", "-S", "owner", "-v", "south", "-S", "term");
    assertEquals(64, refused.code());
    assertTrue(refused.err().contains("Must supply value with -v for -S term"), refused::err);
    assertEquals(before, Files.readString(directory.resolve("cib.xml")));
  }

  @Test
  void aShadowCopyHasANameThatLeadsNowhereElse() throws IOException {
    shell.set("CIB_shadow_dir", Files.createDirectory(directory.resolve("shadows")).toString());
    for (var name : new String[] {"", "a/b", "x/../../outside", "/etc/passwd"}) {
      var refused = shell.run(new CrmShadow(), "--batch", "--create-empty", name);
      assertEquals(64, refused.code(), name);
      assertTrue(refused.err().contains("is no name for a shadow copy"), refused::err);
    }
    shell.set("CIB_shadow", "../cib.xml");
    var query = shell.run(new Cibadmin(), "--query");
    assertEquals(Rc.EINVAL.exit().code(), query.code());
    assertFalse(Files.exists(directory.resolve("outside")));
  }

  @Test
  void anAgentOfTheCommandLineIsCheckedForNoResource() {
    var said =
        shell.run(
            new CrmResource(), "--validate", "--class=ocf", "--provider=test", "--agent=Said");
    assertEquals(0, said.code(), said.err());
    assertTrue(
        said.out().startsWith("Operation validate (ocf:test:Said) returned 0 (OK)\n"), said.out());
    var xml =
        shell.run(
            new CrmResource(),
            "--validate",
            "--class=ocf",
            "--provider=test",
            "--agent=Said",
            "--output-as=xml");
    assertFalse(xml.out().contains(" rsc="), xml.out());
  }

  @Test
  void aValueThatACommandRefusesItselfIsNamedInItsOwnWords() {
    var said = shell.run(new CrmResource(), "--list-options=nothing");
    assertEquals(64, said.code());
    assertEquals("crm_resource: Error parsing option --list-options\n", said.err());
  }
}
