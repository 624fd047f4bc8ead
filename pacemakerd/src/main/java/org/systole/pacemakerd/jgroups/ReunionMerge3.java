package org.systole.pacemakerd.jgroups;

import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.MERGE3;
import org.jgroups.util.Util;

/// MERGE3 that does not search for others while all nodes are in its view. It still announces its
/// view to them, because another process may hold a different one.
final class ReunionMerge3 extends MERGE3 {
  private static final int WHOLE_MILLIS = 1500;

  private volatile int nodes;

  /// @param nodes how many the cluster has
  ReunionMerge3(int nodes) {
    this.nodes = nodes;
    id = ClassConfigurator.getProtocolId(MERGE3.class);
  }

  void nodes(int count) {
    nodes = count;
  }

  @Override
  protected synchronized void startInfoSender() {
    if (info_sender_future == null || info_sender_future.isDone()) {
      info_sender_future = timer.scheduleWithDynamicInterval(new Teller(), false);
    }
  }

  private boolean isWhole() {
    var present = view;
    return present != null && present.size() >= nodes;
  }

  private final class Teller extends InfoSender {
    @Override
    public void run() {
      if (!isWhole()) {
        super.run();
      } else if (nodes > 1) {
        down_prot.down(
            new EmptyMessage()
                .setFlag(Message.TransientFlag.DONT_LOOPBACK)
                .putHeader(getId(), createInfo()));
      }
    }

    @Override
    public long nextInterval() {
      return isWhole() ? WHOLE_MILLIS + Util.random(WHOLE_MILLIS) : super.nextInterval();
    }
  }
}
