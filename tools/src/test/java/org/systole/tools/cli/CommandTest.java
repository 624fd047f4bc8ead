package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    assertTrue(result.err().contains("Unknown output format"), result.err());
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
