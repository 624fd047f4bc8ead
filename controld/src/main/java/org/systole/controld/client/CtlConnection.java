package org.systole.controld.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.systole.common.layout.Layout;
import org.systole.common.wire.BlockingClient;
import org.systole.common.wire.ClientProtocol.NoEvent;

/// A command's connection to the controller of its node. Blocks; not for daemons.
public final class CtlConnection implements AutoCloseable {
  private final BlockingClient<CtlMessage.Request, CtlMessage.Reply, NoEvent> controller;
  private final Duration timeout;

  private CtlConnection(
      BlockingClient<CtlMessage.Request, CtlMessage.Reply, NoEvent> controller, Duration timeout) {
    this.controller = controller;
    this.timeout = timeout;
  }

  /// @param timeout how long each request may take
  /// @throws IOException if the controller is not running here or this user may not talk to it
  public static CtlConnection open(Layout layout, Duration timeout) throws IOException {
    return new CtlConnection(
        BlockingClient.open(layout.socket(CtlMessage.SOCKET), CtlMessage.PROTOCOL), timeout);
  }

  /// @param environment where the node's tree is, see [Layout]
  /// @throws IOException as the other `open`
  public static CtlConnection open(Map<String, String> environment, Duration timeout)
      throws IOException {
    return open(Layout.of(environment), timeout);
  }

  /// Asks and waits for the answer.
  ///
  /// @throws java.net.SocketTimeoutException if no answer came in time; it may still be carried out
  /// @throws IOException if the connection broke
  public CtlMessage.Reply ask(CtlMessage.Request request) throws IOException {
    return controller.call(request, timeout);
  }

  @Override
  public void close() {
    controller.close();
  }
}
