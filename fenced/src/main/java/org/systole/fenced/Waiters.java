package org.systole.fenced;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.wire.RpcServer;
import org.systole.fenced.client.FenceMessage;

/// The clients that wait for operations to end.
final class Waiters {
  private final Map<String, List<RpcServer.Call<FenceMessage.Reply>>> byOperation =
      new TreeMap<>();

  void add(String operation, RpcServer.Call<FenceMessage.Reply> waiter) {
    byOperation.computeIfAbsent(operation, _ -> new ArrayList<>()).add(waiter);
  }

  /// Clients that waited for one operation wait for another that stands for it.
  void join(String operation, String other) {
    var waiting = byOperation.remove(operation);
    if (waiting != null) {
      waiting.forEach(waiter -> add(other, waiter));
    }
  }

  void answer(String operation, FenceMessage.Reply answer) {
    var waiting = byOperation.remove(operation);
    if (waiting != null) {
      waiting.forEach(waiter -> waiter.reply(answer));
    }
  }

  void answerAll(FenceMessage.Reply answer) {
    List.copyOf(byOperation.keySet()).forEach(operation -> answer(operation, answer));
  }
}
