package org.systole.pacemakerd.jgroups;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The addresses of nodes' names. A name that cannot be resolved just now keeps the address it had: nodes go on over their
/// links while no name server answers, also where the configuration file is read anew meanwhile.
///
/// Safe for use by several threads.
final class KnownAddresses {
  /// Who knows the address of a name.
  @FunctionalInterface
  interface Directory {
    InetAddress find(String name) throws UnknownHostException;
  }

  private final Directory directory;
  private final Map<String, InetAddress> known = new ConcurrentHashMap<>();

  KnownAddresses(Directory directory) {
    this.directory = directory;
  }

  InetAddress find(String name) throws UnknownHostException {
    try {
      var found = directory.find(name);
      known.put(name, found);
      return found;
    } catch (UnknownHostException e) {
      var before = known.get(name);
      if (before == null) {
        throw e;
      }
      return before;
    }
  }
}
