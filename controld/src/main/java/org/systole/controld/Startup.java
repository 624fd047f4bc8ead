package org.systole.controld;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;
import org.systole.controld.client.CtlMessage;
import org.systole.controld.fsm.Input;
import org.systole.controld.fsm.State;
import org.systole.controld.io.PeerMessage;

/// The daemon until the link tells it which node it is on. From then on there is a [Controller], to
/// which this passes on messages of the link and requests of commands.
final class Startup
    implements GroupClient.Listener,
        RpcServer.Handler<CtlMessage.Request, CtlMessage.Reply, NoEvent> {
  /// How long a daemon that is told to end waits for the link.
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final World world;
  private final Map<String, String> env;
  private final Supplier<SecureStreams> network;
  private final Supplier<SecureStreams> visitors;
  private final GroupClient group;
  private boolean terminating;
  private @Nullable Controller controller;

  Startup(
      World world,
      Map<String, String> env,
      Supplier<SecureStreams> network,
      Supplier<SecureStreams> visitors) {
    this.world = world;
    this.env = env;
    this.network = network;
    this.visitors = visitors;
    this.group = new GroupClient(world, PeerMessage.GROUP, this);
  }

  void begin() {
    RpcServer.serve(world, CtlMessage.SOCKET, World.Access.GROUP, CtlMessage.PROTOCOL, this);
    world.onTerminate(this::terminate);
    group.open();
  }

  private void terminate() {
    if (controller != null) {
      controller.machine.offer(new Input.ShutdownRequested("SIGTERM"));
      return;
    }
    terminating = true;
    world.after(
        PATIENCE,
        () -> {
          if (controller == null) {
            world.exit(0, "this controller could not start");
          }
        });
  }

  @Override
  public void joined(LinkMessage.Joined welcome) {
    var created = new Controller(world, env, welcome, group, network, visitors);
    controller = created;
    created.machine.offer(new Input.StartUp());
    if (terminating) {
      created.machine.offer(new Input.ShutdownRequested("SIGTERM"));
    }
  }

  @Override
  public void quorumDue(boolean due) {
    if (controller != null) {
      controller.members.quorumDue(due);
    }
  }

  @Override
  public void membership(Membership membership) {
    if (controller != null) {
      controller.members.membership(membership);
    }
  }

  @Override
  public void configured(List<LinkMessage.ConfiguredNode> nodes) {
    if (controller != null) {
      controller.book.changed(nodes);
      controller.departures.listChanged();
    }
  }

  @Override
  public void group(List<NodeId> nodeIds) {
    if (controller != null) {
      controller.members.group(nodeIds);
    }
  }

  @Override
  public void message(NodeId fromId, boolean broadcast, byte[] payload) {
    if (controller != null) {
      controller.peers.message(fromId, payload);
    }
  }

  @Override
  public void lost(String why) {
    if (controller != null) {
      controller.machine.offer(new Input.Broken("lost the link: " + why));
    }
  }

  @Override
  public CtlMessage.Reply denied(CtlMessage.Request request, String why) {
    return new CtlMessage.Refused(CtlMessage.Reason.DENIED, why);
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<CtlMessage.Reply> call,
      CtlMessage.Request request) {
    if (controller != null) {
      controller.commands.request(session, call, request);
    } else if (request instanceof CtlMessage.StateQuery(var node) && node == null) {
      call.reply(new CtlMessage.State(null, State.STARTING.text(), null));
    } else {
      call.reply(
          new CtlMessage.Refused(
              CtlMessage.Reason.NOT_NOW, "the controller waits for the cluster's link"));
    }
  }
}
