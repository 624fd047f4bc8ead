package org.systole.cts.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;

final class SavedInputsTest {
  private static SimCluster settled(Map<String, String> options) {
    var cluster = RealDaemons.cluster(7, 3);
    cluster.loadCib(SimCibs.standard(3, options));
    cluster.powerOnAll();
    assertTrue(cluster.settle(Duration.ofMinutes(3)), () -> cluster.unsettled().toString());
    return cluster;
  }

  private static SimNode dc(SimCluster cluster) {
    return cluster.nodes().stream().filter(SimNode::isDc).findFirst().orElseThrow();
  }

  private static Element read(byte[] compressed) throws Exception {
    try (var in = new BZip2CompressorInputStream(new ByteArrayInputStream(compressed))) {
      return XmlReader.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError("not a complete bzip2 file", e);
    }
  }

  @Test
  void theDcKeepsWhatItPlannedFrom() throws Exception {
    var dc = dc(settled(Map.of()));

    var input = dc.file("schedulerd", "pe-input-0.bz2");

    assertNotNull(input);
    var cib = read(input);
    assertEquals("cib", cib.name());
    var date = Long.parseLong(cib.get("execution-date", "0"));
    assertTrue(date > 1_000_000_000, () -> "decided at " + date);
    assertNotNull(dc.file("schedulerd", "pe-input.last"));
  }

  @Test
  void aSeriesOfTwoIsARingOfTwo() throws Exception {
    var dc = dc(settled(Map.of("pe-input-series-max", "2")));

    for (var file : new String[] {"pe-input-0.bz2", "pe-input-1.bz2"}) {
      var input = dc.file("schedulerd", file);
      assertNotNull(input, file);
      assertEquals("cib", read(input).name());
    }
    assertNull(dc.file("schedulerd", "pe-input-2.bz2"));
  }
}
