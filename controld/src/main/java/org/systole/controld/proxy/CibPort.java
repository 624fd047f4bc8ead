package org.systole.controld.proxy;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.world.CannotStart;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.SecureStreams;
import org.systole.common.world.Server;
import org.systole.common.world.World;
import org.systole.common.xml.Element;

/// Lets commands of machines that are no members read and change the CIB, at the port that the CIB
/// itself names (`remote-tls-port`); without one nothing listens. Who comes has proved to know a key or
/// to have a certificate before anything is read of it, and then says the password of a user, see
/// [PasswordCheck]. What it may do is what that user may do as a member of `haclient`.
public final class CibPort {
  static final String TLS_PORT = "remote-tls-port";
  static final String CLEAR_PORT = "remote-clear-port";

  /// A command has two connections.
  static final int VISITORS_MAX = 40;

  private static final Duration AGAIN = Duration.ofSeconds(30);
  private static final int PORT_MAX = 65_535;

  /// By which the CIB manager knows that they are not its own.
  static final NodeName ELSEWHERE = new NodeName("CIB_server");

  private final World world;
  private final Supplier<SecureStreams> network;
  private final @Nullable String address;
  private final PasswordCheck passwords;
  private final Set<CibVisitor> visitors = new LinkedHashSet<>();
  private @Nullable Server server;
  private World.@Nullable Timer again;
  private int port; // 0 for none
  private String clear = "";
  private long visits;

  /// @param network asked for when a port is to be opened
  /// @param env the node's environment
  public CibPort(World world, Supplier<SecureStreams> network, Map<String, String> env) {
    this.world = world;
    this.network = network;
    var named = env.getOrDefault(Layout.CIB_ADDRESS, "").strip();
    this.address = named.isEmpty() ? null : named;
    this.passwords = new PasswordCheck(world);
  }

  /// Goes by what the CIB says now.
  public void changed(Element cib) {
    warnOfClear(cib.get(CLEAR_PORT, ""));
    var named = cib.get(TLS_PORT, "");
    var wanted = Numbers.integer(named, 0);
    if (wanted < 0 || wanted > PORT_MAX) {
      wanted = 0;
    }
    if (wanted == port) {
      return;
    }
    close();
    port = wanted;
    if (port != 0) {
      open();
    }
  }

  private void warnOfClear(String named) {
    if (!named.equals(clear)) {
      clear = named;
      if (Numbers.integer(named, 0) > 0) {
        world
            .log()
            .warning(
                "%s of the CIB has no effect: passwords are not taken without encryption; use %s"
                    .formatted(CLEAR_PORT, TLS_PORT));
      }
    }
  }

  private void open() {
    again = null;
    try {
      server = network.get().listen(address, port, this::accept);
      var where = address == null ? "" : " of " + address;
      world.log().notice("Commands of other machines are served at port %d%s".formatted(port, where));
    } catch (CannotStart | LinkageError e) {
      world
          .log()
          .error(
              "Commands of other machines cannot be served: %s; trying again in %d s"
                  .formatted(e.getMessage(), AGAIN.toSeconds()));
      again = world.after(AGAIN, this::open);
    }
  }

  private void close() {
    if (again != null) {
      again.cancel();
      again = null;
    }
    if (server != null) {
      server.close();
      server = null;
      world.log().notice("Commands of other machines are served no more at port %d".formatted(port));
    }
    List.copyOf(visitors).forEach(it -> it.end("the port is closed"));
  }

  private ConnectionHandler accept(Connection connection) {
    var visitor = new CibVisitor(world, connection, "visit-" + ++visits, passwords, visitors::remove);
    if (visitors.size() >= VISITORS_MAX) {
      visitor.refuse("there are too many");
    } else {
      visitors.add(visitor);
    }
    return visitor;
  }
}
