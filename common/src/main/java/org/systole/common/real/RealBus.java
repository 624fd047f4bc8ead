package org.systole.common.real;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.SystemBus;

/// The machine's bus, where there is one. What speaks its language is loaded with the first connection to a bus that is
/// there: most nodes never need it.
final class RealBus implements SystemBus {
  /// The environment variable with the bus' address.
  static final String ADDRESS = "DBUS_SYSTEM_BUS_ADDRESS";

  private static final String USUAL = "unix:path=/run/dbus/system_bus_socket";

  private final EventLoop loop;
  private final String addresses;

  RealBus(EventLoop loop, Map<String, String> environment) {
    this.loop = loop;
    var chosen = environment.get(ADDRESS);
    this.addresses = chosen == null || chosen.isEmpty() ? USUAL : chosen;
  }

  @Override
  public Link open(Handler handler) {
    var link = new BusLink(loop, handler);
    var socket = socket();
    if (socket == null) {
      link.lost("none of the bus addresses '%s' is the path of a socket".formatted(addresses));
    } else if (!Files.exists(socket)) {
      link.lost("there is no " + socket);
    } else {
      link.connect(socket);
    }
    return link;
  }

  /// The first of the addresses that is the path of a Unix socket.
  private @Nullable Path socket() {
    for (var address : addresses.split(";")) {
      if (address.startsWith("unix:")) {
        for (var part : address.substring("unix:".length()).split(",")) {
          if (part.startsWith("path=/")) {
            return Path.of(part.substring("path=".length()));
          }
        }
      }
    }
    return null;
  }
}
