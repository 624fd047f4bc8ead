package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.systole.cts.local.LocalNode;

/// What is done to several nodes at the same time, as a whole cluster is stopped or its power comes back. One after the other,
/// on a busy machine, the last would come so late that the others are right to have it fenced.
final class AllAtOnce {
  /// What is done to one.
  interface Deed {
    void to(LocalNode node) throws IOException;
  }

  private AllAtOnce() {}

  /// Returns when it is done to all.
  ///
  /// @throws IOException the first that came of it
  static void to(List<LocalNode> nodes, Deed deed) throws IOException {
    var wrong = new ConcurrentLinkedQueue<IOException>();
    var threads =
        nodes.stream()
            .map(
                it ->
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              try {
                                deed.to(it);
                              } catch (IOException e) {
                                wrong.add(new IOException(it.name() + ": " + e.getMessage(), e));
                              }
                            }))
            .toList();
    for (var thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
    var first = wrong.peek();
    if (first != null) {
      throw first;
    }
  }
}
