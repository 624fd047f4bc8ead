package org.systole.controld.remote;

import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.NodeName;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.proxy.Proxies;
import org.systole.execd.client.ExecMessage;
import org.systole.execd.client.remote.RemoteExecutor;
import org.systole.execd.client.remote.RemoteXml;

/// One connection to a remote node, from the attempt to make it until it is gone.
final class Attempt implements RemoteExecutor.Listener {
  /// What hears of it, and may have another one by now.
  interface Owner {
    boolean isCurrent(Attempt which);

    void connected(Attempt which, RemoteExecutor.Greeting greeting);

    void lost(Attempt which, String why, HowLost how);

    /// Another client has connected.
    void overtaken(Attempt which);

    /// A node that does not answer is as one that is not there: nothing under way is waited for.
    void breakOff(Attempt which, String why);

    /// Whose results are heard over it; null for nobody's.
    @Nullable RemoteNode hears(Attempt which);
  }

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private final Owner owner;
  private final Proxies commands;
  private final StopRequests stops;

  final Opening by;
  @Nullable RemoteExecutor executor;

  Attempt(World world, RemoteHost host, NodeName node, Opening by, Owner owner) {
    this.world = world;
    this.host = host;
    this.node = node;
    this.by = by;
    this.owner = owner;
    this.commands = new Proxies(world, node, host.commandRoom(), this::toCommand);
    this.stops = new StopRequests(world, host, node);
  }

  /// Asks for a sign of life. A connection over which there is none is lost. One that is closed meanwhile is lost as such: its
  /// executor may only be about to be started again.
  ///
  /// @param told called once, with the executor if it answers, or null and what is wrong
  void check(Duration within, BiConsumer<@Nullable RemoteExecutor, String> told) {
    var asked = executor;
    if (asked == null) {
      told.accept(null, "the node is not connected");
      return;
    }
    asked.poke(
        within,
        answer -> {
          switch (answer) {
            case ExecMessage.Ok _ -> told.accept(asked, "");
            case ExecMessage.Refused(var why) when !asked.isConnected() ->
                world.post(() -> told.accept(null, why)); // once that is known
            case ExecMessage.Refused(var why) -> broken(why, told);
            case ExecMessage.Reply other -> broken("it answered " + other, told);
          }
        });
  }

  private void broken(String why, BiConsumer<@Nullable RemoteExecutor, String> told) {
    owner.breakOff(this, why);
    told.accept(null, why);
  }

  private void toCommand(Element message, Runnable taken) {
    if (executor != null) {
      executor.forward(message, taken);
    }
  }

  @Override
  public void connected(RemoteExecutor.Greeting greeting) {
    owner.connected(this, greeting);
  }

  @Override
  public void disconnected(String why) {
    commands.end();
    owner.lost(this, why, HowLost.CLOSED);
  }

  @Override
  public void result(OperationResult result) {
    var from = owner.hears(this);
    var wrong = host.tookResult(node, result) || from == null ? null : from.told(result);
    if (wrong != null) {
      owner.breakOff(this, wrong);
    }
  }

  @Override
  public void otherClient() {
    owner.overtaken(this);
  }

  @Override
  public void forwarded(Element message) {
    if (!owner.isCurrent(this) || executor == null) {
      return;
    }
    if (RemoteXml.STOP_ASKED.equals(message.get(RemoteXml.PROXY_OPERATION))) {
      stops.asked(executor);
    } else {
      commands.forwarded(message);
    }
  }
}
