package org.systole.cts.farm;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.World;
import org.systole.execd.RemotedDaemon;

/// One remote host: the daemon that ships, at a port of its own. It can be lost and come back with
/// nothing running, as after a boot.
final class FarmHost {
  private final World real;
  private final Layout layout;
  private final Map<String, String> environment;
  private final SecureStreams network;
  private final Deeds deeds;
  private final String name;
  private @Nullable FarmWorld world;
  private @Nullable FarmStreams streams;

  FarmHost(
      World real,
      Layout layout,
      Map<String, String> inherited,
      SecureStreams network,
      Deeds deeds,
      String name,
      int port) {
    this.real = real;
    this.layout = layout;
    this.network = network;
    this.deeds = deeds;
    this.name = name;
    this.environment = new TreeMap<>(inherited);
    environment.put(RemotedDaemon.PORT, Integer.toString(port));
  }

  void start() {
    if (world != null) {
      return;
    }
    var its = new FarmWorld(real, deeds, name);
    var network = new FarmStreams(this.network, () -> deeds.note(name, "-", HostFarm.CONNECTED));
    world = its;
    streams = network;
    RemotedDaemon.start(its, layout, environment, network);
  }

  void lose() {
    if (world != null && streams != null) {
      deeds.note(name, "-", HostFarm.LOST);
      world.end();
      streams.lose();
      world = null;
      streams = null;
    }
  }
}
