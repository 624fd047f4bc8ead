package org.systole.tools.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.values.NodeName;
import org.systole.common.xml.XmlReader;
import org.systole.hostha.cib.HostSetup;
import org.systole.hostha.cib.SetupReader;
import org.systole.hostha.config.Setting;
import org.systole.tools.cib.CrmVerify;
import org.systole.tools.cli.Shell;

final class CrmHosthaTest {
  private static final String SCRIPT =
      """
      # n1 is switched off by hand
      host n1..n3
      set ha.enabled true
      set ha.health.check.interval 100
      run 30s
      power n1 off
      health n1 failed no answer
      run 1m
      show n1
      expect n1 INELIGIBLE
      """;

  @TempDir private Path directory;

  @BeforeEach
  void script() throws IOException {
    Files.writeString(directory.resolve("script"), SCRIPT);
  }

  @Test
  void aScriptIsRun() {
    var ran = new Shell(directory).run(new CrmHostha(), "--replay", "script");

    assertEquals(
        """
             0.000  n1: DISABLED -> AVAILABLE (Enabled): host HA is on
             0.000  n2: DISABLED -> AVAILABLE (Enabled): host HA is on
             0.000  n3: DISABLED -> AVAILABLE (Enabled): host HA is on
            60.000  n1: AVAILABLE -> INELIGIBLE (PowerOffConfirmed): its power is off
            60.000  event: Resource n1 is not eligible for HA operations any more: its power is off.
            90.000  n1: INELIGIBLE since 60.000 s (its power is off), power OFF, recoveries 0
        """,
        ran.out());
    assertEquals(0, ran.code());
  }

  @Test
  void inXmlEverythingHasItsAttribute() {
    var ran = new Shell(directory).run(new CrmHostha(), "-r", "script", "--output-as=xml");

    assertTrue(
        ran.out()
            .contains(
                "<transition time=\"60.000\" host=\"n1\" from=\"AVAILABLE\" to=\"INELIGIBLE\""
                    + " event=\"PowerOffConfirmed\" reason=\"its power is off\"/>"),
        ran.out());
    assertTrue(ran.out().contains("<status code=\"0\" message=\"OK\"/>"), ran.out());
  }

  @Test
  void jsonIsTheSame() {
    var ran = new Shell(directory).run(new CrmHostha(), "-r", "script", "--output-as=json");

    assertTrue(ran.out().contains("\"event\": \"PowerOffConfirmed\""), ran.out());
  }

  @Test
  void checksAreShownOnDemand() {
    var shell = new Shell(directory);

    assertTrue(shell.run(new CrmHostha(), "-V", "-r", "script").out().contains("health check"));
  }

  @Test
  void anExpectationThatIsNotMetIsAnError() throws IOException {
    Files.writeString(directory.resolve("script"), SCRIPT + "expect n1 FENCED\n");

    var ran = new Shell(directory).run(new CrmHostha(), "--replay", "script");

    assertEquals(1, ran.code());
    assertTrue(ran.out().contains("UNEXPECTED: line 11: n1 is INELIGIBLE, not FENCED"), ran.out());
    assertEquals("crm_hostha: script: 1 expectations are not met\n", ran.err());
  }

  @Test
  void aScriptThatCannotBeUnderstoodIsRefused() throws IOException {
    Files.writeString(directory.resolve("script"), "host n1\njump\n");

    var ran = new Shell(directory).run(new CrmHostha(), "--replay", "script");

    assertEquals(65, ran.code());
    assertEquals("crm_hostha: script: line 2: 'jump' is not known\n", ran.err());
  }

  @Test
  void oneHostIsAskedForAtATime() {
    var ran = new Shell(directory).run(new CrmHostha(), "--check=n1", "--check=n2");

    assertEquals(64, ran.code());
    assertEquals(
        "crm_hostha: --check is given several times, and takes one value: the last would count alone\n", ran.err());
  }

  @Test
  void aScriptThatIsNotThereIsSaidToBeMissing() {
    var ran = new Shell(directory).run(new CrmHostha(), "--replay", "other");

    assertEquals(66, ran.code());
    assertEquals("crm_hostha: the script other cannot be read: there is no such file\n", ran.err());
    assertEquals(
        "crm_hostha: the script . cannot be read: it is a directory\n",
        new Shell(directory).run(new CrmHostha(), "--replay", ".").err());
  }

  private static final String CIB =
      """
      <cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0">
        <configuration><crm_config/>
          <nodes>
            <node id="h1" uname="h1" type="remote"><instance_attributes id="n1">
              <nvpair id="n1z" name="zone" value="east"/></instance_attributes></node>
          </nodes>
          <resources>
            <primitive id="f" class="stonith" type="fence_x"/>
            <primitive id="h1" class="ocf" provider="pacemaker" type="remote"/>
            <primitive id="h2" class="ocf" provider="pacemaker" type="remote"/>
          </resources><constraints/>
        </configuration><status/>
      </cib>
      """;

  private Shell onFile() throws IOException {
    var file = directory.resolve("cib.xml");
    if (!Files.exists(file)) {
      Files.writeString(file, CIB);
    }
    return new Shell(directory).set("CIB_file", file.toString());
  }

  private HostSetup setup() throws Exception {
    return SetupReader.read(XmlReader.parse(Files.readString(directory.resolve("cib.xml"))));
  }

  @Test
  void settingsAreForTheClusterAZoneOrAHost() throws Exception {
    assertEquals(0, onFile().run(new CrmHostha(), "--enable").code());
    assertEquals(
        0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=90", "-f", "zone=east").code());
    assertEquals(0, onFile().run(new CrmHostha(), "--disable", "--for", "h2").code());

    var all = setup();
    assertEquals(List.of(), all.faults());
    var h1 = all.configuration().hosts().get(new NodeName("h1"));
    var h2 = all.configuration().hosts().get(new NodeName("h2"));
    assertNotNull(h1);
    assertNotNull(h2);
    assertTrue(all.configuration().valuesOf(h1).is(Setting.ENABLED));
    assertEquals(90_000, all.configuration().valuesOf(h1).ms(Setting.FENCE_TIMEOUT));
    assertFalse(all.configuration().valuesOf(h2).is(Setting.ENABLED));

    assertEquals(
        0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=", "-f", "zone=east").code());
    assertEquals(60_000, setup().configuration().values().ms(Setting.FENCE_TIMEOUT));
  }

  @Test
  void whatIsInForceIsListedForTheClusterAndItsParts() throws Exception {
    onFile().run(new CrmHostha(), "--enable");
    onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=90", "-f", "zone=east");
    onFile().run(new CrmHostha(), "--disable", "--for", "h2");
    onFile().run(new CrmHostha(), "-c", "ha.param.mounted=false");
    onFile().run(new CrmHostha(), "-c", "ha.param.files=east/%h", "-f", "zone=east");
    onFile().run(new CrmHostha(), "-c", "ha.param.files=mine", "-f", "h1");

    var listed = onFile().run(new CrmHostha(), "--list-configuration").out();
    assertEquals(
        """
        the cluster:
          ha.enabled=true
          ha.provider=generic
          ha.param.mounted=false
        zone=east:
          ha.enabled=true
          ha.provider=generic
          kvm.ha.fence.timeout=90
          ha.param.files=east/%h
          ha.param.mounted=false
        h1:
          ha.enabled=true
          ha.provider=generic
          kvm.ha.fence.timeout=90
          ha.param.files=mine
          ha.param.mounted=false
        h2:
          ha.enabled=false
          ha.provider=generic
          ha.param.mounted=false
        """,
        listed.substring(listed.indexOf("the cluster:")));
    var one = onFile().run(new CrmHostha(), "--list-configuration", "--for", "h1", "--output-as=xml").out();
    assertTrue(one.contains("<configuration place=\"h1\">"), one);
    assertTrue(one.contains("<in-force name=\"kvm.ha.fence.timeout\" value=\"90\"/>"), one);
    var none = onFile().run(new CrmHostha(), "--list-configuration", "--for", "zone=eats");
    assertEquals("crm_hostha: there is no host, zone or partition zone=eats (is zone=east meant?)\n", none.err());
    assertEquals(105, none.code());
  }

  @Test
  void aSettingThatIsThereIsChangedWhateverItsId() throws Exception {
    var file = directory.resolve("cib.xml");
    Files.writeString(
        file,
        CIB.replace(
            "<crm_config/>",
            "<crm_config><cluster_property_set id=\"host-ha\"><nvpair id=\"mine\" name=\"ha.enabled\""
                + " value=\"true\"/></cluster_property_set></crm_config>"));

    assertEquals(0, onFile().run(new CrmHostha(), "--disable").code());

    var text = Files.readString(file);
    assertTrue(text.contains("<nvpair id=\"mine\" name=\"ha.enabled\" value=\"false\"/>"), text);
    assertEquals(2, text.split("ha.enabled", -1).length, text);
  }

  private String cib() throws IOException {
    return Files.readString(directory.resolve("cib.xml"));
  }

  @Test
  void placesThatAreSpeltAlikeAreNotTakenForEachOther() throws Exception {
    onFile();
    Files.writeString(
        directory.resolve("cib.xml"),
        CIB.replace("id=\"h2\"", "id=\"pod-1\"")
            .replace("value=\"east\"/>", "value=\"east\"/><nvpair id=\"n1p\" name=\"pod\" value=\"1\"/>"));

    assertEquals(0, onFile().run(new CrmHostha(), "--enable").code());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=90", "-f", "pod=1").code());
    assertEquals(0, onFile().run(new CrmHostha(), "--disable", "-f", "pod-1").code());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=80", "-f", "pod-1").code());

    var all = setup();
    assertEquals(List.of(), all.faults());
    var h1 = all.configuration().hosts().get(new NodeName("h1"));
    var alike = all.configuration().hosts().get(new NodeName("pod-1"));
    assertNotNull(h1);
    assertNotNull(alike);
    assertTrue(all.configuration().valuesOf(h1).is(Setting.ENABLED));
    assertEquals(90_000, all.configuration().valuesOf(h1).ms(Setting.FENCE_TIMEOUT));
    assertFalse(all.configuration().valuesOf(alike).is(Setting.ENABLED));
    assertEquals(80_000, all.configuration().valuesOf(alike).ms(Setting.FENCE_TIMEOUT));
    assertEquals(3, cib().split("<cluster_property_set", -1).length - 1, cib());
  }

  @Test
  void aSetIsKnownByItsRule() throws Exception {
    var other =
        """
        <crm_config>
          <cluster_property_set id="cib-bootstrap-options"><nvpair id="c1" name="ha.enabled" value="true"/></cluster_property_set>
          <cluster_property_set id="mine"><rule id="mr" score="INFINITY">
            <expression id="me" attribute="zone" operation="eq" value="east"/></rule>
            <nvpair id="m1" name="kvm.ha.fence.timeout" value="70"/></cluster_property_set>
          <cluster_property_set id="host-ha-zone-east"><rule id="or" score="INFINITY">
            <expression id="oe" attribute="#uname" operation="eq" value="h2"/></rule></cluster_property_set>
        </crm_config>
        """;
    Files.writeString(directory.resolve("cib.xml"), CIB.replace("<crm_config/>", other));

    assertEquals(0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=90", "-f", "zone=east").code());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "ha.maintenance=true", "-f", "zone=east").code());
    assertEquals(0, onFile().run(new CrmHostha(), "--disable").code());

    assertTrue(cib().contains("id=\"m1\" name=\"kvm.ha.fence.timeout\" value=\"90\""), cib());
    assertTrue(cib().contains("<cluster_property_set id=\"host-ha-zone-east.2\">"), cib());
    assertTrue(cib().contains("id=\"c1\" name=\"ha.enabled\" value=\"false\""), cib());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "kvm.ha.fence.timeout=", "-f", "zone=east").code());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "ha.maintenance=", "-f", "zone=east").code());
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "ha.maintenance=", "-f", "zone=east").code());
    assertFalse(cib().contains("ha.maintenance"), cib());
    assertFalse(cib().contains("kvm.ha.fence.timeout"), cib());
    assertFalse(cib().contains("host-ha-zone-east.2"), "it made that set, and nothing is left in it");
    assertTrue(cib().contains("<cluster_property_set id=\"mine\">"), "what is not its own stays");
    assertEquals(0, onFile().run(new CrmHostha(), "-c", "ha.maintenance=", "-f", "h2").code());
    assertFalse(cib().contains("host-ha-zone-east"), "an empty one that an earlier build left goes, too");
  }

  @Test
  void whatCanHardlyBeMeantIsTold() throws Exception {
    var ran = onFile().run(new CrmHostha(), "-c", "ha.volumes=/srv", "--for", "hh1");

    assertEquals(0, ran.code());
    assertTrue(
        ran.err().contains("It is set, but: host-ha-hh1: there is no host hh1 ("),
        ran.err());
    assertTrue(ran.err().contains("crm_hostha --configure NAME= --for hh1 takes away"), ran.err());
    var after = onFile().run(new CrmHostha(), "-c", "ha.volumes=/srv");
    assertTrue(after.err().contains("As before: host-ha-hh1: there is no host hh1 ("), after.err());
    assertFalse(after.err().contains("It is set, but: host-ha-hh1"), after.err());
    var all = onFile().run(new CrmHostha(), "--list-configuration");
    assertTrue(all.out().contains("warning: host-ha-hh1: there is no host hh1 ("), all.out());
    assertEquals(64, onFile().run(new CrmHostha(), "--list-settings", "--for", "h1").code());
    for (var nowhere : List.of("", " ", "zone=")) {
      assertEquals(64, onFile().run(new CrmHostha(), "--disable", "--for", nowhere).code(), nowhere);
    }
    var stray = onFile().run(new CrmHostha(), "--list-settings", "h1");
    assertEquals("crm_hostha: 'h1' belongs to no option; --help lists them\n", stray.err());
  }

  @Test
  void aSettingThatMakesNoSenseIsRefusedAndChangesNothing() throws Exception {
    onFile();

    var ran = onFile().run(new CrmHostha(), "-c", "kvm.ha.activity.check.failure.ratio=2");

    assertEquals(78, ran.code());
    assertTrue(ran.err().contains("takes a share from 0 to 1, not '2'"), ran.err());
    assertEquals(CIB, Files.readString(directory.resolve("cib.xml")));
    assertEquals(64, onFile().run(new CrmHostha(), "-c", "batch-limit=2").code());
  }

  @Test
  void aProviderInsideAnotherOnesPartitionIsRefused() throws Exception {
    var file = directory.resolve("cib.xml");
    Files.writeString(
        file,
        CIB.replace(
            "value=\"east\"/>",
            "value=\"east\"/><nvpair id=\"n1p\" name=\"pod\" value=\"p1\"/>"));
    assertEquals(
        0, onFile().run(new CrmHostha(), "-c", "ha.provider=kvm", "-f", "zone=east").code());
    var before = Files.readString(file);

    var ran = onFile().run(new CrmHostha(), "-c", "ha.provider=generic", "-f", "pod=p1");

    assertEquals(78, ran.code());
    assertTrue(ran.err().contains("pod=p1 has a provider, and so has zone=east"), ran.err());
    assertEquals(before, Files.readString(file));
  }

  @Test
  void verifyNamesWhatMakesNoSense() throws IOException {
    Files.writeString(
        directory.resolve("bad.xml"),
        CIB.replace(
            "<crm_config/>",
            "<crm_config><cluster_property_set id=\"a\"><nvpair id=\"a1\" name=\"ha.enabeld\""
                + " value=\"true\"/></cluster_property_set></crm_config>"));

    var ran = new Shell(directory).run(new CrmVerify(), "-V", "-x", "bad.xml");

    assertEquals(78, ran.code());
    assertTrue(
        (ran.out() + ran.err()).contains("Host HA: a (for the whole cluster): there is no setting ha.enabeld"),
        ran.out() + ran.err());
  }

  @Test
  void verifyTellsOfAWrongValueWhereItIsAndWhatIsAllowed() throws IOException {
    Files.writeString(
        directory.resolve("bad.xml"),
        CIB.replace(
            "<crm_config/>",
            """
            <crm_config><cluster_property_set id="a"><rule id="ar" score="INFINITY">
              <expression id="ae" attribute="#uname" operation="eq" value="h1"/></rule>
              <nvpair id="a1" name="kvm.ha.fence.timeout" value="soon"/></cluster_property_set></crm_config>
            """));

    var ran = new Shell(directory).run(new CrmVerify(), "-x", "bad.xml");

    assertEquals(78, ran.code());
    assertEquals(
        """
        error: Host HA: a (for host h1): kvm.ha.fence.timeout takes seconds, above 0, not 'soon'
        Configuration invalid (-V may provide more detail)
        """,
        ran.err());
    assertEquals("", new Shell(directory).run(new CrmVerify(), "-q", "-x", "bad.xml").err());
    var whole = new Shell(directory).run(new CrmVerify(), "-V", "-x", "bad.xml");
    assertFalse(whole.err().contains("schema"), whole.err());
  }

  @Test
  void whatIsDangerousNeedsForce() {
    var ran = new Shell(directory).run(new CrmHostha(), "--fence", "h1");

    assertEquals(64, ran.code());
    assertTrue(ran.err().contains("needs --force: nothing was done"), ran.err());
  }

  /// One line, what may have been meant, and the exit code of a command line that cannot be meant.
  @Test
  void whatIsMistypedIsToldInOneLineWithWhatMayBeMeant() throws Exception {
    onFile();
    var shell = onFile();
    var told =
        new String[][] {
          {"crm_hostha: Unknown option --lst (is --list meant?): crm_hostha --help shows all", "--lst"},
          {"crm_hostha: 'lisst' belongs to no option (is --list meant?); --help lists them", "lisst"},
          {"crm_hostha: 'recover' belongs to no option (is --recover meant?); --help lists them", "recover", "h1"},
          {"crm_hostha: 'nonsense' belongs to no option; --help lists them", "nonsense"},
          {"crm_hostha: Missing argument for --show: crm_hostha --help shows what it takes", "--show"},
          {"crm_hostha: there is no output format 'jsn': it is one of text, xml, json, none", "-l", "--output-as=jsn"},
          {
            "crm_hostha: ha.enabeld is no setting of host HA (is ha.enabled meant?): crm_hostha --list-settings shows all",
            "--configure", "ha.enabeld=true"
          },
          {
            "crm_hostha: kvm.ha.fence.timout is no setting of host HA (is kvm.ha.fence.timeout meant?): crm_hostha --list-settings shows all",
            "-c", "kvm.ha.fence.timout=3"
          },
          {"crm_hostha: ha.param. is no setting of host HA: crm_hostha --list-settings shows all", "-c", "ha.param.=3"},
        };
    for (var one : told) {
      var ran = shell.run(new CrmHostha(), Arrays.copyOfRange(one, 1, one.length));
      assertEquals(one[0] + "\n", ran.err());
      assertEquals(64, ran.code(), one[0]);
      assertEquals("", ran.out());
    }
    assertEquals(CIB, cib());
    assertEquals(0, shell.run(new CrmHostha(), "-c", "ha.enabeld=").code(), "what is there by mistake can be unset");
    assertTrue(
        shell.run(new CrmHostha(), "-c", "ha.volumes=/srv", "--for", "h22").err().contains("(is h2 meant?)"),
        "a place where no host is");
  }

  @Test
  void withoutAModeNothingIsDone() {
    assertEquals(64, new Shell(directory).run(new CrmHostha()).code());
    assertEquals(64, new Shell(directory).run(new CrmHostha(), "-s", "-t").code());
  }

  @Test
  void settingsAndTransitionsAreListed() {
    var shell = new Shell(directory);

    var settings = shell.run(new CrmHostha(), "--list-settings").out();
    var transitions = shell.run(new CrmHostha(), "--list-transitions").out();
    var all = shell.run(new CrmHostha(), "--list-transitions", "-V").out();

    assertTrue(settings.contains("kvm.ha.recover.wait.period=600 (seconds, above 0; for a host at most)"));
    assertTrue(transitions.contains("FENCING     Fenced"), transitions);
    assertEquals(280, all.lines().count());
  }
}
