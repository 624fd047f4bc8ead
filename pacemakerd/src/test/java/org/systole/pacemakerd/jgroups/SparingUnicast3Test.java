package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Messages of a peer come in, and what is confirmed goes out.
final class SparingUnicast3Test {
  private final Address a = UUID.randomUUID();
  private final Address b = UUID.randomUUID();
  private final List<Long> confirmed = new ArrayList<>();
  private final List<Long> delivered = new ArrayList<>();
  private final SparingUnicast3 unicast = new SparingUnicast3();
  private long sent;

  @BeforeEach
  void begin() throws Exception {
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
  private final class Transport extends TP {
    Transport() {
      setTimer(mock(TimeScheduler.class));
    }

    @Override
    public Object down(Message message) {
      UnicastHeader3 header = message.getHeader(unicast.getId());
      if (header.type() == UnicastHeader3.ACK) {
        confirmed.add(header.seqno());
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

  @Test
  void aTrickleIsConfirmedAfterSomeMessages() {
    for (var tick = 0; tick < 12; tick++) {
      come(2);
      unicast.triggerXmit();
    }
    assertEquals(24, delivered.size());
    assertEquals(List.of(8L, 16L, 24L), confirmed);
  }

  @Test
  void whatCameLastIsConfirmedAtTheNextTickAndOnlyOnce() {
    come(3);
    unicast.triggerXmit();
    assertEquals(List.of(), confirmed);
    unicast.triggerXmit();
    unicast.triggerXmit();
    assertEquals(List.of(3L), confirmed);
  }

  /// Who sent something keeps it until it is confirmed: much must not wait.
  @Test
  void manyMessagesAreConfirmedAtTheFirstTick() {
    come(5000);
    unicast.triggerXmit();
    assertEquals(List.of(5000L), confirmed);
    come(7);
    unicast.triggerXmit();
    come(5000);
    unicast.triggerXmit();
    assertEquals(List.of(5000L, 10_007L), confirmed);
  }

  @Test
  void nothingIsHeldBackWhenAConnectionEnds() {
    come(3);
    unicast.triggerXmit();
    unicast.removeReceiveConnection(b);
    assertEquals(List.of(3L), confirmed);
    unicast.triggerXmit();
    assertEquals(List.of(3L), confirmed);
  }

  @Test
  void nothingIsHeldBackWhenTheProtocolStops() {
    come(3);
    unicast.triggerXmit();
    unicast.stop();
    assertEquals(List.of(3L), confirmed);
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
