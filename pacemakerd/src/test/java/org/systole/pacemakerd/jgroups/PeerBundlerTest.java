package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.TCP;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerBundlerTest {
  private static final int SECONDS = 30;

  private final Address self = UUID.randomUUID();
  private final Address healthy = UUID.randomUUID();
  private final Address lost = UUID.randomUUID();
  private final CountDownLatch healed = new CountDownLatch(1);
  private final CountDownLatch tried = new CountDownLatch(1);
  private final LinkedBlockingQueue<Address> reached = new LinkedBlockingQueue<>();
  private final Map<Address, Thread> sentBy = new ConcurrentHashMap<>();
  private final Set<Address> stuck = ConcurrentHashMap.newKeySet();
  private final PeerBundler bundler = new PeerBundler(1, stuck::add);

  /// A transport on which writing to one peer blocks.
  private final class Network extends TCP {
    @Override
    public void doSend(byte[] data, int offset, int length, Address to) throws Exception {
      if (to.equals(lost)) {
        tried.countDown();
        healed.await();
      }
      sentBy.put(to, Thread.currentThread());
      reached.add(to);
    }
  }

  @BeforeEach
  void aView() {
    var network = new Network();
    network.setAddress(self);
    bundler.init(network);
    bundler.start();
    bundler.viewChange(View.create(self, 1, self, lost, healthy));
  }

  @AfterEach
  void stop() {
    healed.countDown();
    bundler.stop();
  }

  private static Message to(Address peer) {
    return new EmptyMessage(peer).setFlag(Message.TransientFlag.DONT_LOOPBACK);
  }

  private Address next() throws InterruptedException {
    return reached.poll(SECONDS, TimeUnit.SECONDS);
  }

  private void block() throws InterruptedException {
    bundler.send(to(lost));
    assertTrue(tried.await(SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void aPeerThatDoesNotReadDoesNotHoldUpBroadcasts() throws Exception {
    block();
    bundler.send(to(null));
    assertEquals(healthy, next());
    bundler.viewChange(View.create(self, 2, self, healthy));
    bundler.send(to(null));
    assertEquals(healthy, next());
    healed.countDown();
    assertEquals(List.of(lost, lost), List.of(next(), next()), "what waited is sent after all");
  }

  @Test
  void aPeerThatDoesNotReadDoesNotHoldUpMessagesToAnother() throws Exception {
    block();
    bundler.send(to(healthy));
    assertEquals(healthy, next());
  }

  @Test
  void messagesThatWaitForAPeerAreLimited() throws Exception {
    block();
    for (var round = 0; round < 40; round++) {
      bundler.send(new BytesMessage(lost, new byte[1 << 20]));
    }
    assertEquals(32, bundler.size());
    healed.countDown();
    for (var round = 0; round < 33; round++) {
      assertEquals(lost, next());
    }
  }

  @Test
  void aPeerWhoseThreadIsBusyForLongIsReportedWhenThereIsMoreForIt() throws Exception {
    block();
    TimeUnit.MILLISECONDS.sleep(2); // longer than the patience
    bundler.send(to(null));
    assertEquals(Set.of(lost), stuck);
  }

  private void byOwnThread(Address peer, Runnable task) throws InterruptedException {
    var thread = new PeerThread(peer, task);
    thread.start();
    assertTrue(thread.join(Duration.ofSeconds(SECONDS)), "nobody waits");
  }

  @Test
  void aThreadThatServesOnePeerSendsByItself() throws Exception {
    bundler.send(to(healthy)); // by then the peer is known
    assertEquals(healthy, next());
    do { // the other thread may not have left yet
      byOwnThread(healthy, () -> bundler.send(to(healthy)));
      assertEquals(healthy, next());
    } while (!(sentBy.get(healthy) instanceof PeerThread));
    byOwnThread(lost, () -> bundler.send(to(healthy)));
    assertEquals(healthy, next());
    assertFalse(sentBy.get(healthy) instanceof PeerThread, "it serves another one");
  }

  @Test
  void aThreadThatServesOnePeerDoesNotOvertakeNorWaitForWhatIsBeingSent() throws Exception {
    block();
    byOwnThread(lost, () -> bundler.send(to(lost)));
    assertEquals(1, bundler.size());
    healed.countDown();
    assertEquals(List.of(lost, lost), List.of(next(), next()));
  }
}
