package org.systole.tools.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

final class CrmHosthaTest {
  private static final String SCRIPT =
      """
      # n1 is switched off by hand
      host n1..n3
      set ha.enabled true
      run 30s
      power n1 off
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
    assertTrue(ran.out().contains("UNEXPECTED: line 9: n1 is INELIGIBLE, not FENCED"), ran.out());
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
  void aScriptThatIsNotThereIsSaidToBeMissing() {
    var ran = new Shell(directory).run(new CrmHostha(), "--replay", "other");

    assertEquals(66, ran.code());
    assertEquals("crm_hostha: the script other cannot be read\n", ran.err());
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
    assertEquals(270, all.lines().count());
  }
}
