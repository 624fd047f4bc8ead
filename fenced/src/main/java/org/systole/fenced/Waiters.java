package org.systole.fenced;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.common.wire.RpcServer;
import org.systole.fenced.client.FenceMessage;

/// The clients that wait for operations to end.
final class Waiters {
  private record Waiter(RpcServer.Call<FenceMessage.Reply> call, String client) {}

  private final Map<String, List<Waiter>> byOperation = new TreeMap<>();

  /// @param client what it calls itself
  void add(String operation, RpcServer.Call<FenceMessage.Reply> waiter, String client) {
    byOperation.computeIfAbsent(operation, _ -> new ArrayList<>()).add(new Waiter(waiter, client));
  }

  /// What they call themselves, in the order in which they came.
  List<String> clients(String operation) {
    return byOperation.getOrDefault(operation, List.of()).stream().map(Waiter::client).toList();
  }

  /// Clients that waited for one operation wait for another that stands for it.
  void join(String operation, String other) {
    var waiting = byOperation.remove(operation);
    if (waiting != null) {
      byOperation.computeIfAbsent(other, _ -> new ArrayList<>()).addAll(waiting);
    }
  }

  void answer(String operation, FenceMessage.Reply answer) {
    var waiting = byOperation.remove(operation);
    if (waiting != null) {
      waiting.forEach(waiter -> waiter.call().reply(answer));
    }
  }

  void answerAll(FenceMessage.Reply answer) {
    List.copyOf(byOperation.keySet()).forEach(operation -> answer(operation, answer));
  }
}
