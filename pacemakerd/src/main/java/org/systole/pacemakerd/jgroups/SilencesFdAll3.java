package org.systole.pacemakerd.jgroups;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FD_ALL3;

/// FD_ALL3 that also reports the peers of which this process hears nothing. JGroups' own reports
/// only those whose loss makes this process the first of a view.
///
/// Any message from a peer shows that it is there. So a heartbeat goes only to peers to whom
/// nothing else was sent since the last one: while the link's rounds run, none is needed. One task
/// sends and checks, because a wake-up is most of the cost of either.
///
/// A silence is counted in checks. One that comes too soon after another, as it does at the transport's next tick where that
/// one was late, would make it look longer than it is, and is left out.
final class SilencesFdAll3 extends FD_ALL3 {
  private static final int EARLY_OF = 8; // a timer is late by some milliseconds now and then

  private final BiConsumer<Address, Boolean> silent;
  private final Set<Address> addressed = ConcurrentHashMap.newKeySet();

  SilencesFdAll3(BiConsumer<Address, Boolean> silent) {
    this.silent = silent;
    id = ClassConfigurator.getProtocolId(FD_ALL3.class);
  }

  /// Goes by other times from now on. Whatever was heard before counts as heard just now.
  void retime(long timeoutMillis, long intervalMillis) {
    var runs = isHeartbeatSenderRunning();
    if (runs) {
      stopHeartbeatSender();
    }
    setInterval(intervalMillis);
    setTimeout(timeoutMillis);
    for (var peer : List.copyOf(timestamps.keySet())) {
      timestamps.remove(peer);
      update(peer, false, false);
    }
    if (runs) {
      startHeartbeatSender();
    }
  }

  @Override
  public Object down(Message message) {
    var to = message.getDest();
    if (to != null) {
      addressed.add(to);
    } else {
      addressed.addAll(present());
    }
    return down_prot.down(message);
  }

  private List<Address> present() {
    synchronized (this) {
      return List.copyOf(members);
    }
  }

  @Override
  protected void startHeartbeatSender() {
    lock.lock();
    try {
      if (!isHeartbeatSenderRunning()) {
        var checks = new Checks(createTimeoutChecker(), interval);
        heartbeat_sender =
            timer.scheduleWithFixedDelay(
                () -> {
                  speak();
                  checks.run();
                },
                0,
                interval,
                TimeUnit.MILLISECONDS,
                false);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  protected void startTimeoutChecker() {} // the task that sends also checks

  private static final class Checks implements Runnable {
    private final Runnable look;
    private final long between;
    private long next = System.nanoTime();

    Checks(Runnable look, long intervalMillis) {
      this.look = look;
      var interval = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
      this.between = interval - interval / EARLY_OF;
    }

    @Override
    public void run() {
      var now = System.nanoTime();
      if (now - next >= 0) {
        next = now + between;
        look.run();
      }
    }
  }

  private void speak() {
    var others = present();
    for (var peer : others) {
      if (!addressed.remove(peer) && !peer.equals(local_addr)) {
        var heartbeat = new EmptyMessage(peer).putHeader(id, new HeartbeatHeader());
        down_prot.down(InReader.marked(heartbeat)); // who reads it notes it: no other thread is woken
        num_heartbeats_sent++;
      }
    }
    addressed.retainAll(others);
  }

  @Override
  protected void suspect(List<Address> suspects) {
    suspects.forEach(it -> silent.accept(it, true));
    super.suspect(suspects);
  }

  @Override
  protected boolean unsuspect(Address peer) {
    var suspected = super.unsuspect(peer);
    if (suspected) {
      silent.accept(peer, false);
    }
    return suspected;
  }
}
