package org.systole.pacemakerd.jgroups;

import org.jgroups.Message;
import org.jgroups.util.MaxOneThreadPerSender;
import org.jgroups.util.MessageBatch;

/// What the link's daemons say to one another is delivered by the thread that read it from the
/// connection: it goes no further than the loop's queue, and waits only where that is full. So are
/// heartbeats, which are only noted. Everything else goes to a pool of threads, for what JGroups does
/// with it may take the answer of the same peer, as when views are merged; who reads that peer's
/// messages must not wait for it.
///
/// A thread that delivers may find that messages after its own have come meanwhile, and is to
/// deliver them too. [#isThis] tells where that must not be.
final class InReader extends MaxOneThreadPerSender {
  /// Means something to protocols only that this stack does not have. It is outside the seal: what it
  /// decides is by which thread a message is opened.
  private static final Message.Flag MARK = Message.Flag.SKIP_BARRIER;

  private static final ThreadLocal<Boolean> DELIVERS = new ThreadLocal<>();

  /// Marks a message that is delivered so.
  static Message marked(Message message) {
    return message.setFlag(MARK);
  }

  /// Whether the running thread reads a peer's messages.
  static boolean isThis() {
    return DELIVERS.get() != null;
  }

  @Override
  public boolean process(Message message, boolean oob) {
    if (oob || !message.isFlagSet(MARK)) {
      return super.process(message, oob);
    }
    deliver(() -> tp.passMessageUp(message, true, message.getDest() == null, true));
    return true;
  }

  @Override
  public boolean process(MessageBatch batch, boolean oob) {
    for (var message : batch) {
      if (oob || !message.isFlagSet(MARK)) {
        return super.process(batch, oob);
      }
    }
    deliver(new BatchHandler(batch, false));
    return true;
  }

  /// Runs what delivers messages as the reader of a connection does.
  static void deliver(Runnable handler) {
    DELIVERS.set(true);
    try {
      handler.run();
    } finally {
      DELIVERS.remove();
    }
  }
}
