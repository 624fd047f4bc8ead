package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;
import org.systole.common.world.Server;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.RemoteXml;

/// The end of a remote node in good order: the cluster is asked first, stops what runs here or moves
/// it away, and closes its connections. Then the executor ends.
final class RemoteStop {
  /// The cluster stops resources one after the other, and each may take its time.
  static final Duration PATIENCE = Duration.ofMinutes(30);

  /// How often it is said that this has not ended. Whoever has typed the command sees nothing else.
  static final Duration REMINDER = Duration.ofMinutes(2);

  private final World world;
  private final List<Connection> providers = new ArrayList<>(); // the newest last
  private @Nullable Server server;
  private boolean stopping;

  RemoteStop(World world) {
    this.world = world;
  }

  /// What serves the port, which closes when the stop begins.
  void serving(Server port) {
    server = port;
  }

  /// A member of the cluster that can be asked. The newest is: an older one may be about to be found
  /// lost.
  void came(Connection provider) {
    providers.remove(provider);
    providers.add(provider);
  }

  /// The member that is to be asked for things; null if none is connected.
  @Nullable Connection newest() {
    return providers.isEmpty() ? null : providers.getLast();
  }

  void gone(Connection provider) {
    if (providers.remove(provider) && providers.isEmpty() && stopping) {
      world.exit(0, "the cluster has closed its connections");
    }
  }

  /// Begins the stop.
  void begin() {
    if (stopping) {
      world.log().notice("Waiting for the cluster to stop resources");
      return;
    }
    if (providers.isEmpty()) {
      world.exit(0, "asked to end, and no cluster is connected");
      return;
    }
    stopping = true;
    if (server != null) {
      server.close();
    }
    world.log().notice("Asking the cluster to stop what runs here");
    world.tellServiceManager("STOPPING=1\nSTATUS=Stopping; the resources move away first");
    var request =
        Element.of(
            RemoteXml.PROXY,
            RemoteXml.PROXY_OPERATION,
            RemoteXml.STOP_ASKED,
            RemoteXml.PROXY_SESSION,
            "0"); // of no command
    say(providers.getLast(), request);
    world.after(REMINDER, this::remind);
    world.after(PATIENCE, () -> world.exit(0, "the cluster has not closed its connections in time"));
  }

  /// The cluster agrees in maintenance mode, too, and stops nothing then.
  private void remind() {
    world
        .log()
        .warning(
            "Still waiting for the cluster to stop what runs here: it leaves alone what is in maintenance mode or"
                + " unmanaged. Only the end of that ends this wait; for a restart by which all runs on, have this daemon"
                + " killed: systemctl kill --kill-whom=main --signal=KILL pacemaker_remote");
    world.tellServiceManager("STATUS=Stopping; waiting for the cluster to stop what runs here, see the log");
    world.after(REMINDER, this::remind);
  }

  /// The cluster says something about the stop.
  ///
  /// @return whether that is what it was
  boolean forwarded(Element message) {
    switch (message.get(RemoteXml.PROXY_OPERATION, "")) {
      case RemoteXml.STOP_AGREED -> {
        if (stopping) {
          world.log().notice("The cluster knows that what runs here is to be stopped");
        }
      }
      case RemoteXml.STOP_REFUSED -> {
        if (stopping) {
          world.exit(0, "the cluster will stop nothing here");
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static void say(Connection to, Element message) {
    to.send(RemoteXml.bytes(RemoteXml.told(message)));
  }
}
