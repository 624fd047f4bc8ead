package org.systole.controld.transition;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.world.World;
import org.systole.controld.io.PeerMessage;

/// Tells the other controllers how busy this node is, whenever that changes.
public final class LoadReport {
  /// The options that the report depends on.
  public interface Host {
    /// As a fraction of each core; 0 for no throttling.
    double loadThreshold();

    /// 0 or less: as many as the cores allow.
    int nodeActionLimit();
  }

  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final World world;
  private final Map<String, String> env;
  private final Host host;
  private final Consumer<PeerMessage.Load> broadcast;
  private PeerMessage.@Nullable Load last;

  public LoadReport(
      World world, Map<String, String> env, Host host, Consumer<PeerMessage.Load> broadcast) {
    this.world = world;
    this.env = env;
    this.host = host;
    this.broadcast = broadcast;
  }

  /// Checks the load now and every [#INTERVAL].
  public void begin() {
    var load = world.load();
    var mode = Throttle.mode(load, host.loadThreshold());
    var limit = host.nodeActionLimit();
    var jobs = Numbers.parseInt(env.get("PCMK_node_action_limit"), limit);
    if (jobs <= 0) {
      jobs = 2 * load.cores();
    }
    var now = new PeerMessage.Load(mode, jobs);
    if (!now.equals(last)) {
      last = now;
      broadcast.accept(now);
    }
    world.after(INTERVAL, this::begin);
  }

  /// Sends the last report again, for controllers that have just come.
  public void repeat() {
    if (last != null) {
      broadcast.accept(last);
    }
  }
}
