package org.systole.scheduler.corpus;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.systole.common.schema.upgrade.SchemaUpgrade;
import org.systole.common.transition.TransitionGraph;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.Scheduler;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.sim.DotGraph;

class DamagedInputTest {
  private static final long SEED = 7;
  private static final long LARGEST = 60_000;

  private final Random random = new Random(SEED);

  @Test
  void damagedConfigurationsArePlannedFor() throws Exception {
    var corpus = corpus();
    Assumptions.assumeTrue(corpus != null, "no scheduler corpus beside this project");
    var planned = 0;
    try (var files = Files.newDirectoryStream(corpus, "*.xml")) {
      for (var file : files) {
        var upgraded =
            Files.size(file) > LARGEST
                ? null
                : SchemaUpgrade.toCurrent(XmlReader.parse(Files.readString(file)));
        if (upgraded != null && upgraded.isOk()) {
          plan(file.getFileName().toString(), damage(upgraded.cib(), 0));
          planned++;
        }
      }
    }
    assertTrue(planned > 100, "only " + planned + " were planned for");
  }

  private static void plan(String name, Element cib) {
    try {
      var transition =
          Scheduler.run(
              cib,
              Instant.ofEpochSecond(1_700_000_000L),
              ZoneOffset.UTC,
              Set.of(ClusterFlag.OUTPUT_SCORES, ClusterFlag.EXPLAIN));
      assertNotNull(TransitionGraph.of(transition.graph().toXml()));
      assertTrue(DotGraph.draw(transition.cluster(), true, true).endsWith("}\n"));
    } catch (RuntimeException e) {
      throw new AssertionError(name + " with seed " + SEED, e);
    }
  }

  private static @Nullable Path corpus() {
    for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      var found = at.resolve("shared/reference/scheduler/xml");
      if (Files.isDirectory(found)) {
        return found;
      }
    }
    return null;
  }

  // Elements go missing or come twice, attributes vanish or get values they cannot have.
  private Element damage(Element element, int depth) {
    var children = new ArrayList<Element>();
    for (var child : element.children()) {
      if (depth >= 2 && random.nextInt(200) == 0) {
        continue;
      }
      children.add(damage(child, depth + 1));
      if (depth >= 3 && random.nextInt(400) == 0) {
        children.add(child);
      }
    }
    var result = element.withChildren(children);
    if (depth < 2 || element.attributeCount() == 0 || random.nextInt(120) != 0) {
      return result;
    }
    var name = element.attributeName(random.nextInt(element.attributeCount()));
    return switch (random.nextInt(3)) {
      case 0 -> result.without(name);
      case 1 -> result.with(name, "0");
      default -> result.with(name, "INFINITY");
    };
  }
}
