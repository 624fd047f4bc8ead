package org.systole.tools.lint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.options.ClusterOptions;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cli.Shell;

class LintTest {
  private static final String STICKY =
      "<rsc_defaults><meta_attributes id='d'><nvpair id='d1' name='resource-stickiness' value='1'/>"
          + "</meta_attributes></rsc_defaults>";
  private static final String MONITOR = "<op id='%s-m' name='monitor' interval='10s'/>";

  @TempDir private Path directory;

  private static String option(String name, String value) {
    return "<nvpair id='o-%s' name='%1$s' value='%s'/>".formatted(name, value);
  }

  private static String device(String id, String hosts, String more) {
    return """
        <primitive id="%1$s" class="stonith" type="fence_x"><instance_attributes id="%1$s-i">
        <nvpair id="%1$s-h" name="pcmk_host_list" value="%2$s"/>%3$s</instance_attributes>
        <operations><op id="%1$s-m" name="monitor" interval="60s"/></operations></primitive>
        """
        .formatted(id, hosts, more);
  }

  private static String service(String id, String meta, String operations) {
    return """
        <primitive id="%1$s" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="%1$s-a">%2$s
        </meta_attributes><operations>%3$s</operations></primitive>
        """
        .formatted(id, meta, operations);
  }

  private static String cib(String options, String resources, String constraints, String defaults) {
    return """
        <cib validate-with="pacemaker-4.0" admin_epoch="0" epoch="1" num_updates="0"><configuration><crm_config>
        <cluster_property_set id="o">%s</cluster_property_set></crm_config>
        <nodes><node id="1" uname="alpha"/><node id="2" uname="beta"/></nodes>
        <resources>%s</resources><constraints>%s</constraints>%s</configuration></cib>
        """
        .formatted(options, resources, constraints, defaults);
  }

  private static List<String> found(String cib) throws XmlException {
    var tree = XmlReader.parse(cib);
    var options = ClusterOptions.read(tree, Instant.EPOCH, ZoneOffset.UTC);
    var found = new ArrayList<String>();
    for (var it : Lint.of(tree, options)) {
      found.add(it.severity().word() + " " + it.id() + (it.about().isEmpty() ? "" : " " + it.about()));
    }
    return found;
  }

  private static String well() {
    return device("f", "alpha beta", "<nvpair id='f-d' name='pcmk_delay_base' value='5s'/>")
        + service("web", "", MONITOR.formatted("web"));
  }

  @Test
  void aSoundConfigurationIsNotSpokenOf() throws XmlException {
    assertEquals(List.of(), found(cib(option("cluster-name", "x"), well(), "", STICKY)));
  }

  @Test
  void whatPutsDataAtRiskComesFirst() throws XmlException {
    assertEquals(
        List.of("error fencing-off", "error quorum-ignored", "notice no-stickiness"),
        found(
            cib(
                option("fencing-enabled", "false") + option("no-quorum-policy", "ignore"),
                well(),
                "",
                "")));
    assertEquals(
        List.of("error no-fence-device"),
        found(cib("", service("web", "", MONITOR.formatted("web")), "", STICKY)));
  }

  @Test
  void everyNodeNeedsADeviceAndTwoNodesADelay() throws XmlException {
    assertEquals(
        List.of("error node-without-device beta", "warning fencing-duel", "notice password-in-cib f"),
        found(
            cib("", device("f", "alpha", "<nvpair id='f-p' name='password' value='s'/>"), "", STICKY)));
    assertEquals(
        List.of(),
        found(
            cib(
                option("priority-fencing-delay", "5s"),
                device("f", "alpha", "<nvpair id='f-m' name='pcmk_host_map' value='beta:2'/>"),
                "",
                STICKY)));
  }

  @Test
  void aRemoteNodeNeedsADeviceAndAGuestDoesNot() throws XmlException {
    var host = "<primitive id='%s' class='ocf' provider='pacemaker' type='remote'><operations>" + MONITOR + "</operations></primitive>";
    var guest = service("vm", "<nvpair id='vm-r' name='remote-node' value='inside'/>", MONITOR.formatted("vm"));
    assertEquals(
        List.of("error node-without-device host2"),
        found(
            cib(
                option("priority-fencing-delay", "5s"),
                device("f", "alpha beta host1", "") + host.formatted("host1", "host1") + host.formatted("host2", "host2") + guest,
                "",
                STICKY)));
  }

  @Test
  void aDeviceForANodeThatIsGoneIsNamed() throws XmlException {
    assertEquals(
        List.of("warning unknown-node f"),
        found(
            cib(
                option("priority-fencing-delay", "5s"),
                device("f", "alpha, beta gamma", "<nvpair id='f-m' name='pcmk_host_map' value='ALPHA:1'/>"),
                "",
                STICKY)));
  }

  @Test
  void whatIsNearlyANameIsNamed() throws XmlException {
    assertEquals(
        List.of("warning mistyped x1", "warning mistyped x-s"),
        found(
            cib(
                "",
                well()
                    + service(
                        "x",
                        "<nvpair id='x1' name='target-rol' value='Stopped'/><nvpair id='x2' name='owner' value='me'/>",
                        MONITOR.formatted("x") + "<op id='x-s' name='stpo' interval='0'/><op id='x-b' name='backup' interval='1h'/>"),
                "",
                STICKY)));
  }

  @Test
  void aResourceIsWatchedOnceInEachInterval() throws XmlException {
    var operations =
        "<op id='a' name='monitor' interval='10s'/><op id='b' name='monitor' interval='10000ms' role='Promoted'/>"
            + "<op id='c' name='stop' interval='0' on-fail='ignore'/>";
    assertEquals(
        List.of("error same-interval b", "error failed-stop-ignored c", "warning no-monitor y", "notice unmanaged y"),
        found(
            cib(
                "",
                well()
                    + service("x", "", operations)
                    + service("y", "<nvpair id='y1' name='is-managed' value='false'/>", ""),
                "",
                STICKY)));
  }

  private static String roleRule(String rule, String expression) {
    return """
        <rsc_location id="l" rsc="web"><rule id="r" %s><expression id="e" attribute="#role-disk" %s/>\
        <expression id="n" attribute="#role-disk" operation="not_defined"/></rule></rsc_location>
        """
        .formatted(rule, expression);
  }

  @Test
  void aRuleThatMovesWhatRunsWhileARoleIsDoneAnewIsNamed() throws XmlException {
    var active = "operation='ne' value='active'";
    var either = "score='-INFINITY' boolean-op='or'";
    assertEquals(List.of("warning role-rule l"), found(cib("", well(), roleRule(either, active), STICKY)));
    assertEquals(
        List.of(), found(cib("", well(), roleRule(either, "operation='eq' value='error'"), STICKY)));
    assertEquals(List.of(), found(cib("", well(), roleRule("score='-INFINITY'", active), STICKY)));
    assertEquals(List.of(), found(cib("", well(), roleRule("score='-5' boolean-op='or'", active), STICKY)));
  }

  @Test
  void settingsOfHostHaAreNoUnknownOptions() throws XmlException {
    assertEquals(
        List.of(),
        found(
            cib(
                option("ha.enabled", "true") + option("kvm.ha.fence.timeout", "90") + option("ha.param.files", "%h"),
                well(),
                "",
                STICKY)));
  }

  @Test
  void whatWasMeantForAMomentAndWhatIsMisspeltIsNamed() throws XmlException {
    assertEquals(
        List.of(
            "warning maintenance-mode", "warning unknown-option o-no-quorum-polcy",
            "warning unknown-node l", "warning unknown-resource c",
            "notice old-option o-stonith-timeout", "notice left-by-move cli-ban-web-on-alpha"),
        found(
            cib(
                option("maintenance-mode", "true")
                    + option("no-quorum-polcy", "stop")
                    + option("stonith-timeout", "60s"),
                well(),
                "<rsc_location id='cli-ban-web-on-alpha' rsc='web' node='alpha' score='-INFINITY'/>"
                    + "<rsc_location id='l' rsc='web' node='gamma' score='1'/>"
                    + "<rsc_order id='c' first='web' then='wbe'/>",
                STICKY)));
  }

  @Test
  void theCommandShowsFindingsAndTellsThemByItsStatus() {
    var shell = new Shell(directory);
    var risky = cib(option("fencing-enabled", "false"), well(), "", STICKY);
    var text = shell.run(new CrmVerify(), "--lint", "-X", risky);
    assertEquals(78, text.code(), text.out() + text.err());
    assertTrue(text.out().startsWith("error: [fencing-off] fencing is switched off"), text.out());
    assertTrue(text.out().contains(". Configure a fence device"), text.out());
    var xml = shell.run(new CrmVerify(), "--lint", "--output-as=xml", "-X", risky);
    assertTrue(xml.out().contains("<finding id=\"fencing-off\" severity=\"error\""), xml.out());
    var sound = shell.run(new CrmVerify(), "--lint", "-V", "-X", cib("", well(), "", STICKY));
    assertEquals(0, sound.code(), sound.out() + sound.err());
    assertEquals(0, shell.run(new CrmVerify(), "-X", risky).code(), "without --lint it is valid");
  }
}
