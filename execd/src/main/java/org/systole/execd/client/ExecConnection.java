package org.systole.execd.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.BlockingClient;

/// A command's connection to the executor of its node. Blocks; for one thread.
public final class ExecConnection implements AutoCloseable {
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final BlockingClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client;

  private ExecConnection(
      BlockingClient<ExecMessage.Request, ExecMessage.Reply, ExecMessage.Event> client) {
    this.client = client;
  }

  /// @throws IOException if the executor does not run or this user may not talk to it
  public static ExecConnection open(Layout layout) throws IOException {
    return new ExecConnection(
        BlockingClient.open(layout.socket(ExecMessage.SOCKET), ExecMessage.PROTOCOL));
  }

  /// Subscribes to [#result]s.
  public void subscribe() throws IOException {
    ask(new ExecMessage.Subscribe(), ANSWER);
  }

  /// @return the call id
  /// @throws IOException if the executor refuses, with its reason
  public long execute(OperationRequest operation) throws IOException {
    if (ask(new ExecMessage.Execute(operation, true), ANSWER)
        instanceof ExecMessage.Accepted(var callId)) {
      return callId;
    }
    throw new IOException("unexpected answer of the executor");
  }

  /// The next result of any operation, null if none came in time.
  public @Nullable OperationResult result(Duration timeout) throws IOException {
    return client.event(timeout) instanceof ExecMessage.Result(var result) ? result : null;
  }

  /// @param resource whose state; null for all resources
  public List<ExecMessage.ResourceState> state(@Nullable ResourceId resource) throws IOException {
    var query = new ExecMessage.StateQuery(resource == null ? "" : resource.text());
    return ask(query, ANSWER) instanceof ExecMessage.State state
        ? state.resources()
        : List.of();
  }

  public ExecMessage.Metadata metadata(AgentName agent, Duration timeout) throws IOException {
    var answer =
        ask(new ExecMessage.MetadataQuery(agent, timeout.toMillis()), timeout.plus(ANSWER));
    if (answer instanceof ExecMessage.Metadata metadata) {
      return metadata;
    }
    throw new IOException("unexpected answer of the executor");
  }

  /// Any request.
  ///
  /// @throws IOException if the executor refuses, with its reason
  public ExecMessage.Reply ask(ExecMessage.Request request, Duration timeout) throws IOException {
    var answer = client.call(request, timeout);
    if (answer instanceof ExecMessage.Refused(var why)) {
      throw new IOException(why);
    }
    return answer;
  }

  @Override
  public void close() {
    client.close();
  }
}
