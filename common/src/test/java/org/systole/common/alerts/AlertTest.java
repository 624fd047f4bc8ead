package org.systole.common.alerts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class AlertTest {
  /// At 22:13 in UTC.
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  private static List<Alert> read(String alerts) throws XmlException {
    return read(alerts, ZoneOffset.UTC);
  }

  private static List<Alert> read(String alerts, ZoneId zone) throws XmlException {
    return Alert.of(
        XmlReader.parse(
            "<cib><configuration><alerts>%s</alerts></configuration></cib>".formatted(alerts)),
        NOW,
        zone);
  }

  @Test
  void datesInRulesMeanTheZoneOfTheMachine() throws XmlException {
    var atEleven =
        """
        <alert id="a" path="/x"><meta_attributes id="m"><rule id="r"><date_expression id="d" operation="date_spec">
        <date_spec id="s" hours="23"/></date_expression></rule><nvpair id="n" name="timeout" value="77s"/>
        </meta_attributes></alert>
        """;

    var inBerlin = read(atEleven, ZoneId.of("Europe/Berlin")).getFirst();
    var inUtc = read(atEleven, ZoneOffset.UTC).getFirst();

    assertEquals(Duration.ofSeconds(77), inBerlin.timeout());
    assertEquals(Duration.ofSeconds(30), inUtc.timeout());
  }

  @Test
  void everyRecipientGetsItsOwnWithItsSettingsFirst() throws XmlException {
    var alerts =
        read(
            """
            <alert id="a" path="/x/alert.sh">
              <meta_attributes id="m"><nvpair id="m1" name="timeout" value="15s"/></meta_attributes>
              <instance_attributes id="i"><nvpair id="i1" name="debug" value="no"/></instance_attributes>
              <recipient id="r1" value="ops@example.com">
                <instance_attributes id="j"><nvpair id="j1" name="debug" value="yes"/></instance_attributes>
              </recipient>
              <recipient id="r2" value="/var/log/x"/>
            </alert>
            """);

    assertEquals(
        List.of("ops@example.com", "/var/log/x"), alerts.stream().map(Alert::recipient).toList());
    assertEquals(Map.of("debug", "yes"), alerts.getFirst().variables());
    assertEquals(Duration.ofSeconds(15), alerts.getLast().timeout());
    assertEquals(
        Set.of(Alert.Kind.NODE, Alert.Kind.FENCING, Alert.Kind.RESOURCE),
        alerts.getFirst().kinds());
  }

  @Test
  void whatIsSelectedIsAllThatIsTold() throws XmlException {
    var alert =
        read("""
                <alert id="a" path="/x"><select><select_fencing/><select_attributes>
                <attribute id="s" name="load"/></select_attributes></select></alert>
                """)
            .getFirst();

    assertEquals(Set.of(Alert.Kind.FENCING, Alert.Kind.ATTRIBUTE), alert.kinds());
    assertEquals(Set.of("load"), alert.attributes());
  }

  @Test
  void aDisabledAlertIsLeftOut() throws XmlException {
    assertEquals(
        List.of(),
        read(
            """
            <alert id="a" path="/x"><meta_attributes id="m">
            <nvpair id="m1" name="enabled" value="false"/></meta_attributes></alert>
            """));
  }

  @Test
  void timesAreWrittenAsDateDoes() {
    var time = ZonedDateTime.of(2026, 1, 2, 3, 4, 5, 678_901_234, ZoneOffset.UTC);

    assertEquals("03:04:05.678901", TimeFormat.format("%H:%M:%S.%06N", time));
    assertEquals("2026-01-02 678 100%", TimeFormat.format("%F %3N 100%%", time));
    assertEquals("%Q", TimeFormat.format("%Q", time));
  }
}
