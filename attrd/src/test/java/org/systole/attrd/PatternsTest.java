package org.systole.attrd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.ExtendedRegex;
import org.systole.common.values.ResourceId;

class PatternsTest {
  private static final List<String> NAMES =
      List.of(
          "fail-count-a.b#start_0",
          "last-failure-a.b#monitor_10000",
          "fail-count-axb#start_0",
          "fail-count-a.b",
          "my-fail-count-a.b#start_0");

  private static List<String> found(String resource, String operation, long intervalMillis) {
    var cleared =
        new AttrMessage.ClearFailures(ResourceId.of(resource), operation, intervalMillis, null);
    var pattern = ExtendedRegex.compile(Patterns.failures(cleared));
    assertNotNull(pattern);
    return NAMES.stream().filter(pattern::isIn).toList();
  }

  @Test
  void failuresOfAllResourcesAreAllThatBeginLikeOne() {
    assertEquals(NAMES.subList(0, 4), found("", "", 0));
  }

  @Test
  void aResourcesNameIsNoPattern() {
    assertEquals(NAMES.subList(0, 2), found("a.b", "", 0));
  }

  @Test
  void anOperationsFailuresAreThoseOfItsIntervalToo() {
    assertEquals(NAMES.subList(1, 2), found("a.b", "monitor", 10_000));
    assertEquals(List.of(), found("a.b", "monitor", 0));
  }
}
