package org.systole.cts.lab;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.systole.cibd.client.CibConnection;
import org.systole.cibd.client.CibException;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.output.Rc;
import org.systole.common.xml.Element;
import org.systole.cts.local.LocalNode;

/// Clients on several nodes that change the CIB at once, and remember what was acknowledged: all of
/// that must be there in the end.
final class Writers implements AutoCloseable {
  private static final String SET = "lab-writes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration RETRY = Duration.ofMillis(500);

  private final List<Thread> threads = new ArrayList<>();
  private final Set<String> acknowledged = new ConcurrentSkipListSet<>();
  private final Map<String, AtomicInteger> refusals = new ConcurrentSkipListMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final AtomicInteger down = new AtomicInteger();
  private volatile boolean closed;

  /// So many clients with one change each, shared among the nodes, all at once.
  void burst(List<LocalNode> nodes, int count) {
    for (var at = 0; at < count; at++) {
      var node = nodes.get(at % nodes.size());
      start(() -> write(node));
    }
  }

  /// On each node a client that makes one change after the other until [#stop]; while its node is
  /// down it tries again.
  void steadily(List<LocalNode> nodes) {
    for (var node : nodes) {
      start(
          () -> {
            while (!closed) {
              LockSupport.parkNanos((write(node) ? PAUSE : RETRY).toNanos());
            }
          });
    }
  }

  private void start(Runnable work) {
    threads.add(Thread.ofPlatform().daemon().start(work));
  }

  private boolean write(LocalNode node) {
    var id = SET + "-" + asked.incrementAndGet();
    var change =
        Element.builder("cluster_property_set")
            .attr("id", SET)
            .add(Element.of("nvpair", "id", id, "name", id, "value", node.name()))
            .build();
    try (var cib = CibConnection.open(node.layout(), "lab", PATIENCE)) {
      var answer = cib.update(CibOp.put("crm_config", change));
      if (answer.rc().isOk()) {
        acknowledged.add(id);
        return true;
      }
      if (answer.rc() == Rc.ENOTCONN) {
        unanswered.incrementAndGet(); // the connection broke: nobody has said whether it was made
      } else {
        refused("%s: %s %s".formatted(node.name(), answer.rc(), answer.why()));
      }
    } catch (CibException e) {
      if (e.rc() == Rc.ENOTCONN) {
        down.incrementAndGet();
      } else {
        refused("%s: %s".formatted(node.name(), e.getMessage()));
      }
    }
    return false;
  }

  private void refused(String why) {
    refusals.computeIfAbsent(why, _ -> new AtomicInteger()).incrementAndGet();
  }

  int acknowledged() {
    return acknowledged.size();
  }

  /// What came of the changes. To find a CIB manager down is not to be refused by one that is there.
  String told() {
    var told = new StringBuilder("%d of %d acknowledged".formatted(acknowledged.size(), asked.get() - down.get()));
    told.append(", %d refused, %d without an answer".formatted(refusals.values().stream().mapToInt(AtomicInteger::get).sum(), unanswered.get()));
    told.append(", %d tries found the CIB manager down".formatted(down.get()));
    refusals.forEach((why, times) -> told.append("; refused %d times: %s".formatted(times.get(), why)));
    return told.toString();
  }

  boolean areDone() {
    return threads.stream().noneMatch(Thread::isAlive);
  }

  /// Every acknowledged change is in this CIB, or the run has failed. All of them are removed then.
  void verify(Lab lab) throws IOException {
    var cib = Health.await(lab).cib();
    var missing = new ArrayList<String>();
    for (var id : acknowledged) {
      if (cib.find(it -> it.is("nvpair") && id.equals(it.id())) == null) {
        missing.add(id);
      }
    }
    LabFailure.unless(missing.isEmpty(), "acknowledged, and not there: " + missing);
    Lab.succeed(
        lab.nodes().getFirst(),
        "cibadmin",
        "--delete",
        "--xpath",
        "//cluster_property_set[@id=" + CibXPath.literal(SET) + "]");
  }

  @Override
  public void close() {
    stop();
  }

  /// Makes no more changes and waits for the answers to the last ones.
  void stop() {
    closed = true;
    for (var thread : threads) {
      try {
        thread.join(PATIENCE.plusSeconds(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
