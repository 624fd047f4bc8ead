package org.systole.pacemakerd.jgroups;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.VERIFY_SUSPECT2;

/// VERIFY_SUSPECT2 that checks its suspects when their time is up instead of polling: ten polls a
/// second were a good part of an idle node's work.
final class LazyVerifySuspect2 extends VERIFY_SUSPECT2 {
  LazyVerifySuspect2() {
    id = ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class);
  }

  @Override
  public synchronized void start() {
    running = true;
  }

  @Override
  protected synchronized void addSuspects(Collection<Address> added) {
    super.addSuspects(added);
    lookLater();
  }

  @Override
  public void run() {
    super.run();
    lookLater();
  }

  private synchronized void lookLater() {
    if (running && !suspects.isEmpty()) {
      timer.schedule(this, timeout, TimeUnit.MILLISECONDS, true);
    }
  }
}
