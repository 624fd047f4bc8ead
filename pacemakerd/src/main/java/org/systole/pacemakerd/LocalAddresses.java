package org.systole.pacemakerd;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;

/// Which addresses belong to this machine.
final class LocalAddresses {
  private LocalAddresses() {}

  static boolean has(String address) {
    try {
      var it = InetAddress.getByName(address);
      return it.isLoopbackAddress() || NetworkInterface.getByInetAddress(it) != null;
    } catch (IOException e) {
      return false; // an unknown name, or no permission to look
    }
  }
}
