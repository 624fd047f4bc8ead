package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cib.CrmSimulate;
import org.systole.tools.cib.Iso8601;

class CommandTest {
  @TempDir Path directory;

  private Shell.Result iso(String... args) {
    return new Shell(directory).run(new Iso8601(), args);
  }

  @Test
  void anUnknownOptionIsAUsageError() {
    var result = iso("--no-such");
    assertEquals(64, result.code());
    assertEquals("iso8601: Unknown option --no-such\n", result.err());
  }

  @Test
  void anOptionThatLacksItsValueIsAUsageError() {
    var result = iso("-n", "-D");
    assertEquals(64, result.code());
    assertTrue(result.err().contains("Missing argument for -D"), result.err());
  }

  @Test
  void shortOptionsStandTogetherAndValuesMayBeginWithADash() {
    assertEquals("Date: 2024-W24-6 00:00:00Z\n", iso("-Wd", "2024-06-15").out());
    assertEquals("Date: 2024-06-15 00:00:00Z\n", iso("-d2024-06-15").out());
    assertEquals("iso8601: Invalid duration specified: -P1M\n", iso("-D", "-P1M").err());
  }

  @Test
  void whyATimeIsNoTimeIsSaidToThoseWhoAskForTheLog() {
    var quiet = new Shell(directory).run(new Iso8601(), "-p", "2019-01-01 00:00:00Z/P");
    assertEquals("iso8601: Invalid interval specified: 2019-01-01 00:00:00Z/P\n", quiet.err());
    assertEquals(
        "parse_period: No ISO 8601 time period given", why("", new Shell(directory), "-V"));
    var shell = new Shell(directory).set("PCMK_stderr", "1");
    assertEquals(
        "parse_period: '2019-01-01' is not a valid ISO 8601 time period because it has no duration"
            + " or ending time",
        why("2019-01-01", shell));
    assertEquals(
        "parse_date: '2019-13-01/P1M' is not a valid ISO 8601 date/time specification because '13'"
            + " is not a valid month",
        why("2019-13-01/P1M", shell));
    assertEquals(
        "parse_hms: 25:00:00Z/P1M is not a valid ISO 8601 time specification because 25 is not a"
            + " valid hour",
        why("2019-10-01T25:00:00Z/P1M", shell));
    assertEquals(
        "crm_time_parse_duration: 'P' is not a valid ISO 8601 time duration because nothing follows"
            + " 'P'",
        why("2019-01-01/P", shell));
    assertEquals(
        "parse_duration_element: 'P1Z/2019-02-20' is not a valid ISO 8601 duration because 'Z' is"
            + " not a valid time unit",
        why("P1Z/2019-02-20", shell));
  }

  /// The step and the reason that the log gives for a period that is none.
  private static String why(String period, Shell shell, String... more) {
    var args = new ArrayList<>(List.of("-p", period));
    args.addAll(List.of(more));
    var said = shell.run(new Iso8601(), args.toArray(String[]::new)).err().lines().toList();
    assertEquals("iso8601: Invalid interval specified: " + period, said.getLast());
    var log = Pattern.compile("\\((.*)\\) \terror: (.*)").matcher(said.getFirst());
    assertTrue(log.matches(), said::toString);
    assertEquals(2, said.size(), said::toString);
    return log.group(1) + ": " + log.group(2);
  }

  @Test
  void theVersionIsThatOfTheInterface() {
    var result = iso("-$");
    assertEquals(0, result.code());
    assertTrue(result.out().startsWith("Pacemaker 3."), result.out());
  }

  @Test
  void xmlRepeatsTheRequestAndEndsWithTheStatus() {
    var result = iso("--output-as=xml", "-d", "2024-06-15 10:00:00Z");
    assertEquals(
        """
        <pacemaker-result api-version="2.42" request="iso8601 --output-as=xml -d '2024-06-15 10:00:00Z'">
          <date>2024-06-15 10:00:00Z</date>
          <status code="0" message="OK"/>
        </pacemaker-result>
        """,
        result.out());
  }

  @Test
  void jsonSaysTheSameAsXml() {
    var result = iso("--output-as=json", "-p", "2024-01-01/P1D");
    assertTrue(result.out().contains("\"code\": \"0\""), result.out());
    assertTrue(result.out().contains("2024-01-02 00:00:00Z"), result.out());
  }

  @Test
  void anErrorBecomesPartOfTheResultInXml() {
    var result = iso("--output-as=xml", "-d", "junk");
    assertEquals(2, result.code());
    assertEquals("", result.err());
    assertTrue(
        result.out().contains("<error>iso8601: Invalid date/time specified: junk</error>"),
        result.out());
  }

  @Test
  void anUnknownFormatIsRefused() {
    var result = iso("--output-as=pdf", "-n");
    assertEquals(1, result.code());
    assertEquals(
        "iso8601: Error creating output format pdf: Unknown output format\n", result.err());
    assertEquals(
        "Error creating output format pdf: Unknown output format\n",
        new Shell(directory).run(new CrmSimulate(), "--output-as=pdf", "-L").err(),
        "one that does not say its name of that");
  }

  @Test
  void theOutputCanGoToAFile() throws IOException {
    var result = iso("--output-to=there.txt", "-n");
    assertEquals("", result.out());
    assertEquals(
        "Current date/time: 2024-06-15 12:00:00Z\n",
        Files.readString(directory.resolve("there.txt")));
  }
}
