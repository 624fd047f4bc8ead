package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.protocols.TCP;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.common.world.World;
import org.systole.pacemakerd.link.LinkTiming;

class InReaderTest {
  private record Delivered(Thread by, boolean inReader) {}

  private final Address self = UUID.randomUUID();
  private final Address peer = UUID.randomUUID();
  private final LinkedBlockingQueue<Delivered> delivered = new LinkedBlockingQueue<>();
  private final InReader policy = new InReader();
  private final Transport transport = new Transport();

  private final class Transport extends TCP {
    @Override
    public void passMessageUp(Message message, boolean sameName, boolean toAll, boolean notOwn) {
      delivered.add(new Delivered(Thread.currentThread(), InReader.isThis()));
    }

    @Override
    public void passBatchUp(MessageBatch batch, boolean sameName, boolean notOwn) {
      delivered.add(new Delivered(Thread.currentThread(), InReader.isThis()));
    }
  }

  @BeforeEach
  void begin() throws Exception {
    transport.setAddress(self);
    transport.getThreadPool().init();
    policy.init(transport);
  }

  @AfterEach
  void end() {
    transport.getThreadPool().destroy();
  }

  private Message message() {
    return new BytesMessage(self, new byte[1]).setSrc(peer);
  }

  private Delivered next() throws InterruptedException {
    return delivered.poll(30, TimeUnit.SECONDS);
  }

  private MessageBatch batch(Message... messages) {
    return new MessageBatch(self, peer, null, false, List.of(messages));
  }

  @Test
  void aMarkedMessageIsDeliveredByWhoReadIt() {
    policy.process(InReader.marked(message()), false);
    assertEquals(new Delivered(Thread.currentThread(), true), delivered.remove());
    policy.process(batch(InReader.marked(message()), InReader.marked(message())), false);
    assertEquals(new Delivered(Thread.currentThread(), true), delivered.remove());
    assertFalse(InReader.isThis());
  }

  @Test
  void anyOtherIsDeliveredByThePool() throws Exception {
    policy.process(message(), false);
    byAnother();
    policy.process(InReader.marked(message().setFlag(Message.Flag.OOB)), true);
    byAnother();
    policy.process(batch(InReader.marked(message()), message()), false);
    byAnother();
  }

  private void byAnother() throws InterruptedException {
    var it = next();
    assertNotSame(Thread.currentThread(), it.by);
    assertFalse(it.inReader);
  }

  /// What the mark is travels outside the seal, and comes back as it was.
  @Test
  void theMarkTravels() throws Exception {
    var sent = InReader.marked(message());
    var buffer = org.jgroups.util.Util.messageToBuffer(sent);
    var come =
        org.jgroups.util.Util.messageFromBuffer(buffer.array(), buffer.offset(), buffer.length());
    assertEquals(sent.getFlags(false), come.getFlags(false));
    assertTrue(come.isFlagSet(Message.Flag.SKIP_BARRIER));
    assertTrue(InReader.marked(message()).copy(false, false).isFlagSet(Message.Flag.SKIP_BARRIER));
  }

  /// A transport makes a policy by the name of one when it begins, whatever it was given before.
  @Test
  void theLinksTransportGoesByIt() throws Exception {
    var here = InetAddress.getLoopbackAddress();
    var tcp = new PeerTcp(LinkTiming.ofToken(1000), new PeerRoutes(mock(World.class), here, 0), true);
    tcp.setBindAddress(here);
    try (var _ = new JChannel(tcp)) {
      assertInstanceOf(InReader.class, tcp.msgProcessingPolicy());
    }
  }
}
