package org.systole.common.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class ClusterOptionsTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

  private static ClusterOptions read(String sets, ZoneId zone) {
    try {
      return ClusterOptions.read(
          XmlReader.parse(
              "<cib><configuration><crm_config>" + sets + "</crm_config></configuration></cib>"),
          NOON,
          zone);
    } catch (XmlException e) {
      throw new AssertionError(e);
    }
  }

  private static ClusterOptions with(String name, String value) {
    return read(
        "<cluster_property_set id='s'><nvpair id='n' name='%s' value='%s'/></cluster_property_set>"
            .formatted(name, value),
        ZoneOffset.UTC);
  }

  /// Of a section that stays the same the options are kept, but for what may change all the same.
  @Test
  void whatGoesByMoreThanTheSectionIsReadAnew() throws XmlException {
    var format =
        "<cib><configuration><crm_config><cluster_property_set id='s'>%s</cluster_property_set></crm_config>"
            + "<op_defaults><x><nvpair id='elsewhere' name='cluster-name' value='one'/></x></op_defaults>"
            + "</configuration></cib>";
    var plain = XmlReader.parse(format.formatted("<nvpair id='n' name='cluster-name' value='own'/>"));
    var one = ClusterOptions.read(plain, NOON, ZoneOffset.UTC);
    assertEquals("own", one.clusterName());
    assertSame(one, ClusterOptions.read(plain.with("epoch", "2"), NOON, ZoneOffset.UTC));

    var refers = XmlReader.parse(format.formatted("<nvpair id-ref='elsewhere'/>"));
    assertEquals("one", ClusterOptions.read(refers, NOON, ZoneOffset.UTC).clusterName());
    var configuration = refers.child(0);
    var other = Element.builder("op_defaults").add(Element.of("nvpair", "id", "elsewhere", "name", "cluster-name", "value", "two")).build();
    var now = refers.replace(0, configuration.replace(1, other));
    assertEquals("two", ClusterOptions.read(now, NOON, ZoneOffset.UTC).clusterName());

    var dated =
        XmlReader.parse(
            format.formatted(
                "<rule id='r'><date_expression id='d' operation='gt' start='2026-11-22T13:00:00Z'/></rule>"
                    + "<nvpair id='n' name='cluster-name' value='later'/>"));
    assertEquals("", ClusterOptions.read(dated, NOON, ZoneOffset.UTC).clusterName());
    assertEquals("later", ClusterOptions.read(dated, NOON.plusSeconds(7200), ZoneOffset.UTC).clusterName());
  }

  @Test
  void whatIsNotSetHasTheDefaultOfTheTable() {
    var options = ClusterOptions.DEFAULTS;

    assertEquals(Duration.ofSeconds(20), options.dcDeadtime());
    assertEquals(Duration.ofMinutes(15), options.recheckInterval());
    assertEquals(10, options.fencingMaxAttempts());
    assertEquals(0.8, options.loadThreshold());
    assertEquals("", options.clusterName());
    assertEquals(4000, options.number("pe-input-series-max"));
    assertFalse(options.freezes() || options.ignoresQuorum() || options.panicWhenFenced());
    for (var option : ClusterOptionTable.ALL) {
      var otherwise = option.defaultValue();
      assertEquals(otherwise == null ? "" : otherwise, options.get(option.name()));
      assertTrue(otherwise == null || option.accepts(otherwise), option::name);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dc-deadtime, soon, 20s",
    "dc-deadtime, PT1M, PT1M",
    "load-threshold, 50, 80%",
    "load-threshold, 50%, 50%",
    "load-threshold, 0, 80%",
    "load-threshold, -5%, 80%",
    "load-threshold, 62.5%, 62.5%",
    "load-threshold, %, %",
    "fencing-max-attempts, 0, 10",
    "fencing-max-attempts, INFINITY, INFINITY",
    "node-health-red, -INFINITY, -INFINITY",
    "node-action-limit, many, 0",
    "no-quorum-policy, FREEZE, FREEZE",
    "no-quorum-policy, melt, stop",
    "fencing-action, Off, reboot",
    "fencing-action, off, off",
    "fencing-reaction, Panic, Panic",
    "shutdown-lock, maybe, false",
    "my-own, anything, anything"
  })
  void whatIsNoValueForAnOptionLeavesItAtItsDefault(String name, String value, String inForce) {
    assertEquals(inForce, with(name, value).get(name));
  }

  @Test
  void aFormerNameCountsUnlessThePresentOneIsSet() {
    assertEquals(3, with("stonith-max-attempts", "3").fencingMaxAttempts());
    assertTrue(with("fence-reaction", "panic").panicWhenFenced());

    var both = new TreeMap<>(Map.of("stonith-timeout", "1s", "fencing-timeout", "2s"));
    var warnings = new ArrayList<String>();
    ClusterOptions.complete(both, _ -> {}, warnings::add);

    assertEquals("2s", both.get("fencing-timeout"));
    assertEquals(List.of(), warnings);
  }

  @Test
  void badValuesAndFormerNamesAreTold() {
    var values = new TreeMap<>(Map.of("stonith-timeout", "1s", "batch-limit", "many"));
    var said = new ArrayList<String>();

    ClusterOptions.complete(values, said::add, said::add);

    assertEquals(
        List.of(
            "Support for legacy name 'stonith-timeout' for cluster option 'fencing-timeout' is"
                + " deprecated and will be removed in a future release",
            "Using default value for cluster option 'batch-limit' because 'many' is invalid"),
        said);
    assertEquals("0", values.get("batch-limit"));
  }

  @Test
  void aPercentageWithoutItsSignIsToldSo() {
    var said = new ArrayList<String>();

    ClusterOptions.complete(new TreeMap<>(Map.of("load-threshold", "0")), said::add, said::add);

    assertEquals(
        List.of(
            "Using default value for cluster option 'load-threshold' because '0' is invalid: a percent sign is"
                + " missing, as in '0%'"),
        said);
    assertEquals(0.625, with("load-threshold", "62.5%").loadThreshold());
    assertEquals(0, with("load-threshold", "0%").loadThreshold());
  }

  @Test
  void theBootstrapSetComesFirstWhateverTheScoreOfOthers() {
    var options =
        read(
            "<cluster_property_set id='other' score='500'><nvpair id='o' name='dc-deadtime'"
                + " value='1s'/></cluster_property_set><cluster_property_set"
                + " id='cib-bootstrap-options'><nvpair id='b' name='dc-deadtime' value='2s'/>"
                + "</cluster_property_set>",
            ZoneOffset.UTC);

    assertEquals(Duration.ofSeconds(2), options.dcDeadtime());
  }

  /// An administrator who writes hours means those on the wall, not those of Greenwich.
  @Test
  void hoursInRulesAreThoseOfTheMachinesZone() {
    var noon =
        "<cluster_property_set id='s'><rule id='r' score='0'><date_expression id='e'"
            + " operation='date_spec'><date_spec id='d' hours='13'/></date_expression></rule>"
            + "<nvpair id='n' name='transition-delay' value='5s'/></cluster_property_set>";

    assertEquals(Duration.ZERO, read(noon, ZoneOffset.UTC).transitionDelay());
    assertEquals(Duration.ofSeconds(5), read(noon, ZoneId.of("Europe/Berlin")).transitionDelay());
  }
}
