package org.systole.pacemakerd.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinkTimingTest {
  @ParameterizedTest
  @ValueSource(longs = {200, 201, 999, 1000, 3000, 10_000, 600_000})
  void theTimesFitForEveryTokenThatCanBeConfigured(long token) {
    var timing = LinkTiming.ofToken(token);
    assertEquals(Duration.ofMillis(token), timing.token());
  }

  /// The components, in their order, are those for a token of 1000 ms; one of them is changed.
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0; 999; the lease of a silent node has lapsed before others act without it",
        "1; 0; rounds take time",
        "1; 260; a claim covers the lease of who answered a round later",
        "2; 760; a claim covers the lease of who answered a round later",
        "2; 740; a lost round or two cost no lease",
        "3; 1010; the lease of a silent node has lapsed before others act without it",
        "3; 990; a claim covers the lease of who answered a round later",
        "4; 490; an attempt outlives the wait for a claim",
        "4; 510; a new membership comes before the next suspicion",
        "5; 510; a new membership comes before the next suspicion",
        "6; 260; an attempt outlives the wait for a claim",
        "7; 1240; what is merely late is not taken for lost",
        "8; 990; a node does not change sides while its vote counts",
        "9; 1490; silence is noticed, and told, by then",
        "10; 501; one lost heartbeat is no silence",
        "11; 1001; who cannot be reached is silent, not waited for",
        "13; 999; a connection is not broken before its peer counts as silent"
      })
  void timesThatDoNotFitAreRefused(int component, long millis, String why) throws Exception {
    var times = LinkTiming.class.getRecordComponents();
    var values = new Object[times.length];
    for (var at = 0; at < times.length; at++) {
      values[at] = times[at].getAccessor().invoke(LinkTiming.ofToken(1000));
    }
    values[component] = Duration.ofMillis(millis);
    var types = Stream.of(times).map(it -> it.getType()).toArray(Class<?>[]::new);
    var made = LinkTiming.class.getDeclaredConstructor(types);
    var thrown = assertThrows(ReflectiveOperationException.class, () -> made.newInstance(values));
    assertEquals(
        "the link's times do not fit: " + why,
        thrown.getCause().getMessage(),
        Arrays.toString(values));
  }

  @Test
  void aLeaseIsThreeQuartersOfTheTokenAndAClaimAllOfIt() {
    var timing = LinkTiming.ofToken(1000);
    assertEquals(Duration.ofMillis(250), timing.round());
    assertEquals(Duration.ofMillis(750), timing.lease());
    assertEquals(Duration.ofMillis(1000), timing.claim());
  }

  @Test
  void theTransportHasAtLeastASecondAndThreeForADeadConnection() {
    var timing = LinkTiming.ofToken(200);
    assertEquals(Duration.ofMillis(67), timing.heartbeat());
    assertEquals(Duration.ofMillis(200), timing.connecting());
    assertEquals(Duration.ofSeconds(1), timing.merging());
    assertEquals(Duration.ofSeconds(3), timing.connectionKept());
    assertEquals(Duration.ofSeconds(1), LinkTiming.ofToken(10_000).connecting());
    assertEquals(Duration.ofSeconds(30), LinkTiming.ofToken(10_000).connectionKept());
  }
}
