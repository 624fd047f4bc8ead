package org.systole.pacemakerd;

import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Channels;
import org.systole.common.world.UpgradableStreams;
import org.systole.common.world.World;
import org.systole.pacemakerd.client.PacemakerdMessage;
import org.systole.pacemakerd.link.LinkCore;

/// The supervisor of a node and owner of its link.
public final class PacemakerdDaemon {
  static final int CONFIGURATION = 78; // the exit status for a configuration that cannot be used

  private static final Duration LEAVE_CHANNEL = Duration.ofSeconds(3);

  private final World world;
  private final LinkCore link;
  private final Supervisor supervisor;
  private final Guard guard;
  private boolean begun;

  private PacemakerdDaemon(
      World world, LinkCore link, Layout layout, Map<String, String> environment) {
    this.world = world;
    this.link = link;
    this.guard = new Guard(world, environment, new OfThisNode());
    this.supervisor =
        new Supervisor(world, layout, guard.environmentOfDaemons(), this::stopped);
    supervisor.tell(
        () -> guard.disarm(() -> {}), () -> guard.reset("the node panics"));
  }

  /// What the watchdog's guard wants to know.
  private final class OfThisNode implements Guard.Node {
    @Override
    public Duration quorumLeft() {
      return link.quorumLeft();
    }

    @Override
    public Duration lease() {
      return link.lease();
    }

    @Override
    public @Nullable String unfit() {
      return guard.hadQuorum() && supervisor.status() != 0
          ? "the node cannot go on"
          : supervisor.unfit();
    }
  }

  /// Starts the node: the link, then the daemons.
  ///
  /// @param environment handed on to the daemons; says the node's name
  /// @param config the cluster configuration
  /// @param streams to the quorum device
  /// @throws CannotStart if the configuration has no such node
  public static void start(
      World world,
      Layout layout,
      Map<String, String> environment,
      ClusterConfig config,
      Channels channels,
      UpgradableStreams streams) {
    var local = localNode(config, environment, _ -> false);
    new PacemakerdDaemon(world, new LinkCore(world, config, local, streams), layout, environment)
        .start(channels);
  }

  static ClusterConfig.Node localNode(
      ClusterConfig config, Map<String, String> environment, Predicate<String> isLocal) {
    try {
      return config.localNode(environment.get(Layout.NODE), isLocal);
    } catch (ClusterConfigException e) {
      throw new CannotStart(e.getMessage(), CONFIGURATION);
    }
  }

  private void start(Channels channels) {
    world.onTerminate(this::stop);
    RpcServer.serve(
        world,
        PacemakerdMessage.SOCKET,
        World.Access.GROUP,
        PacemakerdMessage.PROTOCOL,
        new Requests());
    link.onDropped(supervisor::leaveForGood);
    link.onOver(this::linkIsOver);
    if (!guard.isDoomed()) {
      link.start(channels); // before the watchdog counts: on a busy machine it can take seconds
    }
    guard.start(
        () -> {
          begun = true;
          supervisor.start();
        });
  }

  /// A node that was in no quorum runs nothing: its watchdog would reset the machine for nothing, and again after each start
  /// where the cause stays. Of one that was, it has to see to what runs there.
  private void linkIsOver(int status, String why) {
    if (guard.hadQuorum()) {
      world.exit(status, why);
    } else {
      guard.disarm(() -> world.exit(status, why));
    }
  }

  private void stop() {
    if (begun) {
      supervisor.stop();
    } else {
      guard.disarm(() -> world.exit(0, "asked to end before it had begun"));
    }
  }

  private void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<PacemakerdMessage.Reply> call,
      PacemakerdMessage.Request request) {
    switch (request) {
      case PacemakerdMessage.Ping() -> call.reply(state());
      case PacemakerdMessage.Debug(var daemons) -> {
        supervisor.setDebug(daemons);
        call.reply(state());
      }
      case PacemakerdMessage.ConfigurationQuery() ->
          call.reply(new PacemakerdMessage.Configuration(link.configurationText(), link.waits()));
      case PacemakerdMessage.LinksQuery() ->
          call.reply(new PacemakerdMessage.Links(link.links()));
      case PacemakerdMessage.ReadConfiguration() -> {
        world
            .log()
            .notice(
                "User %s has corosync.conf read anew on all nodes"
                    .formatted(session.peer().user()));
        link.readAnew(
            (done, lines) -> call.reply(new PacemakerdMessage.ReadAnew(done, lines)));
      }
      case PacemakerdMessage.EndWait() -> {
        world
            .log()
            .notice(
                "User %s has ended the wait for all nodes (wait_for_all)"
                    .formatted(session.peer().user()));
        link.endWait();
        call.reply(state());
      }
      case PacemakerdMessage.Shutdown() -> {
        world.log().notice("User %s asks to stop the node".formatted(session.peer().user()));
        stop();
        call.reply(state());
      }
      case PacemakerdMessage.MayFeed(var disks) -> call.reply(guard.permit(disks));
    }
  }

  private final class Requests
      implements RpcServer.Handler<PacemakerdMessage.Request, PacemakerdMessage.Reply, NoEvent> {
    /// Answers instead of closing the connection, which the client would take for a node that is
    /// down.
    @Override
    public PacemakerdMessage.Reply denied(PacemakerdMessage.Request request, String why) {
      return new PacemakerdMessage.Denied(why);
    }

    @Override
    public void request(
        RpcServer.Session<NoEvent> session,
        RpcServer.Call<PacemakerdMessage.Reply> call,
        PacemakerdMessage.Request request) {
      PacemakerdDaemon.this.request(session, call, request);
    }
  }

  private PacemakerdMessage.State state() {
    return new PacemakerdMessage.State(supervisor.state().word(), world.now().getEpochSecond());
  }

  /// A node that ends because it cannot go on leaves its resources as they are: where it could be in
  /// a quorum, its watchdog has to see to them.
  private void stopped() {
    if (supervisor.status() == 0 || !guard.hadQuorum()) {
      guard.disarm(this::leave);
    } else {
      guard.reset("the node cannot go on");
      leave();
    }
  }

  private void leave() {
    link.close(() -> world.exit(supervisor.statusAtTheEnd(), "the node is down"));
    world.after(LEAVE_CHANNEL, () -> world.exit(supervisor.statusAtTheEnd(), "the node is down"));
  }
}
