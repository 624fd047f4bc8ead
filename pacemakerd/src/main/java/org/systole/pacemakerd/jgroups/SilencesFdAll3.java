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
final class SilencesFdAll3 extends FD_ALL3 {
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
        var look = createTimeoutChecker();
        heartbeat_sender =
            timer.scheduleWithFixedDelay(
                () -> {
                  speak();
                  look.run();
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
