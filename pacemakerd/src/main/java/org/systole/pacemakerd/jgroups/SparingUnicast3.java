package org.systole.pacemakerd.jgroups;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.UNICAST3;
import org.jspecify.annotations.Nullable;

/// UNICAST3 that does not confirm a steady trickle of messages at each of its ticks, but after some
/// messages, or when no more come. What is confirmed is merely forgotten by who sent it, and each
/// confirmation wakes four threads on two nodes: while only the link's rounds run, that was a fifth of
/// what a node does. What is missing is asked for at each tick, as ever.
///
/// Only what came at each of some ticks is such a trickle, and what comes again is confirmed at once: who sent it
/// says the last message again at each of its ticks while nothing is confirmed and nothing follows.
///
/// The number of messages is kept low, as those that are not confirmed may come again after a connection
/// was made anew.
final class SparingUnicast3 extends UNICAST3 {
  static final int MESSAGES = 8;
  static final int STEADY = 2;

  private final Map<Address, Trickle> trickles = new HashMap<>();
  private @Nullable Thread ticking; // whoever runs the tick

  /// What came from a peer over one connection.
  ///
  /// @param confirmed up to which it was told
  /// @param last up to which it could be told
  /// @param ticks at how many ticks in a row before the present one more came
  /// @param moved whether more came at the present tick
  private record Trickle(short connection, Address as, long confirmed, long last, int ticks, boolean moved) {
    Trickle told() {
      return new Trickle(connection, as, last, last, ticks, moved);
    }

    Trickle still() {
      return new Trickle(connection, as, confirmed, last, moved ? Math.min(ticks + 1, STEADY) : 0, false);
    }

    boolean isHeld() {
      return confirmed != last;
    }
  }

  SparingUnicast3() {
    id = ClassConfigurator.getProtocolId(UNICAST3.class);
  }

  @Override
  public void triggerXmit() {
    synchronized (trickles) {
      trickles.replaceAll((peer, it) -> it.still());
      ticking = Thread.currentThread();
    }
    try {
      super.triggerXmit();
    } finally {
      confirm(false);
    }
  }

  @Override
  public void sendPendingAcks() {
    super.sendPendingAcks();
    confirm(true);
  }

  @Override
  public void removeReceiveConnection(Address peer) {
    super.removeReceiveConnection(peer);
    synchronized (trickles) {
      trickles.remove(peer);
    }
  }

  private void confirm(boolean all) {
    var due = new ArrayList<Map.Entry<Address, Trickle>>();
    synchronized (trickles) {
      ticking = null;
      trickles.forEach(
          (peer, it) -> {
            if (it.isHeld() && (all || !it.moved())) {
              due.add(Map.entry(peer, it));
            }
          });
      due.forEach(it -> trickles.put(it.getKey(), it.getValue().told()));
    }
    due.forEach(
        it -> {
          var trickle = it.getValue();
          super.sendAck(it.getKey(), trickle.last(), trickle.connection(), trickle.as());
        });
  }

  @Override
  protected void sendAck(Address peer, long last, short connection, Address as) {
    if (!isHeld(peer, last, connection, as)) {
      super.sendAck(peer, last, connection, as);
    }
  }

  private boolean isHeld(Address peer, long last, short connection, Address as) {
    synchronized (trickles) {
      var known = trickles.get(peer);
      var before = known == null || known.connection() != connection ? new Trickle(connection, as, 0, 0, 0, false) : known;
      var more = last > before.last();
      var held =
          Thread.currentThread().equals(ticking)
              && more
              && before.ticks() == STEADY
              && last - before.confirmed() < MESSAGES;
      trickles.put(peer, new Trickle(connection, as, held ? before.confirmed() : last, last, before.ticks(), more));
      return held;
    }
  }
}
