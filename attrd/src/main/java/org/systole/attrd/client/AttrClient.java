package org.systole.attrd.client;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// A daemon's connection to the attribute manager of its node. Lives on the daemon's loop.
///
/// While the attribute manager is away, requests are answered with [AttrMessage.Outcome#FAILED];
/// ask again after `connected`.
public final class AttrClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final RpcClient<AttrMessage.Request, AttrMessage.Reply, NoEvent> attributes;

  /// @param connection called when the attribute manager is connected and when it is lost
  public AttrClient(World world, RpcClient.Listener<NoEvent> connection) {
    this.attributes = new RpcClient<>(world, AttrMessage.SOCKET, AttrMessage.PROTOCOL, connection);
  }

  public void open() {
    attributes.open();
  }

  public boolean isConnected() {
    return attributes.isConnected();
  }

  public void close() {
    attributes.close();
  }

  /// Sets an attribute that lasts until its node leaves; null deletes it.
  ///
  /// @param node null for the local one
  public void set(
      String name,
      @Nullable NodeName node,
      @Nullable String value,
      Consumer<AttrMessage.Done> done) {
    update(AttrUpdates.set(name, node, value), done);
  }

  public void update(AttrMessage.Update update, Consumer<AttrMessage.Done> done) {
    ask(update, done);
  }

  public void clearFailures(AttrMessage.ClearFailures failures, Consumer<AttrMessage.Done> done) {
    ask(failures, done);
  }

  public void removeNode(NodeName node, boolean remote, Consumer<AttrMessage.Done> done) {
    ask(new AttrMessage.RemoveNode(node, remote), done);
  }

  public void refresh(Consumer<AttrMessage.Done> done) {
    ask(new AttrMessage.Refresh(), done);
  }

  /// @param node null for all nodes
  /// @param done given the values; null if the attribute manager could not be asked
  public void query(
      String name, @Nullable NodeName node, Consumer<AttrMessage.@Nullable Values> done) {
    attributes.call(
        new AttrMessage.Query(name, node),
        TIMEOUT,
        answer ->
            done.accept(
                answer instanceof RpcClient.Answer.Got<AttrMessage.Reply>(AttrMessage.Values values)
                    ? values
                    : null));
  }

  /// All nodes' values known here, empty if there are none or the attribute manager cannot be
  /// asked.
  public void values(String name, Consumer<List<AttrMessage.NodeValue>> done) {
    query(name, null, it -> done.accept(it == null ? List.of() : it.values()));
  }

  private void ask(AttrMessage.Request request, Consumer<AttrMessage.Done> done) {
    attributes.call(
        request,
        TIMEOUT,
        answer ->
            done.accept(
                switch (answer) {
                  case RpcClient.Answer.Got<AttrMessage.Reply>(AttrMessage.Done it) -> it;
                  case RpcClient.Answer.Got<AttrMessage.Reply>(var other) ->
                      failed("the attribute manager answered " + other);
                  case RpcClient.Answer.TimedOut<AttrMessage.Reply>() ->
                      failed("the attribute manager did not answer within " + TIMEOUT);
                  case RpcClient.Answer.Lost<AttrMessage.Reply>(var why) -> failed(why);
                }));
  }

  private static AttrMessage.Done failed(String why) {
    return new AttrMessage.Done(AttrMessage.Outcome.FAILED, why);
  }
}
