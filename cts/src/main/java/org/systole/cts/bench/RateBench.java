package org.systole.cts.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.systole.attrd.client.AttrConnection;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.common.cib.CibOp;
import org.systole.common.xml.Element;

/// Changes per second on a cluster of three nodes with ten Dummies, over connections that stay
/// open, on the DC: each connection sends the next change when the last one is acknowledged.
final class RateBench {
  private static final int RESOURCES = 10;
  private static final int WRITES = 1500;
  private static final int WRITES_EACH = 600;
  private static final int CONNECTIONS = 8;
  private static final int UPDATES = 20_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Bench bench;

  RateBench(Bench bench) {
    this.bench = bench;
  }

  void measureWrites() throws IOException {
    measureWrites(Bench.DISK, Figure.WRITES_1, Figure.WRITES_8);
    measureWrites(Bench.MEMORY, Figure.WRITES_1_MEMORY, Figure.WRITES_8_MEMORY);
  }

  private void measureWrites(Path parent, Figure one, Figure eight) throws IOException {
    bench.with(
        parent,
        Configurations.cib(RESOURCES, 10, false),
        cluster -> {
          cluster.start();
          cluster.settle(RESOURCES, 5);
          var dc = cluster.dc();
          for (var run = 0; run <= bench.runs(); run++) {
            var alone = rate(1, WRITES, worker -> writes(dc, worker, WRITES));
            Waiting.seconds(1);
            var together =
                rate(CONNECTIONS, WRITES_EACH, worker -> writes(dc, worker, WRITES_EACH));
            Waiting.seconds(1);
            if (run == 0) {
              bench.report().progress("CIB changes, first: %.0f and %.0f /s", alone, together);
            } else {
              bench.report().sample(one, alone);
              bench.report().sample(eight, together);
            }
          }
        });
  }

  void measureAttributes() throws IOException {
    bench.with(
        Bench.DISK,
        Configurations.cib(RESOURCES, 10, false),
        cluster -> {
          cluster.start();
          cluster.settle(RESOURCES, 5);
          var dc = cluster.dc();
          for (var run = 0; run <= bench.runs(); run++) {
            var rate = rate(1, UPDATES, _ -> updates(dc));
            Waiting.seconds(2);
            if (run == 0) {
              bench.report().progress("attribute updates, first: %.0f /s", rate);
            } else {
              bench.report().sample(Figure.ATTRIBUTES, rate);
            }
          }
        });
  }

  private interface Work {
    void run(int worker) throws IOException, CibException;
  }

  private static double rate(int workers, int each, Work work) throws IOException {
    var begun = System.nanoTime();
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      var tasks = new ArrayList<Callable<Void>>();
      for (var worker = 0; worker < workers; worker++) {
        var number = worker;
        tasks.add(
            () -> {
              work.run(number);
              return null;
            });
      }
      for (var done : threads.invokeAll(tasks)) {
        done.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a client failed: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return workers * each / ((System.nanoTime() - begun) / 1e9);
  }

  private static void writes(BenchNode node, int worker, int count)
      throws IOException, CibException {
    var name = "bench-" + worker;
    try (var cib = CibConnection.open(node.layout(), "bench", TIMEOUT)) {
      for (var at = 0; at < count; at++) {
        var value = Integer.toString(at % 7919) + "." + System.nanoTime();
        var set =
            Element.of("cluster_property_set", "id", name)
                .withChildren(
                    List.of(Element.of("nvpair", "id", name + "-v", "name", name, "value", value)));
        var answer = cib.update(List.of(CibOp.put("crm_config", set)), false, "");
        if (!answer.rc().isOk()) {
          throw new IOException("a change was refused: " + answer.rc() + " " + answer.why());
        }
      }
    }
  }

  private static void updates(BenchNode node) throws IOException {
    try (var attributes = AttrConnection.open(node.layout(), TIMEOUT)) {
      for (var at = 0; at < UPDATES; at++) {
        var done = attributes.update(AttrUpdates.set("bench", null, Integer.toString(at)));
        if (done.outcome() != AttrMessage.Outcome.OK) {
          throw new IOException("an update was refused: " + done.why());
        }
      }
    }
  }
}
