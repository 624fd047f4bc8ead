package org.systole.cts.fuzz;

import java.nio.file.Path;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.systole.common.cluster.ClusterConfig;
import org.systole.common.cluster.ClusterConfigException;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.world.Channels;
import org.systole.cts.Protocols;
import org.systole.cts.Protocols.Spoken;
import org.systole.pacemakerd.jgroups.ClusterKey;
import org.systole.pacemakerd.jgroups.JGroupsChannels;

/// A node of the cluster, with the key, whose link says nothing but nonsense. Not safe for use by
/// several threads but for [#attempt].
final class HostileLink implements Channels.Listener, AutoCloseable {
  private static final Spoken LINKS =
      Protocols.all().stream()
          .filter(it -> it.name().equals("LinkPeerMessage"))
          .findFirst()
          .orElseThrow();
  private static final int LONG = 1 << 20;
  private static final long PAUSE_MILLIS = 2;

  private final Figures figures;
  private final CountDownLatch met = new CountDownLatch(1);
  private final Channels.Channel channel;
  private volatile List<Channels.Address> peers = List.of();

  HostileLink(FuzzedCluster cluster, Figures figures) throws IOException {
    this.figures = figures;
    var layout = new Layout(cluster.dir().resolve("node3/hostile"), cluster.dir());
    var world = RealWorld.create(layout, Map.of(Layout.NODE, "node3"), "hostile", "link");
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(() -> {}));
    try {
      var config = ClusterConfig.parse("corosync.conf", cluster.configuration());
      var key = ClusterKey.read(cluster.enemy().layout().clusterKey(), FuzzedCluster.NAME);
      channel = new JGroupsChannels(world, Path.of("corosync.conf"), config, config.nodes().get(2), key, Path.of("authkey")).open(this);
    } catch (ClusterConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  /// @return whether the others have taken it into their view in time
  boolean awaitPeers() throws InterruptedException {
    return met.await(60, TimeUnit.SECONDS);
  }

  /// One try, see [SocketFuzz#attempt].
  String attempt(RandomGenerator random) throws InterruptedException {
    var types = LINKS.types();
    var type = types.get(random.nextInt(types.size()));
    var nonsense = new Nonsense(random, LONG);
    var message = nonsense.of(LINKS, type);
    figures.count("links", LINKS + "." + type.getSimpleName());
    var frame = random.nextInt(20) == 0 ? nonsense.garbage() : message.frame();
    var to = peers;
    if (to.isEmpty() || random.nextBoolean()) {
      channel.broadcast(frame);
    } else {
      channel.send(to.get(random.nextInt(to.size())), frame);
    }
    Thread.sleep(PAUSE_MILLIS); // what is not taken in time would only be dropped
    return message.what();
  }

  @Override
  public void opened(Channels.Address self) {}

  @Override
  public void view(Channels.View view) {
    peers = view.members();
    if (peers.size() > 1) {
      met.countDown();
    }
  }

  @Override
  public void message(Channels.Address from, byte[] message) {}

  @Override
  public void ended(Channels.Address peer) {}

  @Override
  public void silent(Channels.Address peer, boolean silent) {}

  @Override
  public void closed(String why) {}

  @Override
  public void close() {
    channel.close();
  }
}
