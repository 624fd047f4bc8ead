package org.systole.pacemakerd.jgroups;

import java.util.Collection;
import org.jgroups.Address;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.TCP;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// TCP between the nodes, in which no peer can delay another one: see [PeerBundler] and
/// [PeerTcpServer].
final class PeerTcp extends BasicTCP {
  private static final int BUFFER = 64 << 10;

  private final PeerBundler peers;
  private volatile long patienceMillis;
  private volatile @Nullable PeerTcpServer server;

  /// @param patienceMillis after which a connection over which nothing came counts as dead
  PeerTcp(long patienceMillis) {
    this.patienceMillis = patienceMillis;
    id = ClassConfigurator.getProtocolId(TCP.class);
    peers = new PeerBundler(patienceMillis, this::breakIfDead);
    setBundler(peers);
  }

  /// Goes by another patience from now on.
  void patience(long millis) {
    patienceMillis = millis;
    peers.patience(millis);
    var present = server;
    if (present != null) {
      present.patience(millis);
    }
  }

  @Override
  public void start() throws Exception {
    var made =
        new PeerTcpServer(
            getThreadFactory(), getSocketFactory(), bind_addr, bind_port, patienceMillis);
    made.setBufferedInputStreamSize(BUFFER)
        .setBufferedOutputStreamSize(BUFFER)
        .peerAddressReadTimeout(peer_addr_read_timeout)
        .usePeerConnections(true)
        .receiver(this)
        .timeService(time_service)
        .socketConnectionTimeout(sock_conn_timeout)
        .tcpNodelay(tcp_nodelay)
        .linger(linger)
        .setMaxLength(max_length)
        .log(log)
        .logDetails(false)
        .addConnectionListener(this);
    server = made;
    super.start();
  }

  @Override
  public void stop() {
    super.stop();
    Util.close(server);
  }

  @Override
  protected void handleConnect() throws Exception {
    var present = server;
    if (present != null) {
      present.start();
    }
    connected = true;
    super.handleConnect();
  }

  @Override
  protected void handleDisconnect() {
    super.handleDisconnect();
    connected = false;
    Util.close(server);
  }

  @Override
  public void send(Address to, byte[] data, int offset, int length) throws Exception {
    var present = server;
    if (present != null) {
      present.send(to, data, offset, length);
    }
  }

  /// Closes the connection to a peer if nothing came over it for long. Does not block.
  void breakIfDead(Address peer) {
    var to = peer instanceof PhysicalAddress ? peer : getPhysicalAddressFromCache(peer);
    var present = server;
    if (present != null && to != null) {
      present.breakIfDead(to);
    }
  }

  @Override
  public void retainAll(Collection<Address> members) {
    var present = server;
    if (present != null) {
      present.retainAll(members, is_member);
    }
  }

  @Override
  protected @Nullable PhysicalAddress getPhysicalAddress() {
    var present = server;
    return present == null ? null : (PhysicalAddress) present.localAddress();
  }

  @Override
  public String printConnections() {
    var present = server;
    return present == null ? "" : present.printConnections();
  }

  @Override
  public BasicTCP clearConnections(boolean graceful) {
    var present = server;
    if (present != null) {
      present.clearConnections(graceful);
    }
    return this;
  }
}
