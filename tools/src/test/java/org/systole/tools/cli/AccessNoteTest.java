package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibVersion;
import org.systole.common.layout.Layout;
import org.systole.common.output.Rc;
import org.systole.controld.client.CtlMessage;
import org.systole.tools.attributes.CrmAttribute;
import org.systole.tools.attributes.CrmStandby;
import org.systole.tools.cib.Cibadmin;
import org.systole.tools.resource.CrmResource;

/// Whom access control lists keep from something is told so, behind the line that others go by. The CIB manager
/// is a stand-in at a real socket.
@Timeout(60)
class AccessNoteTest {
  private static final String OPTIONS =
      "<cib validate-with='pacemaker-4.0' admin_epoch='0' epoch='1' num_updates='0'><configuration><crm_config><cluster_property_set id='o'>"
          + "<nvpair id='o-acl' name='enable-acl' value='%s'/></cluster_property_set></crm_config>"
          + "<nodes/><resources/><constraints/></configuration><status/></cib>";

  @TempDir Path root;

  private static CibMessage.Answer answer(Rc rc, @Nullable String xml) {
    return new CibMessage.Answer(rc, "", xml, CibVersion.NONE);
  }

  /// Changes are denied; queries of the user find what is given, and nothing is denied without it.
  private Shell.Result run(String seen, Command command, String... args) throws Exception {
    var shell = new Shell(root).set(Layout.ROOT, root.toString()).set("CIB_user", "anna");
    return StandIn.answering(
        root,
        CibMessage.SOCKET,
        CibMessage.PROTOCOL,
        request -> {
          if (!(request instanceof CibMessage.Query(var query, _)) || seen.isEmpty()) {
            return answer(Rc.EACCES, null);
          }
          return query.byXPath() ? answer(Rc.ENXIO, null) : answer(Rc.OK, seen);
        },
        () -> shell.run(command, args));
  }

  private static void assertTold(String first, String second, Shell.Result result) {
    var lines = result.err().lines().toList();
    assertEquals(4, result.code(), result.toString());
    assertEquals(first, lines.getFirst());
    assertEquals(1, lines.stream().filter(it -> it.contains("access control lists")).count(), result.err());
    assertTrue(lines.getLast().contains(second), lines.getLast());
    assertTrue(lines.getLast().contains("security.md"), lines.getLast());
  }

  @Test
  void whoHasNoRole() throws Exception {
    assertTold(
        "cibadmin: CIB API call failed: Permission denied",
        "cibadmin: access control lists are in force (enable-acl), and no role in them lets user anna",
        run("", new Cibadmin(), "--query"));
  }

  @Test
  void whoseRolesDoNotGoSoFar() throws Exception {
    assertTold(
        "Error setting x=1 (section=crm_config, set=cib-bootstrap-options): Permission denied",
        "let this user see the CIB, but not make this change; have root or hacluster look (cibadmin --query --user anna",
        run(OPTIONS.formatted("true"), new CrmAttribute(), "-n", "x", "-v", "1"));
    assertTold(
        "cibadmin: CIB API call failed: Permission denied",
        "the roles they have for user bea let this user see only parts of the CIB",
        run(
            "<cib><configuration><nodes/></configuration></cib>",
            new Cibadmin(),
            "--user=bea",
            "--delete",
            "--xml-text=<primitive id='p'/>"));
  }

  /// `crm_standby` has `crm_attribute` do it, which tells.
  @Test
  void oneOfTwoCommandsTells() throws Exception {
    assertTold(
        "Error setting standby=on (section=nodes, set=nodes-1): Permission denied",
        "the roles they have for user anna",
        run(
            OPTIONS.formatted("true").replace("<nodes/>", "<nodes><node id='1' uname='a'/></nodes>"),
            new CrmStandby(),
            "--node=a",
            "--update=on"));
  }

  @Test
  void notWhomADaemonHasToldWhoMay() throws Exception {
    var why = "only root may";
    var told =
        StandIn.beside(
            root,
            CtlMessage.SOCKET,
            CtlMessage.PROTOCOL,
            new CtlMessage.Refused(CtlMessage.Reason.DENIED, why),
            () -> run(OPTIONS.formatted("true"), new CrmResource(), "--cleanup"));
    assertEquals(4, told.code(), told.toString());
    assertTrue(told.err().contains("Permission denied (" + why + ")"), told.err());
    assertFalse(told.err().contains("access control lists"), told.err());
  }

  @Test
  void nobodyElse() throws Exception {
    var off = run(OPTIONS.formatted("false"), new Cibadmin(), "--delete", "--xml-text=<primitive id='p'/>");
    assertEquals("cibadmin: CIB API call failed: Permission denied\n", off.err());
    var root = run("", new Cibadmin(), "--user=root", "--delete", "--xml-text=<primitive id='p'/>");
    assertEquals("cibadmin: CIB API call failed: Permission denied\n", root.err());
  }
}
