package org.systole.pacemakerd.jgroups;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.BaseBundler;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// A queue and a thread for every peer, used for broadcasts as well. So a peer that does not read,
/// as one behind a cut link, delays no other. JGroups' own bundlers send broadcasts from one thread
/// to one peer after the other: the view without a lost peer, and heartbeats, would wait until the
/// system gives up the connection to it.
///
/// A sender never waits. A message that does not fit into a queue is dropped; the protocols above
/// repeat what matters. Only a thread that serves a single peer, a [PeerThread], sends to that one
/// itself while nothing else does: nobody else waits for it, and no thread has to be woken.
final class PeerBundler extends BaseBundler {
  private static final int WAITING_MAX = 8192; // messages for one peer
  private static final int WAITING_BYTES_MAX = 32 << 20; // for one peer
  private static final int TOGETHER_MAX = 256; // messages that go as one
  private static final int TOGETHER_BYTES = 60_000;
  private static final long IDLE_SECONDS = 60; // then the thread ends

  private volatile long patienceNanos;
  private final Consumer<Address> stuck;
  private final Map<Address, Peer> peers = new ConcurrentHashMap<>();
  private volatile boolean stopped;

  /// @param stuck given a peer whose thread is busy with one batch for longer than the patience,
  ///     whenever there is more for it; must not block
  PeerBundler(long patienceMillis, Consumer<Address> stuck) {
    this.patienceNanos = patienceMillis * 1_000_000;
    this.stuck = stuck;
  }

  void patience(long millis) {
    patienceNanos = millis * 1_000_000;
  }

  @Override
  public void start() {
    stopped = false;
  }

  @Override
  public void stop() {
    stopped = true;
    peers.values().forEach(Peer::interrupt);
    peers.clear();
  }

  @Override
  public int size() {
    return peers.values().stream().mapToInt(it -> it.queue.size()).sum();
  }

  @Override
  public int getQueueSize() {
    return size();
  }

  @Override
  public void send(Message message) {
    if (message.getSrc() == null) {
      message.setSrc(transport.getAddress());
    }
    var to = message.getDest();
    if (isSelf(to)) {
      loopbackUnlessDontLoopbackIsSet(message);
    } else if (to != null) {
      queue(to, message);
    } else {
      sendToAll(message);
    }
  }

  private void sendToAll(Message message) {
    var present = members;
    if (present != null) {
      for (var member : present) {
        if (!isSelf(member)) {
          queue(member, message);
        }
      }
    }
    loopbackUnlessDontLoopbackIsSet(message);
  }

  private boolean isSelf(@Nullable Address it) {
    return it != null
        && (it.equals(transport.getAddress())
            || it instanceof PhysicalAddress && it.equals(transport.localPhysicalAddress()));
  }

  private void queue(Address to, Message message) {
    if (stopped || isSentByItself(to, message)) {
      return;
    }
    var peer =
        peers.compute(
            to,
            (_, present) -> {
              var it = present == null ? new Peer(to) : present;
              it.offer(message);
              if (present == null) {
                it.start();
              }
              return it;
            });
    if (peer.isStuck()) {
      stuck.accept(to);
    }
  }

  private boolean isSentByItself(Address to, Message message) {
    if (!PeerThread.serves(to)) {
      return false;
    }
    var peer = peers.get(to);
    return peer != null && peer.sendsAtOnce(message);
  }

  private final class Peer implements Runnable {
    private final Address to;
    private final LinkedBlockingQueue<Message> queue = new LinkedBlockingQueue<>(WAITING_MAX);
    private final ByteArrayDataOutputStream out = new ByteArrayDataOutputStream(1024);
    private final Thread thread = Thread.ofPlatform().daemon().name("to-peer").unstarted(this);
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private final ReentrantLock turn = new ReentrantLock(); // to write
    private @Nullable Message next;
    private volatile long busySince; // 0 if it is not

    Peer(Address to) {
      this.to = to;
    }

    void start() {
      thread.start();
    }

    void interrupt() {
      thread.interrupt();
    }

    void offer(Message message) {
      var length = message.getLength();
      if (waitingBytes.addAndGet(length) > WAITING_BYTES_MAX || !queue.offer(message)) {
        waitingBytes.addAndGet(-length);
        num_drops_on_full_queue.increment();
      }
    }

    /// Sends a message on the caller's thread, unless others are being sent or wait.
    boolean sendsAtOnce(Message message) {
      if (!queue.isEmpty() || turn.hasQueuedThreads() || !turn.tryLock()) {
        return false;
      }
      try {
        transmit(message.getDest(), List.of(message));
        return true;
      } finally {
        turn.unlock();
      }
    }

    boolean isStuck() {
      var since = busySince;
      return since != 0 && System.nanoTime() - since > patienceNanos;
    }

    @Override
    public void run() {
      try {
        while (!stopped) {
          if (next == null) {
            next = queue.poll(IDLE_SECONDS, TimeUnit.SECONDS);
          }
          if (next != null) {
            sendSome();
          } else if (peers.computeIfPresent(to, (_, it) -> it.queue.isEmpty() ? null : it)
              == null) {
            return;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the transport stops
      }
    }

    /// Sends one batch. Broadcasts and messages to this peer alone travel in different batches; the
    /// protocols above do not order them with each other.
    private void sendSome() {
      var toAll = new ArrayList<Message>();
      var toPeer = new ArrayList<Message>();
      var bytes = 0;
      for (var room = true; next != null && room; ) {
        (next.getDest() == null ? toAll : toPeer).add(next);
        bytes += next.getLength();
        next = queue.poll();
        room =
            next != null
                && toAll.size() + toPeer.size() < TOGETHER_MAX
                && bytes + next.getLength() < TOGETHER_BYTES;
      }
      waitingBytes.addAndGet(-bytes);
      turn.lock();
      try {
        transmit(null, toAll);
        transmit(to, toPeer);
      } finally {
        turn.unlock();
      }
    }

    private void transmit(@Nullable Address as, List<Message> together) {
      if (together.isEmpty()) {
        return;
      }
      busySince = System.nanoTime() | 1;
      try {
        out.position(0);
        write(as, together);
        transport.doSend(out.buffer(), 0, out.position(), to);
        total_msgs_sent.add(together.size());
      } catch (Exception e) {
        log.trace(FMT, transport.getAddress(), to, e.getMessage());
      } finally {
        busySince = 0;
      }
    }

    private void write(@Nullable Address as, List<Message> together) throws Exception {
      if (together.size() == 1) {
        Util.writeMessage(together.getFirst(), out, as == null);
        return;
      }
      var cluster = transport.getClusterNameAscii();
      Util.writeMessageList(
          as,
          transport.getAddress(),
          cluster == null ? null : cluster.val(),
          together,
          out,
          as == null);
    }
  }
}
