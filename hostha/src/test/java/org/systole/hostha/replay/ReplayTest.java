package org.systole.hostha.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReplayTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jump n1|line 2: 'jump' is not known",
        "health n2 failed|line 2: there is no host n2",
        "health n1 perhaps|line 2: health is ok, failed or silent",
        "health n1|line 2: 'health' needs more words",
        "fence n1 gone|line 2: fence is off, unproved, failed or silent",
        "power n1 perhaps|line 2: power is on, off, unknown or silent",
        "volume n1 disk perhaps|line 2: a volume is moving or still",
        "clock n1 beside 5s|line 2: a clock is ahead or behind",
        "run soon|line 2: 'soon' is no time; 10s is one",
        "host n9..|line 2: 'n9..' is no range; n1..n9 is one",
        "host n1..n999999|line 2: at most 20000 hosts",
        "host n5 in r1|line 2: there is no zone or partition r1",
        "partition r1 in z1|line 2: there is no zone or partition z1",
        "set kvm.ha.no.such 5|line 2: there is no setting kvm.ha.no.such: crm_hostha --list-settings shows all",
        "set kvm.ha.fence.stop_operation SOFT|line 2: kvm.ha.fence.stop_operation takes OFF or PROVIDER, not 'SOFT'",
        "set kvm.ha.fence.timeout 5 for n7|line 2: there is no zone, partition or host n7",
        "delay nothing 5s|line 2: there are no answers of kind nothing",
        "maintenance n1 perhaps|line 2: on or off",
        "expect n1 DOWN|line 2: there is no state DOWN",
        "new-dc twice|line 2: new-dc, or new-dc beside",
        "set kvm.ha.fence.timeout 5 for zone=n1|line 2: there is no zone n1",
        "expect actions frobnicate n1 0|line 2: there is no action frobnicate; there are abandon, activity,"
            + " eligibility, explain, fence, health, maintenance, power, recover, write",
        "expect at-most RECOVER 1|line 2: there is no action RECOVER; there are abandon, activity,"
            + " eligibility, explain, fence, health, maintenance, power, recover, write"
      })
  void whatCannotBeUnderstoodIsRefusedWithItsLine(String statement, String message) {
    var refused =
        assertThrows(ReplayException.class, () -> Replay.run(List.of("host n1", statement)));

    assertEquals(message, refused.getMessage());
  }

  @Test
  void whatIsNotAsExpectedIsSaid() throws ReplayException {
    var script =
        List.of(
            "host n1..n2",
            "set ha.enabled true",
            "run 1m",
            "expect n1 FENCED",
            "expect states AVAILABLE 1",
            "expect actions recover n1 1",
            "expect moved n1 AVAILABLE 2",
            "expect told never said",
            "expect at-most power 1");

    var unexpected =
        Replay.run(script).stream().filter(Entry.Unexpected.class::isInstance).toList();

    assertEquals(6, unexpected.size());
    assertEquals(
        "UNEXPECTED: line 4: n1 is AVAILABLE, not FENCED", unexpected.getFirst().describe());
  }

  @Test
  void allThatCannotBeUnderstoodIsToldAtOnce() {
    var script =
        List.of("host n1", "frobnicate", "run 1m", "expect n9 AVAILABLE", "hold n1", "expect n1 UP", "run later");

    var refused = assertThrows(ReplayException.class, () -> Replay.run(script));

    assertEquals(
        List.of(
            "line 2: 'frobnicate' is not known",
            "line 4: there is no host n9",
            "line 6: there is no state UP",
            "line 7: 'later' is no time; 10s is one"),
        String.valueOf(refused.getMessage()).lines().toList());
  }

  @Test
  void aPlaceIsNamedAsInTheCommand() throws ReplayException {
    var script =
        List.of(
            "zone east",
            "partition rack in east",
            "host n1..n2 in rack",
            "set ha.enabled true for zone=east",
            "set ha.enabled true for partition=rack",
            "set ha.enabled true for host=n1",
            "set ha.enabled true",
            "run 1m",
            "expect n1 AVAILABLE");

    assertEquals(
        List.of(), Replay.run(script).stream().filter(Entry.Unexpected.class::isInstance).toList());
  }

  @Test
  void aScriptThatWouldRunForYearsIsGivenUp() {
    var script =
        List.of(
            "host n1..n999",
            "set ha.enabled true",
            "set ha.health.check.interval 1ms",
            "run 1000h");

    var refused = assertThrows(ReplayException.class, () -> Replay.run(script));

    assertTrue(String.valueOf(refused.getMessage()).contains("too many steps"));
  }
}
