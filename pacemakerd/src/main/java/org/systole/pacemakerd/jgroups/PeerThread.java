package org.systole.pacemakerd.jgroups;

import org.jgroups.Address;

/// A thread that sends to one peer and to no other: it may wait for that peer.
final class PeerThread extends Thread {
  private final Address peer;

  PeerThread(Address peer, Runnable task) {
    super(task, "send");
    this.peer = peer;
    setDaemon(true);
  }

  /// Whether the running thread sends to this peer alone.
  static boolean serves(Address peer) {
    return currentThread() instanceof PeerThread it && it.peer.equals(peer);
  }
}
