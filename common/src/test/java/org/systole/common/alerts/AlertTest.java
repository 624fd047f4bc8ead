package org.systole.common.alerts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.world.TestWorld;
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
  void aProgramThatFailsIsInTheLog() throws XmlException {
    var world = new TestWorld();
    var alerts = new Alerts(world, Map.of());
    alerts.configure(
        XmlReader.parse(
            "<cib><configuration><alerts><alert id=\"a\" path=\"/x/alert.sh\"/></alerts></configuration></cib>"));
    alerts.node(new NodeName("n1"), new NodeId(1), "member");
    world.programs().all().getFirst().exits(3, "");
    world.settle();
    assertTrue(world.logged("Alert a (/x/alert.sh) ended with 3"), () -> "" + world.lines());
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

  /// What `date` of the coreutils prints, which has its formats from the C library.
  @Test
  void allConversionsOfTheCLibraryAreKnown() {
    var format =
        "%a|%A|%b|%B|%c|%C|%d|%D|%e|%F|%g|%G|%h|%H|%I|%j|%k|%l|%m|%M|%n|%p|%P|%r|%R|"
            + "%s|%S|%t|%T|%u|%U|%V|%w|%W|%x|%X|%y|%Y|%z|%%|%-d|%_d|%4d|%^a|%#p|%10A|%06S|%Ey|%Od|%_H|%-j";
    var zone = ZoneOffset.ofHours(1);
    assertEquals(
        "Fri|Friday|Jan|January|Fri Jan  2 01:04:05 2026|20|02|01/02/26| 2|2026-01-02"
            + "|26|2026|Jan|01|01|002| 1| 1|01|04|\n|AM|am|01:04:05 AM|01:04|1767312245|05|\t|01:04:05|5|00|01|5|00|01/02/26|01:04:05|26|2026|+0100|%|2| 2|0002|FRI|am|    Friday|000005|26|02| 1|2",
        TimeFormat.format(format, Instant.ofEpochSecond(1767312245L).atZone(zone)));
    assertEquals(
        "Mon|Monday|Dec|December|Mon Dec 30 23:59:59 2024|20|30|12/30/24|30|2024-12-30"
            + "|25|2025|Dec|23|11|365|23|11|12|59|\n|PM|pm|11:59:59 PM|23:59|1735599599|59|\t|23:59:59|1|52|01|1|53|12/30/24|23:59:59|24|2024|+0100|%|30|30|0030|MON|pm|    Monday|000059|24|30|23|365",
        TimeFormat.format(format, Instant.ofEpochSecond(1735599599L).atZone(zone)));
    assertEquals(
        "Sat|Saturday|Dec|December|Sat Dec 31 23:59:59 2022|20|31|12/31/22|31|2022-12-31"
            + "|22|2022|Dec|23|11|365|23|11|12|59|\n|PM|pm|11:59:59 PM|23:59|1672527599|59|\t|23:59:59|6|52|52|6|52|12/31/22|23:59:59|22|2022|+0100|%|31|31|0031|SAT|pm|  Saturday|000059|22|31|23|365",
        TimeFormat.format(format, Instant.ofEpochSecond(1672527599L).atZone(zone)));
    assertEquals(
        "Mon|Monday|Jul|July|Mon Jul  1 13:00:00 2024|20|01|07/01/24| 1|2024-07-01"
            + "|24|2024|Jul|13|01|183|13| 1|07|00|\n|PM|pm|01:00:00 PM|13:00|1719835200|00|\t|13:00:00|1|26|27|1|27|07/01/24|13:00:00|24|2024|+0100|%|1| 1|0001|MON|pm|    Monday|000000|24|01|13|183",
        TimeFormat.format(format, Instant.ofEpochSecond(1719835200L).atZone(zone)));
  }

  @Test
  void whatIsNoConversionStaysAsItIsWritten() {
    var time = ZonedDateTime.of(2026, 1, 2, 3, 4, 5, 0, ZoneOffset.UTC);
    assertEquals("%", TimeFormat.format("%", time));
    assertEquals("%-", TimeFormat.format("%-", time));
    assertEquals("%5 at 03", TimeFormat.format("%5 at %H", time));
    assertEquals(100, TimeFormat.format("%999999999999d", time).length());
  }

  @Test
  void aRuleAboutTheTimeHoldsAsItDoesWhenSomethingHappens() throws XmlException {
    var world = new TestWorld();
    var alerts = new Alerts(world, Map.of());
    alerts.configure(
        XmlReader.parse(
            """
            <cib><configuration><alerts><alert id="a" path="/x"><meta_attributes id="m">
            <rule id="r"><date_expression id="d" operation="gt" start="2023-11-14T22:15:00Z"/></rule>
            <nvpair id="n" name="enabled" value="false"/></meta_attributes></alert></alerts></configuration></cib>
            """));
    alerts.node(new NodeName("node2"), new NodeId(2), "lost");
    assertEquals(1, world.programs().all().size());
    world.pass(Duration.ofMinutes(3));
    alerts.node(new NodeName("node2"), new NodeId(2), "member");
    assertEquals(1, world.programs().all().size());
  }
}
