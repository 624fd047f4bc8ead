package org.systole.cts.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.systole.cibd.client.CibMessage;
import org.systole.common.wire.BlockingClient;

/// Sees in a node's CIB which resources have a successful result of an operation, and when it came.
final class HistoryWatch implements AutoCloseable {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Pattern OPERATION = Pattern.compile("<lrm_rsc_op [^>]*>");
  private static final Pattern RESOURCE = Pattern.compile(" id=\"(d[0-9]+)_last_0\"");

  private final String wanted;
  private final BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> client;
  private final Map<String, Long> seen = new HashMap<>();
  private final CountDownLatch subscribed = new CountDownLatch(1);

  HistoryWatch(BenchNode node, String operation) throws IOException {
    wanted = " operation=\"" + operation + "\"";
    client = BlockingClient.open(BenchCluster.cibSocket(node), CibMessage.PROTOCOL);
    client.call(new CibMessage.Subscribe(), ANSWER);
    subscribed.countDown();
  }

  /// @return when the last of them came, on the monotonic clock
  long awaitAll(int count, Duration limit) throws IOException {
    var deadline = System.nanoTime() + limit.toNanos();
    while (seen.size() < count) {
      var left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
      var event = client.event(left);
      if (event == null) {
        throw new IOException(
            "only %d of %d had%s within %d s"
                .formatted(seen.size(), count, wanted, limit.toSeconds()));
      }
      switch (event) {
        case CibMessage.Changed(var patch, _, _) -> note(patch.text());
        case CibMessage.Copy(var text) -> note(text);
        default -> {}
      }
    }
    return System.nanoTime();
  }

  private void note(String text) {
    var found = OPERATION.matcher(text);
    while (found.find()) {
      var operation = found.group();
      var resource = RESOURCE.matcher(operation);
      if (operation.contains(wanted) && operation.contains(" rc-code=\"0\"") && resource.find()) {
        seen.putIfAbsent(resource.group(1), System.nanoTime());
      }
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
