package org.systole.fenced.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeName;
import org.systole.common.wire.BlockingClient;

/// A command's connection to the fencer of its node. Blocks; for one thread.
public final class FenceConnection implements AutoCloseable {
  private final BlockingClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> client;

  private FenceConnection(
      BlockingClient<FenceMessage.Request, FenceMessage.Reply, FenceMessage.Event> client) {
    this.client = client;
  }

  /// @throws IOException if the fencer does not run or this user may not talk to it
  public static FenceConnection open(Layout layout) throws IOException {
    return new FenceConnection(
        BlockingClient.open(layout.socket(FenceMessage.SOCKET), FenceMessage.PROTOCOL));
  }

  /// Any request; the answer may be [FenceMessage.Refused].
  public FenceMessage.Reply ask(FenceMessage.Request request, Duration timeout) throws IOException {
    return client.call(request, timeout);
  }

  /// @param target only of this node; null for all
  /// @return latest operation first
  /// @throws IOException also if the fencer refuses, with its reason
  public List<FenceMessage.FenceRecord> history(@Nullable NodeName target, Duration timeout)
      throws IOException {
    return switch (ask(new FenceMessage.HistoryQuery(target, false), timeout)) {
      case FenceMessage.History(var records) -> records;
      case FenceMessage.Refused(var _, var why) -> throw new IOException(why);
      case FenceMessage.Reply other ->
          throw new IOException("fencer: an unexpected answer: " + other);
    };
  }

  /// The next event, null if none came in time.
  public FenceMessage.@Nullable Event event(Duration timeout) throws IOException {
    return client.event(timeout);
  }

  @Override
  public void close() {
    client.close();
  }
}
