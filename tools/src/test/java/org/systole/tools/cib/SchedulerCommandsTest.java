package org.systole.tools.cib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;
import org.systole.tools.resource.CrmResource;
import org.systole.tools.status.CrmMon;

/// crm_simulate, crm_verify and crm_rule on a cluster of two nodes.
class SchedulerCommandsTest {
  private static final String CIB =
      """
      <cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0" have-quorum="1">
        <configuration>
          <crm_config>
            <cluster_property_set id="cib-bootstrap-options">
              <nvpair id="o1" name="fencing-enabled" value="false"/>
            </cluster_property_set>
          </crm_config>
          <nodes>
            <node id="1" uname="alpha"/>
            <node id="2" uname="beta"/>
          </nodes>
          <resources>
            <primitive id="web" class="ocf" provider="systole" type="Dummy">
              <operations>
                <op id="web-mon" name="monitor" interval="10s"/>
              </operations>
            </primitive>
          </resources>
          <constraints>
            <rsc_location id="loc" rsc="web">
              <rule id="summer" score="100">
                <date_expression id="d" operation="in_range" start="2024-06-01" end="2024-09-01"/>
                <expression id="e" attribute="#uname" operation="eq" value="beta"/>
              </rule>
            </rsc_location>
          </constraints>
        </configuration>
        <status>
          <node_state id="1" uname="alpha" in_ccm="true" crmd="online" join="member" expected="member"/>
          <node_state id="2" uname="beta" in_ccm="true" crmd="online" join="member" expected="member"/>
        </status>
      </cib>
      """;

  @TempDir Path directory;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(directory.resolve("cib.xml"), CIB);
  }

  private Shell.Result simulate(String... args) {
    return new Shell(directory).run(new CrmSimulate(), args);
  }

  private Shell.Result rule(String... args) {
    return new Shell(directory)
        .set("CIB_file", directory.resolve("cib.xml").toString())
        .run(new CrmRule(), args);
  }

  @Test
  void crmSimulateExplainsAPlacementByTheRuleThatDecidedIt() {
    var done =
        simulate("-x", "cib.xml", "-t", "2024-07-01 12:00:00Z", "--explain", "web@beta", "-Q");
    assertEquals(0, done.code());
    assertTrue(done.out().contains("web will be on beta"), done.out());
    assertTrue(done.out().contains("+100 location constraint summer"), done.out());
    assertFalse(done.out().contains("alpha"), done.out());
  }

  @Test
  void crmSimulateExplainsAnActionByWhatItWaitsFor() {
    var done =
        simulate("-x", "cib.xml", "-t", "2024-07-01 12:00:00Z", "--explain", "web_start_0", "-Q");
    assertTrue(done.out().contains("web_start_0 on beta required: it is not active"), done.out());
    assertTrue(done.out().contains("waits for web_monitor_0@alpha"), done.out());
    assertTrue(done.out().contains("comes before web_monitor_10000@beta"), done.out());
  }

  @Test
  void crmSimulateExplainsHowEverythingStandsToANode() {
    var summer = new String[] {"-x", "cib.xml", "-t", "2024-07-01 12:00:00Z", "-Q", "--explain"};
    var usable = simulate(with(summer, "alpha"));
    assertTrue(usable.out().contains("alpha can run resources"), usable.out());
    assertTrue(usable.out().contains("web stays away: the score 0, which"), usable.out());
    var lost = simulate(with(summer, "@beta", "--node-fail", "beta"));
    assertTrue(lost.out().contains("beta cannot take resources"), lost.out());
  }

  private static String[] with(String[] first, String... rest) {
    return Stream.concat(Stream.of(first), Stream.of(rest)).toArray(String[]::new);
  }

  @Test
  void crmSimulateCannotExplainWhatIsNotThere() {
    var done = simulate("-x", "cib.xml", "--explain", "nothing");
    assertEquals(105, done.code());
    assertTrue(done.err().contains("no resource, planned action or node 'nothing'"), done.err());
  }

  @Test
  void crmResourceSaysMoreThanWhetherAResourceRunsOnlyIfAskedTo() {
    var shell = new Shell(directory).set("CIB_file", directory.resolve("cib.xml").toString());
    var plain = shell.run(new CrmResource(), "--why", "-r", "web");
    assertEquals("Resource web is not running\n", plain.out());
    var full = shell.run(new CrmResource(), "--why", "-r", "web", "--explain");
    assertTrue(full.out().startsWith(plain.out()), full.out());
    assertTrue(full.out().contains("web will be on"), full.out());
    assertTrue(full.out().contains("web_start_0"), full.out());
    assertEquals(64, shell.run(new CrmResource(), "--why", "--explain").code());
  }

  private Shell with(String change, String into) throws IOException {
    assertTrue(CIB.contains(change), change);
    return with(CIB.replace(change, into));
  }

  private Shell with(String cib) throws IOException {
    Files.writeString(directory.resolve("changed.xml"), cib);
    return new Shell(directory).set("CIB_file", directory.resolve("changed.xml").toString());
  }

  @Test
  void crmResourceSaysWhereTheHealthOfNodesKeepsAResourceAway() throws IOException {
    var shell =
        with(
            "<nvpair id=\"o1\"",
            "<nvpair id=\"o2\" name=\"node-health-strategy\" value=\"only-green\"/><nvpair id=\"o1\"");
    var file = directory.resolve("changed.xml");
    var disk = "<nvpair id=\"h-d\" name=\"#health-disk\" value=\"yellow\"/>";
    Files.writeString(
        file,
        Files.readString(file)
            .replace(
                "uname=\"beta\"/>",
                "uname=\"beta\"><instance_attributes id=\"h\">%s</instance_attributes></node>"
                    .formatted(disk)));
    var words = "'web' cannot run on unhealthy nodes due to node-health-strategy='only-green'";
    var there = shell.run(new CrmResource(), "--why", "-r", "web", "-N", "beta");
    assertTrue(there.out().contains(words), there::out);
    var xml = shell.run(new CrmResource(), "--why", "-r", "web", "-N", "beta", "--output-as=xml");
    assertTrue(xml.out().contains("<check id=\"web\" unhealthy=\"true\"/>"), xml::out);
    for (var well : List.of(List.of("-N", "alpha"), List.<String>of())) {
      var args = Stream.concat(Stream.of("--why", "-r", "web"), well.stream());
      var elsewhere = shell.run(new CrmResource(), args.toArray(String[]::new));
      assertEquals(0, elsewhere.code(), elsewhere::err);
      assertFalse(elsewhere.out().contains("unhealthy"), elsewhere::out);
    }
  }

  @Test
  void theDigestsShowWhatWasGivenFirstAndTheTimeoutLast() throws IOException {
    var shell =
        with(
            "type=\"Dummy\">",
            "type=\"Dummy\"><instance_attributes id=\"i\"><nvpair id=\"i-f\" name=\"fake\" value=\"0\"/>"
                + "<nvpair id=\"i-p\" name=\"passwd\" value=\"s\"/></instance_attributes>");
    var digests = new String[] {"--digests", "-r", "web", "-N", "alpha", "--output-as=xml"};
    var timeout = new String[] {"CRM_meta_interval=10000", "CRM_meta_timeout=20000"};
    var plain = shell.run(new CrmResource(), with(digests, timeout)).out();
    assertTrue(
        plain.contains("<parameters passwd=\"s\" fake=\"0\" CRM_meta_timeout=\"20000\"/>"), plain);
    var given = shell.run(new CrmResource(), with(with(digests, timeout), "fake=1")).out();
    assertTrue(
        given.contains("<parameters fake=\"1\" passwd=\"s\" CRM_meta_timeout=\"20000\"/>"), given);
  }

  @Test
  void whatIsWrongIsToldOnStandardErrorIfThatIsAskedFor() throws IOException {
    var shell = with("value=\"false\"/>", "value=\"true\"/>");
    var line =
        "(unpack_resources) \terror: Resource start-up disabled since no fencing resources have been";
    assertEquals("", shell.run(new CrmMon(), "-1").err());
    assertEquals("", shell.set("PCMK_stderr", "no").run(new CrmMon(), "-1").err());
    shell.set("PCMK_stderr", "1");
    for (var command : List.of(new CrmMon(), new CrmResource())) {
      var done = shell.run(command, command instanceof CrmMon ? "-1" : "--list");
      assertTrue(done.err().startsWith(line), done::err);
      assertEquals(1, done.err().lines().count(), done::err);
    }
    var planned = shell.run(new CrmSimulate(), "-x", "changed.xml", "-S").err();
    // Once for what is read, and once for what comes of it.
    assertEquals(2, planned.lines().filter(it -> it.startsWith(line)).count(), planned);
  }

  @Test
  void theLogThatIsAskedForHasOneLevelMoreThanCrmVerifySays() throws IOException {
    var shell = with("value=\"false\"/>", "value=\"true\"/>");
    var blind = "(unpack_config) \twarning: Blind faith: not fencing unseen nodes";
    var off = "<nvpair id=\"blind\" name=\"startup-fencing\" value=\"false\"/>";
    var file = directory.resolve("changed.xml");
    var cib = Files.readString(file);
    Files.writeString(
        file, cib.replaceFirst("</cluster_property_set>", off + "</cluster_property_set>"));
    assertFalse(shell.run(new CrmVerify(), "-x", "changed.xml", "-V").err().contains(blind));
    assertTrue(shell.run(new CrmVerify(), "-x", "changed.xml", "-VV").err().contains(blind));
    shell.set("PCMK_stderr", "1");
    assertFalse(shell.run(new CrmVerify(), "-x", "changed.xml").err().contains(blind));
    assertTrue(shell.run(new CrmVerify(), "-x", "changed.xml", "-V").err().contains(blind));
  }

  @Test
  void theSimpleStatusIsOneLineAndAnExitCode() throws IOException {
    var none = with("<cib ", "<cib ").run(new CrmMon(), "-1", "-j", "-s");
    assertEquals("CLUSTER WARN: No DC\n", none.out());
    assertEquals(1, none.code());
    var well = with("<cib ", "<cib dc-uuid=\"1\" ").run(new CrmMon(), "-s");
    assertEquals("CLUSTER OK: 2 nodes online, 1 resource instance configured\n", well.out());
    assertEquals(0, well.code(), well::err);
    var standby = "<instance_attributes id=\"s\"><nvpair id=\"s-s\" name=\"standby\" value=\"on\"/>";
    var one =
        with("<node id=\"1\" uname=\"alpha\"/>",
            "<node id=\"1\" uname=\"alpha\">" + standby + "</instance_attributes></node>");
    var file = directory.resolve("changed.xml");
    Files.writeString(file, Files.readString(file).replace("<cib ", "<cib dc-uuid=\"1\" "));
    assertEquals(
        "CLUSTER OK: 1 node online, 1 standby node, 1 resource instance configured\n",
        one.run(new CrmMon(), "-s").out());
    var gone = with("uname=\"beta\" in_ccm=\"true\"", "uname=\"beta\" in_ccm=\"false\"");
    assertEquals(
        "CLUSTER WARN: No DC, offline node: beta\n",
        gone.run(new CrmMon(), "--simple-status").out());
  }

  @Test
  void aStoppedResourceIsStartedWhereTheRulePrefersIt() {
    var result = simulate("-x", "cib.xml", "-S");
    assertEquals(0, result.code(), result.err());
    assertTrue(result.out().contains("  * Start      web     (  beta )"), result.out());
    assertTrue(result.out().contains("Resource action: web             start on beta"));
    assertTrue(
        result.out().endsWith("    * web\t(ocf:systole:Dummy):\t Started beta\n"), result.out());
  }

  @Test
  void theDateDecidesWhetherTheRuleHolds() {
    var result = simulate("-x", "cib.xml", "-R", "-t", "2025-01-01");
    assertTrue(result.out().startsWith("Setting effective cluster time: 2025-01-01\n"));
    assertTrue(result.out().contains("  * Start      web     ( alpha )"), result.out());
  }

  @Test
  void aNodeThatIsTakenDownIsAvoided() {
    var result = simulate("-x", "cib.xml", "-S", "-d", "beta");
    assertTrue(result.out().contains("  * Taking node beta offline\n"), result.out());
    assertTrue(result.out().contains("OFFLINE: [ beta ]"));
    assertTrue(result.out().contains("Started alpha"));
  }

  @Test
  void aStartThatFailsIsCountedAndShown() {
    var result = simulate("-x", "cib.xml", "-Sc", "-F", "web_start_0@beta=1", "-O", "out.xml");
    assertTrue(result.out().contains("Pretending action"), result.out());
    assertTrue(result.out().contains("fail-count=1000000"), result.out());
    assertTrue(result.out().contains("web_start_0 on beta 'Error occurred' (1)"), result.out());
    var next = simulate("-x", "out.xml", "-R");
    assertTrue(next.out().contains("( beta -> alpha )"), next.out());
  }

  @Test
  void anInjectedResultThatNamesNoResourceIsSaid() {
    var result = simulate("-x", "cib.xml", "-S", "-i", "none_monitor_0@beta=7");
    assertEquals(0, result.code());
    assertEquals("Invalid resource name: none\n", result.err());
  }

  @Test
  void graphAndDrawingAreKept() throws IOException {
    simulate("-x", "cib.xml", "-G", "graph.xml", "-D", "graph.dot");
    assertTrue(
        Files.readString(directory.resolve("graph.xml")).contains("operation_key=\"web_start_0\""));
    assertTrue(
        Files.readString(directory.resolve("graph.dot"))
            .contains("\"web_start_0 beta\" [ style=bold"));
  }

  @Test
  void aSavedInputIsReadCompressed() throws IOException {
    try (var out =
        new BZip2CompressorOutputStream(
            Files.newOutputStream(directory.resolve("pe-input-1.bz2")))) {
      out.write(CIB.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    assertTrue(simulate("-x", "pe-input-1.bz2", "-R").out().contains("Start      web"));
  }

  @Test
  void aFileThatIsNotThereIsBadInput() {
    var result = simulate("-x", "nofile.xml", "-S");
    assertEquals(65, result.code());
    assertEquals(
        "nofile.xml: there is no such file\ncrm_simulate: Could not read input XML: Bad input value provided\n",
        result.err());
  }

  /// In a simulation that brings nodes up, whatever takes part gets an entry among the nodes, as Pacemaker has it: in a
  /// real cluster it would be a member's, and the guest's connection nobody's.
  @Test
  void aGuestsConnectionIsItsOwnThoughNodesAreBroughtUp() throws IOException {
    var guest = "<meta_attributes id=\"m\"><nvpair id=\"g\" name=\"remote-node\" value=\"vm\"/></meta_attributes>";
    var inside = "<primitive id=\"inside\" class=\"ocf\" provider=\"systole\" type=\"Dummy\"/>";
    var only = "<rsc_location id=\"l-%s\" rsc=\"inside\" node=\"%s\" score=\"-INFINITY\"/>";
    with(
        CIB.replace("</primitive>", guest + "</primitive>" + inside)
            .replace("<constraints>", "<constraints>" + only.replace("%s", "alpha") + only.replace("%s", "beta")));
    var done = simulate("-x", "changed.xml", "-S", "-u", "alpha");
    assertTrue(done.out().contains("start on vm"), done.out());
    assertTrue(done.out().contains("Revised Cluster Status"), done.out());
    assertFalse(done.out().contains("ORPHANED"), done.out());
  }

  @Test
  void inPlaceTheResultReplacesTheInput() throws IOException {
    simulate("-X", "-x", "cib.xml");
    assertTrue(Files.readString(directory.resolve("cib.xml")).contains("web_start_0"));
  }

  @Test
  void aSoundConfigurationIsVerifiedInSilence() {
    var result = new Shell(directory).run(new CrmVerify(), "-x", "cib.xml");
    assertEquals(new Shell.Result(0, "", ""), result);
  }

  @Test
  void aFailureIsShownAsEndedWhateverItsRecordSays() throws IOException {
    var member = "<node_state id=\"1\" uname=\"alpha\" in_ccm=\"true\" crmd=\"online\" join=\"member\" expected=\"member\"";
    var known =
        CIB.replace(
            member + "/>",
            member
                + """
                ><lrm id="1"><lrm_resources>
                  <lrm_resource id="web" class="ocf" provider="systole" type="Dummy">
                    <lrm_rsc_op id="web_last_0" operation_key="web_monitor_0" operation="monitor" interval="0" call-id="3"
                      rc-code="190" op-status="-1" transition-key="3:1:7:00000000-0000-0000-0000-000000000000"
                      transition-magic="-1:190;3:1:7:00000000-0000-0000-0000-000000000000"/>
                  </lrm_resource>
                </lrm_resources></lrm></node_state>""");
    assertFalse(known.equals(CIB));
    Files.writeString(directory.resolve("degraded.xml"), known);
    var shown = simulate("-x", "degraded.xml", "--show-failcounts").out();
    assertTrue(
        shown.contains("web_monitor_0 on alpha 'Service is active but might fail soon' (190): call=3, status='Done'"),
        shown);
  }

  @Test
  void aConfigurationWithAMistakeIsNotAccepted() throws IOException {
    Files.writeString(directory.resolve("bad.xml"), CIB.replace("rsc=\"web\"", "rsc=\"nothing\""));
    var result = new Shell(directory).run(new CrmVerify(), "-x", "bad.xml");
    assertEquals(78, result.code());
    assertEquals(
        "line 20: <rsc_location id=\"loc\">: rsc refers to \"nothing\", which does not exist\n"
            + "Configuration invalid (-V may provide more detail)\n",
        result.err());
    var simulated = new Shell(directory).run(new CrmSimulate(), "-x", "bad.xml");
    assertEquals(78, simulated.code());
    assertTrue(simulated.err().startsWith("line 20: <rsc_location"), simulated.err());
  }

  @Test
  void aConfigurationOfAnUnknownSchemaIsNotAccepted() throws IOException {
    Files.writeString(directory.resolve("new.xml"), CIB.replace("-4.0", "-9.9"));
    var result = new Shell(directory).run(new CrmVerify(), "-V", "-x", "new.xml");
    assertEquals(78, result.code());
    assertTrue(result.err().startsWith("error: Cannot validate CIB with unknown validate-with"));
  }

  @Test
  void aConfigurationThatIsNotValidatedIsWarnedOf() throws IOException {
    Files.writeString(directory.resolve("none.xml"), CIB.replace("pacemaker-4.0", "none"));
    var result = new Shell(directory).run(new CrmVerify(), "-x", "none.xml");
    assertEquals(78, result.code());
    assertTrue(result.err().contains("Configuration may need attention"), result.err());
  }

  @Test
  void whatIsPretendedCountsInTheVersion() throws IOException {
    var done =
        new Shell(directory)
            .set("CIB_file", directory.resolve("cib.xml").toString())
            .run(new CrmSimulate(), "-L", "-X", "--node-up=gamma", "-Q");
    assertEquals(0, done.code(), done.err());
    var after = Files.readString(directory.resolve("cib.xml"));
    assertTrue(after.contains("uname=\"gamma\""), after);
    // The new node is one change of the configuration; its state is made and set; then come three
    // probes, a start and a monitor.
    assertTrue(after.contains("epoch=\"2\" num_updates=\"7\""), after.lines().findFirst().orElse(""));
  }

  @Test
  void theCibCanBeOnStandardInput() {
    var shown =
        new Shell(directory).set("CIB_file", "-").run(CIB, new Cibadmin(), "--query", "-o", "nodes");
    assertEquals(0, shown.code(), shown.err());
    assertTrue(shown.out().contains("beta"), shown.out());
  }

  @Test
  void anOldNameOfAnOptionNeedsNoAttention() throws IOException {
    var old = CIB.replace("fencing-enabled", "stonith-enabled");
    Files.writeString(directory.resolve("old.xml"), old);
    var result = new Shell(directory).run(new CrmVerify(), "-VV", "-x", "old.xml");
    assertEquals(0, result.code());
    assertFalse(result.err().contains("legacy"), result.err());
    var detailed = new Shell(directory).run(new CrmVerify(), "-VVV", "-x", "old.xml");
    assertEquals(0, detailed.code());
    assertTrue(detailed.err().contains("notice: Support for legacy name"), detailed.err());
  }

  @Test
  void whatTheSchedulerWarnsOfIsSaidWithWhereItWasFound() throws IOException {
    Files.writeString(
        directory.resolve("lost.xml"), CIB.replace("have-quorum=\"1\"", "have-quorum=\"0\""));
    var result = new Shell(directory).run(new CrmVerify(), "-VV", "-x", "lost.xml");
    assertTrue(
        result
            .err()
            .contains(
                "(cluster_status) \twarning: Fencing and resource management disabled due to lack of"
                    + " quorum\n"),
        result.err());
  }

  @Test
  void aNewConfigurationIsForTheNewestSchemaThatOthersCanRead() throws IOException {
    Files.writeString(directory.resolve("pacemaker-3.7.rng"), "");
    Files.writeString(directory.resolve("pacemaker-3.9.rng"), "");
    var shell = new Shell(directory);
    var schema = "validate-with=\"pacemaker-%s\"";
    assertTrue(shell.run(new Cibadmin(), "--empty").out().contains(schema.formatted("3.9")));
    assertTrue(
        shell.run(new Cibadmin(), "--empty=pacemaker-2.0").out().contains(schema.formatted("2.0")));
    Files.delete(directory.resolve("pacemaker-3.7.rng"));
    Files.delete(directory.resolve("pacemaker-3.9.rng"));
    assertTrue(shell.run(new Cibadmin(), "--empty").out().contains(schema.formatted("4.0")));
  }

  @Test
  void aRuleIsCheckedOnTheDateGiven() {
    assertEquals("Rule summer is still in effect\n", rule("-c", "-r", "summer").out());
    var past = rule("-c", "-r", "summer", "-d", "2020-01-01");
    assertEquals(111, past.code());
    assertEquals("Rule summer has not yet taken effect\n", past.out());
    var gone = rule("-c", "-r", "summer", "-d", "2030-01-01");
    assertEquals(110, gone.code());
    assertFalse(gone.out().isEmpty());
    assertEquals(105, rule("-c", "-r", "winter").code());
    assertEquals(64, rule().code());
  }

  @Test
  void crmSimulateInPlaceWritesToTheFileItsEnvironmentNames() throws IOException {
    for (var named : java.util.List.of("file.xml", "shadow.try")) {
      Files.writeString(directory.resolve(named), CIB);
      var shell =
          named.startsWith("shadow")
              ? new Shell(directory)
                  .set("CIB_shadow", "try")
                  .set("CIB_shadow_dir", directory.toString())
              : new Shell(directory).set("CIB_file", directory.resolve(named).toString());

      var done = shell.run(new CrmSimulate(), "-L", "--in-place");

      assertEquals(0, done.code(), done.out());
      assertTrue(Files.readString(directory.resolve(named)).contains("web_start_0"), named);
    }
  }
}
