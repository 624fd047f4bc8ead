package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;

import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UnicastHeader3;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.TimeScheduler;
import org.jgroups.util.TimeService;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Messages of a peer come in, and what is confirmed goes out.
final class SparingUnicast3Test {
  private final Address a = UUID.randomUUID();
  private final Address b = UUID.randomUUID();
  private final List<Long> confirmed = new ArrayList<>();
  private final List<Long> delivered = new ArrayList<>();
  private SparingUnicast3 unicast = new SparingUnicast3();
  private @Nullable SparingUnicast3 peer;
  private long sent;
  private int said;

  @BeforeEach
  void begin() throws Exception {
    unicast = new SparingUnicast3();
    unicast.setDownProtocol(new Transport());
    unicast.setUpProtocol(
        new Protocol() {
          @Override
          public void up(MessageBatch batch) {
            batch.forEach(it -> delivered.add(it.<UnicastHeader3>getHeader(unicast.getId()).seqno()));
          }
        });
    unicast.setValue("time_service", new TimeService(mock(TimeScheduler.class)));
    unicast.addr(a);
    unicast.start();
  }

  /// Takes down what is confirmed.
  private class Transport extends TP {
    Transport() {
      setTimer(mock(TimeScheduler.class));
    }

    @Override
    public Object down(Message message) {
      UnicastHeader3 header = message.getHeader(unicast.getId());
      if (header.type() == UnicastHeader3.ACK) {
        confirmed.add(header.seqno());
        if (peer != null) {
          peer.up(message.setSrc(a));
        }
      }
      return null;
    }

    @Override
    public boolean supportsMulticasting() {
      return false;
    }

    @Override
    protected PhysicalAddress getPhysicalAddress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sendUnicast(PhysicalAddress to, byte[] data, int offset, int length) {
      throw new UnsupportedOperationException();
    }
  }

  private void come(int messages) {
    for (var i = 0; i < messages; i++) {
      come(++sent, (short) 1);
    }
  }

  private void come(long number, short connection) {
    var message = new EmptyMessage(a).setSrc(b);
    message.putHeader(
        unicast.getId(), UnicastHeader3.createDataHeader(number, connection, number == 1));
    unicast.up(message);
  }

  /// From the second message on they wait.
  private void trickle() {
    for (var tick = 0; tick < SparingUnicast3.STEADY; tick++) {
      come(1);
      unicast.triggerXmit();
    }
    confirmed.clear();
  }

  @Test
  void aTrickleIsConfirmedAfterSomeMessages() {
    for (var tick = 0; tick < 12; tick++) {
      come(2);
      unicast.triggerXmit();
    }
    assertEquals(24, delivered.size());
    assertEquals(List.of(2L, 4L, 12L, 20L), confirmed);
  }

  @Test
  void whatCameLastIsConfirmedAtTheNextTickAndOnlyOnce() {
    trickle();
    come(3);
    unicast.triggerXmit();
    assertEquals(List.of(), confirmed);
    unicast.triggerXmit();
    unicast.triggerXmit();
    assertEquals(List.of(5L), confirmed);
  }

  @Test
  void whatComesSeldomIsConfirmedAtOnce() {
    for (var message = 0; message < 3; message++) {
      come(1);
      unicast.triggerXmit();
      unicast.triggerXmit();
    }
    assertEquals(List.of(1L, 2L, 3L), confirmed);
  }

  /// Who sent it has not heard that it came: it was not confirmed yet, or the confirmation was lost.
  @Test
  void whatComesAgainIsConfirmed() {
    trickle();
    come(1);
    unicast.triggerXmit();
    assertEquals(List.of(), confirmed);
    for (var again = 0; again < 3; again++) {
      come(sent, (short) 1);
      unicast.triggerXmit();
    }
    unicast.triggerXmit();
    assertEquals(List.of(3L, 3L, 3L), confirmed);
  }

  /// However the ticks of two nodes follow upon each other, what was said is confirmed and not said again and again.
  @Test
  void nobodySaysTheSameForEver() throws Exception {
    for (var count = 1; count < 2 * SparingUnicast3.MESSAGES; count++) {
      for (var first : List.of(true, false)) {
        begin();
        said = 0;
        var sender = sender();
        for (var message = 0; message < count; message++) {
          sender.down(new EmptyMessage(a));
          ticks(sender, first);
        }
        for (var tick = 0; tick < 10; tick++) {
          ticks(sender, first);
        }
        assertEquals(0, sender.getNumUnackedMessages(a), count + " messages");
        assertTrue(said <= count + 1, said + " times for " + count + " messages");
        unicast.stop();
      }
    }
  }

  private void ticks(SparingUnicast3 sender, boolean first) {
    for (var it : first ? List.of(sender, unicast) : List.of(unicast, sender)) {
      it.triggerXmit();
    }
  }

  /// The peer's protocol, which hears what is confirmed.
  private SparingUnicast3 sender() throws Exception {
    var sender = new SparingUnicast3();
    sender.setDownProtocol(
        new Transport() {
          @Override
          public Object down(Message message) {
            said++;
            unicast.up(message.copy(true, true).setSrc(b));
            return null;
          }
        });
    sender.setValue("time_service", new TimeService(mock(TimeScheduler.class)));
    sender.addr(b);
    sender.start();
    peer = sender;
    return sender;
  }

  /// Who sent something keeps it until it is confirmed: much must not wait.
  @Test
  void manyMessagesAreConfirmedAtTheFirstTick() {
    trickle();
    come(5000);
    unicast.triggerXmit();
    assertEquals(List.of(5002L), confirmed);
    come(7);
    unicast.triggerXmit();
    come(5000);
    unicast.triggerXmit();
    assertEquals(List.of(5002L, 10_009L), confirmed);
  }

  @Test
  void nothingIsHeldBackWhenAConnectionEnds() {
    trickle();
    come(3);
    unicast.triggerXmit();
    assertEquals(List.of(), confirmed);
    unicast.removeReceiveConnection(b);
    assertEquals(List.of(5L), confirmed);
    unicast.triggerXmit();
    assertEquals(List.of(5L), confirmed);
  }

  @Test
  void nothingIsHeldBackWhenTheProtocolStops() {
    trickle();
    come(3);
    unicast.triggerXmit();
    assertEquals(List.of(), confirmed);
    unicast.stop();
    assertEquals(List.of(5L), confirmed);
  }

  /// Its numbers begin anew.
  @Test
  void anotherConnectionIsCountedForItself() {
    come(8);
    unicast.triggerXmit();
    come(1, (short) 2);
    unicast.triggerXmit();
    unicast.triggerXmit();
    assertEquals(List.of(8L, 1L), confirmed);
  }
}
