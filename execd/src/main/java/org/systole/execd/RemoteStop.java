package org.systole.execd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Connection;
import org.systole.common.world.Server;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.execd.client.remote.RemoteXml;

/// The end of a remote node in good order: the cluster is asked first, stops what runs here or moves
/// it away, and closes its connections. Then the executor ends. A connection that is gone while something may still run here was
/// lost, with its member: without an executor nobody could stop that, and the node would be fenced. So another member is waited for.
final class RemoteStop {
  /// The cluster stops resources one after the other, and each may take its time.
  static final Duration PATIENCE = Duration.ofMinutes(30);

  /// How often it is said that this has not ended. Whoever has typed the command sees nothing else.
  static final Duration REMINDER = Duration.ofMinutes(2);

  /// How long a member may take to connect in the place of one that was lost.
  static final Duration ANOTHER = Duration.ofMinutes(1);

  private final World world;
  private final List<Connection> providers = new ArrayList<>(); // the newest last
  private BooleanSupplier mayRun = () -> false;
  private Supplier<@Nullable Server> port = () -> null;
  private @Nullable Server server;
  private World.@Nullable Timer another; // while another member is waited for
  private boolean stopping;

  RemoteStop(World world) {
    this.world = world;
  }

  /// Serves the port, until the stop begins.
  ///
  /// @param listens opens it
  /// @param running whether anything may run here
  void serve(Supplier<@Nullable Server> listens, BooleanSupplier running) {
    port = listens;
    mayRun = running;
    server = port.get();
  }

  private void close() {
    if (server != null) {
      server.close();
      server = null;
    }
  }

  /// A member of the cluster that can be asked. The newest is: an older one may be about to be found
  /// lost.
  void came(Connection provider) {
    providers.remove(provider);
    providers.add(provider);
    if (another != null) {
      another.cancel();
      another = null;
      close();
      world.post(() -> ask(provider)); // after the answer that it waits for
    }
  }

  /// The member that is to be asked for things; null if none is connected.
  @Nullable Connection newest() {
    return providers.isEmpty() ? null : providers.getLast();
  }

  void gone(Connection provider) {
    if (providers.remove(provider) && providers.isEmpty() && stopping) {
      if (mayRun.getAsBoolean()) {
        waitForAnother();
      } else {
        world.exit(0, "the cluster has closed its connections");
      }
    }
  }

  private void waitForAnother() {
    try {
      server = port.get();
    } catch (CannotStart e) {
      world.exit(0, "the connection to the cluster is lost, and no other can be had: " + e.getMessage());
      return;
    }
    world
        .log()
        .warning(
            "The connection to the cluster is gone before all was stopped that may run here: waiting for another one, up to %d s"
                .formatted(ANOTHER.toSeconds()));
    another = world.after(ANOTHER, () -> world.exit(0, "the cluster has not come back"));
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
    close();
    world.log().notice("Asking the cluster to stop what runs here");
    world.tellServiceManager("STOPPING=1\nSTATUS=Stopping; the resources move away first");
    ask(providers.getLast());
    world.after(REMINDER, this::remind);
    world.after(PATIENCE, () -> world.exit(0, "the cluster has not closed its connections in time"));
  }

  private static void ask(Connection provider) {
    var request =
        Element.of(
            RemoteXml.PROXY,
            RemoteXml.PROXY_OPERATION,
            RemoteXml.STOP_ASKED,
            RemoteXml.PROXY_SESSION,
            "0"); // of no command
    say(provider, request);
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
