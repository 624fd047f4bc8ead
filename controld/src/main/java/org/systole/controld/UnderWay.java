package org.systole.controld;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.execd.client.ExecMessage.Result;

/// An operation under way on this node, or recurring.
final class UnderWay {
  final Order order;

  /// How a one-off operation is recorded while it lasts; null for others.
  final @Nullable Result pending;

  boolean cancelling;
  final List<Runnable> whenCancelled = new ArrayList<>();

  /// How often it was begun; answers to an earlier try count for nothing.
  int tries = 1;

  UnderWay(Order order, @Nullable Result pending) {
    this.order = order;
    this.pending = pending;
  }
}
