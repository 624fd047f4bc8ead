package org.systole.attrd.client;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeName;
import org.systole.common.wire.BlockingClient;
import org.systole.common.wire.ClientProtocol.NoEvent;

/// A command's connection to the attribute manager of this node.
///
/// Not safe for use by several threads.
public final class AttrConnection implements AutoCloseable {
  private final BlockingClient<AttrMessage.Request, AttrMessage.Reply, NoEvent> client;
  private final Duration timeout;

  private AttrConnection(
      BlockingClient<AttrMessage.Request, AttrMessage.Reply, NoEvent> client, Duration timeout) {
    this.client = client;
    this.timeout = timeout;
  }

  /// @param timeout how long to wait for each answer
  /// @throws IOException if the attribute manager does not run or this user may not ask it
  public static AttrConnection open(Layout layout, Duration timeout) throws IOException {
    var socket = layout.socket(AttrMessage.SOCKET);
    return new AttrConnection(BlockingClient.open(socket, AttrMessage.PROTOCOL), timeout);
  }

  public AttrMessage.Done update(AttrMessage.Update update) throws IOException {
    return ask(update);
  }

  public AttrMessage.Done clearFailures(AttrMessage.ClearFailures failures) throws IOException {
    return ask(failures);
  }

  public AttrMessage.Done removeNode(NodeName node, boolean remote) throws IOException {
    return ask(new AttrMessage.RemoveNode(node, remote));
  }

  public AttrMessage.Done refresh() throws IOException {
    return ask(new AttrMessage.Refresh());
  }

  /// @param node null for all nodes, `localhost` for the local one
  public AttrMessage.Values query(String name, @Nullable NodeName node) throws IOException {
    var answer = client.call(new AttrMessage.Query(name, node), timeout);
    if (answer instanceof AttrMessage.Values values) {
      return values;
    }
    throw new IOException("the attribute manager answered " + answer);
  }

  @Override
  public void close() {
    client.close();
  }

  private AttrMessage.Done ask(AttrMessage.Request request) throws IOException {
    var answer = client.call(request, timeout);
    if (answer instanceof AttrMessage.Done done) {
      return done;
    }
    throw new IOException("the attribute manager answered " + answer);
  }
}
