package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.systole.pacemakerd.link.FakeCluster;

/// Process a has a lifeline to b, whose end of it the test holds.
final class LifelinesProtocolTest {
  private static final int OFFSET = 1;
  private static final byte YES = 1;
  private static final byte NO = 2;

  private final Address a = UUID.randomUUID();
  private final Address b = UUID.randomUUID();
  private final BlockingQueue<Address> ended = new LinkedBlockingQueue<>();
  private final BlockingQueue<Address> suspected = new LinkedBlockingQueue<>();
  private final InetAddress there = InetAddress.ofLiteral("127.0.0.2");
  private LifelinesProtocol lifelines;
  private ServerSocket server;
  private Socket line;

  @BeforeEach
  void begin() throws Exception {
    var here = InetAddress.ofLiteral("127.0.0.1");
    server = new ServerSocket();
    server.bind(new InetSocketAddress(there, 0));
    var port = server.getLocalPort() - OFFSET;
    var world = new FakeCluster(2, "").new Process(1, JGroupsChannel.address(a));
    lifelines =
        new LifelinesProtocol(
            new PeerRoutes(world, here, port), port, OFFSET, new DefaultSocketFactory(), ended::add);
    lifelines.addr(a);
    lifelines.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Event event) {
            return event.type() == Event.GET_PHYSICAL_ADDRESS ? new IpAddress(there, port) : null;
          }
        });
    lifelines.setUpProtocol(
        new Protocol() {
          @Override
          public Object up(Event event) {
            suspected.add(b);
            return null;
          }
        });
    lifelines.start();
    lifelines.down(new Event(Event.VIEW_CHANGE, View.create(a, 1, a, b)));
    line = answer(YES);
  }

  @AfterEach
  void end() throws Exception {
    lifelines.stop();
    line.close();
    server.close();
  }

  private Socket answer(byte what) throws IOException {
    var opened = server.accept();
    var name = opened.getInputStream().readNBytes(opened.getInputStream().read());
    assertEquals(17, name.length); // its kind and a UUID
    opened.getOutputStream().write(what);
    return opened;
  }

  @Test
  void whoIsClosedByItsSystemAndListensNoMoreHasEnded() throws Exception {
    server.close();
    line.close();

    assertEquals(b, ended.poll(10, TimeUnit.SECONDS));
  }

  /// As a firewall does that rejects with a reset from now on.
  @Test
  void whoIsBrokenOffAndRefusesIsOnlySuspected() throws Exception {
    server.close();
    line.setSoLinger(true, 0);
    line.close();

    assertNotNull(suspected.poll(10, TimeUnit.SECONDS));
    assertNull(ended.poll());
  }

  @Test
  void whereAnotherProcessListensTheOneBeforeHasEnded() throws Exception {
    line.setSoLinger(true, 0);
    line.close();
    answer(NO).close();

    assertEquals(b, ended.poll(10, TimeUnit.SECONDS));
  }
}
