package org.systole.cts.lab;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.systole.cts.local.LocalNode;

/// What is done to several nodes or machines at the same time, as a whole cluster is stopped or its power comes back. One after the other,
/// on a busy machine, the last would come so late that the others are right to have it fenced.
final class AllAtOnce {
  /// What is done to one.
  interface Deed<T> {
    void to(T one) throws IOException;
  }

  private AllAtOnce() {}

  /// Returns when it is done to all.
  ///
  /// @throws IOException the first that came of it
  static void to(List<LocalNode> nodes, Deed<LocalNode> deed) throws IOException {
    to(nodes, LocalNode::name, deed);
  }

  /// @param name what one is called where it went wrong
  static <T> void to(List<T> all, Function<T, String> name, Deed<T> deed) throws IOException {
    var wrong = new ConcurrentLinkedQueue<IOException>();
    var threads =
        all.stream()
            .map(
                it ->
                    Thread.ofVirtual()
                        .start(
                            () -> {
                              try {
                                deed.to(it);
                              } catch (IOException | RuntimeException | AssertionError e) {
                                wrong.add(
                                    new IOException(name.apply(it) + ": " + e.getMessage(), e));
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
