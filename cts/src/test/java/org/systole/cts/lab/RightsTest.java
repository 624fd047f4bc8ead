package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Who may do what on a running node. User nobody stands for somebody outside the cluster's group,
/// and, with that group, for a member of it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RightsTest {
  private static final int INSUFFICIENT_PRIVILEGES = 4;
  private static final int NOT_CONNECTED = 102;
  private static final String OUTSIDE = "nogroup";
  private static final String MEMBER = "haclient";

  private OneNode one;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    one = OneNode.make();
    for (var account : List.of("hacluster", "nobody")) {
      var found = new ProcessBuilder("/usr/bin/id", "-u", account).start().waitFor() == 0;
      assumeTrue(found, () -> "there is no user " + account);
    }
    one.start();
  }

  @AfterAll
  void stop() throws IOException {
    if (one != null) {
      one.close();
    }
  }

  @Test
  void daemonsThatNeedNoRightsOfRootsRunAsTheClustersUser() {
    for (var daemon : List.of("cibd", "attrd", "schedulerd", "controld")) {
      assertEquals("hacluster", one.userOf(daemon), daemon);
    }
    for (var daemon : List.of("pacemakerd", "fenced", "execd")) {
      assertEquals("root", one.userOf(daemon), daemon);
    }
  }

  @Test
  void anOutsiderOpensNoSocketAndAMemberDoes() throws IOException {
    for (var name : List.of("cib", "attr", "ctl", "exec", "fence", "link", "pacemakerd")) {
      var socket = one.layout().socket(name).toString();
      assertEquals(1, one.as(OUTSIDE, "/usr/bin/test", "-w", socket).status(), name);
      assertEquals(0, one.as(MEMBER, "/usr/bin/test", "-w", socket).status(), name);
    }
    assertEquals(NOT_CONNECTED, one.as(OUTSIDE, one.program("cibadmin"), "-Q").status());
    var member = one.as(MEMBER, one.program("cibadmin"), "-Q");
    assertEquals(0, member.status(), member::output);
    assertTrue(member.output().contains("<cib "), member::output);
  }

  @Test
  void filesWithKeysOrTheConfigurationAreTheDaemonsOwn() throws IOException {
    for (var file :
        List.of(
            one.layout().clusterKey(),
            one.layout().state("cib").resolve("cib.xml"),
            one.layout().state("cib").resolve("cib.meta"))) {
      for (var group : List.of(OUTSIDE, MEMBER)) {
        assertNotEquals(0, one.as(group, "/bin/cat", file.toString()).status(), file::toString);
      }
    }
    var log = one.layout().log().resolve("pacemaker.log").toString();
    assertNotEquals(0, one.as(OUTSIDE, "/bin/cat", log).status());
  }

  @Test
  void accessControlListsCountForAMember() throws IOException {
    one.succeed(
        "cibadmin",
        "-M",
        "-c",
        "-o",
        "configuration",
        "-X",
        """
        <configuration><crm_config><cluster_property_set id="cib-bootstrap-options"><nvpair
        id="acl" name="enable-acl" value="true"/></cluster_property_set></crm_config><resources>
        <primitive id="shown" class="ocf" provider="pacemaker" type="Dummy"/></resources><acls>
        <acl_target id="nobody"><role id="viewer"/></acl_target><acl_role id="viewer">
        <acl_permission id="viewer-1" kind="read" xpath="//resources"/></acl_role></acls>
        </configuration>""");
    var seen = one.as(MEMBER, one.program("cibadmin"), "-Q");
    assertEquals(0, seen.status(), seen::output);
    assertTrue(seen.output().contains("id=\"shown\""), seen::output);
    assertFalse(seen.output().contains("enable-acl"), seen::output);
    assertFalse(seen.output().contains("acl_role"), seen::output);
    var refused =
        one.as(
            MEMBER,
            one.program("cibadmin"),
            "-C",
            "-o",
            "resources",
            "-X",
            "<primitive id='mine' class='ocf' provider='pacemaker' type='Dummy'/>");
    assertEquals(INSUFFICIENT_PRIVILEGES, refused.status(), refused::output);
    var asAnother = one.as(MEMBER, one.program("cibadmin"), "-Q", "-U", "root");
    assertFalse(asAnother.output().contains("acl_role"), "nobody gets another's rights");
    assertFalse(one.node().run("cibadmin", "-Q").output().contains("id=\"mine\""));
    one.succeed("crm_attribute", "-n", "enable-acl", "-v", "false");
  }
}
