package org.systole.controld.io;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrClient;
import org.systole.attrd.client.AttrMessage;
import org.systole.attrd.client.AttrUpdates;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcClient;
import org.systole.common.world.World;

/// Transient attributes the controller sets. A change that the attribute manager did not confirm
/// because it restarted is requested again, for a while. The manager may have broadcast it before
/// it ended, so a change that counts up has a mark, by which it is applied only once.
public final class AttributeLink {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WAITING_MAX = 1000;

  /// @param what for the log
  private record Change(String what, Consumer<Consumer<AttrMessage.Done>> request, long deadline) {}

  private final World world;
  private final AttrClient client;
  private final Deque<Change> waiting = new ArrayDeque<>();
  private final String sender;
  private long lastCount;

  public AttributeLink(World world) {
    this.world = world;
    this.client = new AttrClient(world, new FromManager());
    this.sender = Long.toHexString(world.random().nextLong());
  }

  public void open() {
    client.open();
  }

  void close() {
    client.close();
  }

  /// @param remote whether it is a remote node
  public void set(String name, NodeName node, @Nullable String value, boolean remote) {
    var plain = AttrUpdates.set(name, node, value, remote);
    var waiting = AttrUpdates.waiting(plain, AttrMessage.Wait.LOCAL);
    var update =
        AttrUpdates.countsUp(value)
            ? AttrUpdates.once(waiting, "%s-%d".formatted(sender, ++lastCount))
            : waiting;
    ask("set %s of %s".formatted(name, node), done -> client.update(update, done));
  }

  public void clearFailures(AttrMessage.ClearFailures failures) {
    ask(
        "clear failures of %s on %s".formatted(failures.resource(), failures.node()),
        done -> client.clearFailures(failures, done));
  }

  /// @param remote whether it is a remote node
  public void removeNode(NodeName node, boolean remote) {
    ask("forget the attributes of " + node, done -> client.removeNode(node, remote, done));
  }

  private void ask(String what, Consumer<Consumer<AttrMessage.Done>> request) {
    var change = new Change(what, request, world.nanoTime() + PATIENCE.toNanos());
    if (client.isConnected() && waiting.isEmpty()) {
      send(change);
    } else {
      keep(change);
    }
  }

  private void send(Change change) {
    change.request()
        .accept(
            done -> {
              if (done.outcome() == AttrMessage.Outcome.OK) {
                return;
              }
              if (done.outcome() == AttrMessage.Outcome.FAILED && !client.isConnected()) {
                keep(change);
              } else {
                world.log().error("Cannot %s: %s".formatted(change.what(), done.why()));
              }
            });
  }

  private void keep(Change change) {
    if (waiting.size() >= WAITING_MAX) {
      var oldest = waiting.remove();
      world.log().error("Cannot %s: the attribute manager is away".formatted(oldest.what()));
    }
    waiting.add(change);
  }

  private void sendAll() {
    var changes = List.copyOf(waiting);
    waiting.clear();
    for (var change : changes) {
      if (world.nanoTime() < change.deadline()) {
        send(change);
      } else {
        world
            .log()
            .error("Cannot %s: the attribute manager was away too long".formatted(change.what()));
      }
    }
  }

  private final class FromManager implements RpcClient.Listener<NoEvent> {
    @Override
    public void connected() {
      sendAll();
    }

    @Override
    public void disconnected(String why) {
      world.log().warning("Lost the attribute manager: " + why);
    }
  }
}
