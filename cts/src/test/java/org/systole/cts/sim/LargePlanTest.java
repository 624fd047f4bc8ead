package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// A resource whose parameters are very long: every action of it has them,
/// and all of these together are many times as long as a message may be.
final class LargePlanTest {
  private static final int LENGTH = 7 << 20;

  @Test
  void aResourceWithTheLongestParametersIsStartedInAClusterOfSeven() throws Exception {
    var cluster = RealDaemons.cluster(3, 7);
    var cib = XmlWriter.compact(SimCibs.standard(7, Map.of()));
    cluster.loadCib(
        XmlReader.parse(
            cib.replaceFirst(
                "<primitive id=\"a\"([^>]*)>",
                "<primitive id=\"a\"$1><instance_attributes id=\"a-params\"><nvpair id=\"a-long\""
                    + " name=\"long\" value=\""
                    + "x".repeat(LENGTH)
                    + "\"/></instance_attributes>")));
    cluster.powerOnAll();

    assertTrue(cluster.settle(Duration.ofMinutes(5)), () -> "not settled: " + cluster.unsettled());

    assertEquals(1, cluster.resourceOn("a").size());
    assertEquals(List.of(), cluster.failures());
    assertTrue(cluster.trace().lines().stream().noneMatch(it -> it.contains("gives no plan")));
  }
}
