package org.systole.schedulerd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;
import org.systole.scheduler.Scheduler;

/// What the scheduler rehearses with.
class WarmUpTest {
  @Test
  void theMadeUpClusterMakesItPlanARecoveryAndStarts() throws Exception {
    var cib = XmlReader.parse(WarmUp.cib());
    var plan = Scheduler.run(cib, Instant.ofEpochSecond(1_000_000_100), ZoneId.of("UTC"), Set.of());
    var graph = XmlWriter.compact(plan.graph().toXml());
    for (var key : new String[] {"p0_stop_0", "p0_start_0", "g0_start_0", "c0:0_start_0"}) {
      assertTrue(graph.contains("operation_key=\"" + key + "\""), key + " in " + graph);
    }
    assertEquals(-1, graph.indexOf("stonith"));
  }
}
