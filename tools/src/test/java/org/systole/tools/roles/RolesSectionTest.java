package org.systole.tools.roles;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.Shell;
import org.systole.tools.results.ResultCheck;
import org.systole.tools.status.CrmMon;

/// What `crm_mon` says of roles.
final class RolesSectionTest {
  private static final String CIB =
      """
      <cib crm_feature_set="3.19.0" validate-with="pacemaker-3.10" epoch="1" num_updates="0" admin_epoch="0"
        have-quorum="1" dc-uuid="1">
        <configuration>
          <crm_config/>
          <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/><node id="3" uname="n3"/></nodes>
          <resources/><constraints/>
        </configuration>
        <status>
          %s%s
          <node_state id="3" uname="n3" in_ccm="1" crmd="1" join="member" expected="member"/>
        </status>
      </cib>
      """;

  @TempDir private Path directory;
  private Shell shell;

  private static String node(String id, String... roles) {
    var pairs = new StringBuilder();
    for (var at = 0; at < roles.length; at += 2) {
      pairs.append(
          "<nvpair id=\"s%s-%s\" name=\"#role-%s\" value=\"%s\"/>"
              .formatted(id, roles[at], roles[at], roles[at + 1]));
    }
    return """
        <node_state id="%s" uname="n%s" in_ccm="1" crmd="1" join="member" expected="member">
          <transient_attributes id="%s"><instance_attributes id="s%s">%s</instance_attributes></transient_attributes>
        </node_state>
        """
        .formatted(id, id, id, id, pairs);
  }

  @BeforeEach
  void write() throws IOException {
    var file = directory.resolve("cib.xml");
    Files.writeString(
        file,
        CIB.formatted(
            node("1", "clock", "active", "disk", "active"),
            node("2", "clock", "active", "disk", "error", "web", "blocked")));
    shell = new Shell(directory).set("CIB_file", file.toString());
  }

  private String shows(String... args) {
    var result = shell.run(new CrmMon(), args);
    assertEquals(0, result.code(), result.err());
    return result.out();
  }

  @Test
  void aLineForEachNodeTellsWhatIsNotActive() {
    assertEquals(
        """
        Roles:
          * n1: 2 active
          * n2: 1 active, disk error, web blocked
        """,
        shows("-1", "--include=none,roles").replaceAll("(?m)^\\n", ""));
    assertTrue(!shows("-1").contains("Roles:"), "not unless it is asked for");
    assertTrue(shows("-1", "--include=none,roles", "--node=n1").contains("* n1: 2 active"));
  }

  @Test
  void theResultIsWhatItsSchemaSays() throws Exception {
    var xml = shows("-1", "--include=none,roles", "--output-as=xml");
    assertTrue(xml.contains("<role id=\"disk\" state=\"error\"/>"), xml);
    assertEquals(List.of(), ResultCheck.faults(XmlReader.parse(xml)));
    assertTrue(shows("-1", "--output-as=html", "--include=roles").contains("<h2>Roles</h2>"));
  }
}
