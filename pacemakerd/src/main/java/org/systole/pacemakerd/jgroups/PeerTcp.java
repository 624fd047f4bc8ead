package org.systole.pacemakerd.jgroups;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TpHeader;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.AsciiString;
import org.jgroups.util.LazyThreadFactory;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;
import org.systole.pacemakerd.link.LinkTiming;

/// TCP between the nodes, in which no peer can delay another one: see [PeerBundler] and
/// [PeerTcpServer]. Each link has a server of its own; by which one a peer is sent to is for
/// [PeerRoutes] to say.
final class PeerTcp extends BasicTCP implements PeerRoutes.Wire {
  private static final int BUFFER = 64 << 10;
  private static final long AGAIN_NANOS = 1_000_000_000L;

  private final PeerBundler peers;
  private final PeerRoutes routes;
  private final Map<Integer, PeerTcpServer> further = new ConcurrentHashMap<>(); // but for link 0
  private final boolean sealed;
  private final SharedTicks ticks;
  private volatile long patienceMillis;
  private volatile @Nullable PeerTcpServer server;

  /// @param sealed whether what arrives is looked at by [SealProtocol], which knows the cluster by its
  ///     key: the name in a message is another one for a while when that changes
  PeerTcp(LinkTiming timing, PeerRoutes routes, boolean sealed) {
    this.patienceMillis = timing.connectionKept().toMillis();
    this.sealed = sealed;
    this.routes = routes;
    routes.wire(this);
    id = ClassConfigurator.getProtocolId(TCP.class);
    peers = new PeerBundler(patienceMillis, this::breakIfDead);
    setBundler(peers);
    setSockConnTimeout((int) timing.connecting().toMillis());
    var threads = new LazyThreadFactory("jgroups", false, true);
    setThreadFactory(threads);
    ticks = new SharedTicks(getThreadPool(), threads, timing.heartbeat().toMillis());
    setTimer(ticks);
  }

  /// Goes by other times from now on.
  void retime(LinkTiming timing) {
    setSockConnTimeout((int) timing.connecting().toMillis());
    ticks.interval(timing.heartbeat().toMillis());
    var millis = timing.connectionKept().toMillis();
    patienceMillis = millis;
    peers.patience(millis);
    var present = server;
    if (present != null) {
      present.patience(millis);
    }
    further.values().forEach(it -> it.patience(millis));
  }

  /// Goes by another name of the cluster in what is sent from now on.
  void cluster(String name) {
    cluster_name = new AsciiString(name);
    header = new TpHeader(cluster_name);
  }

  @Override
  public void passMessageUp(Message message, boolean sameName, boolean toAll, boolean notOwn) {
    super.passMessageUp(message, sameName && !sealed, toAll, notOwn);
  }

  @Override
  public void passBatchUp(MessageBatch batch, boolean sameName, boolean notOwn) {
    super.passBatchUp(batch, sameName && !sealed, notOwn);
  }

  @Override
  public void init() throws Exception {
    super.init(); // makes a policy by the name of one
    var policy = new InReader();
    policy.init(this);
    msgProcessingPolicy(policy);
  }

  @Override
  public void start() throws Exception {
    try {
      server = server(bind_addr);
    } catch (BindException e) {
      throw GuardedSockets.cannotServe(bind_addr, bind_port, e);
    }
    super.start();
  }

  private PeerTcpServer server(InetAddress on) throws Exception {
    var made =
        new PeerTcpServer(getThreadFactory(), getSocketFactory(), on, bind_port, patienceMillis);
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
    return made;
  }

  @Override
  public void stop() {
    super.stop();
    Util.close(server);
    closeFurther();
  }

  private void closeFurther() {
    further.values().forEach(Util::close);
    further.clear();
  }

  /// Listens on this node's further links, as they are by now. An address that is not there yet is
  /// waited for.
  void links() {
    var own = routes.own();
    further
        .entrySet()
        .removeIf(
            it -> {
              var stays =
                  it.getValue().localAddress() instanceof IpAddress at
                      && at.getIpAddress().equals(own.get(it.getKey()));
              if (!stays) {
                Util.close(it.getValue());
              }
              return !stays;
            });
    for (var it : own.entrySet()) {
      if (it.getKey() > 0 && !further.containsKey(it.getKey())) {
        Thread.ofVirtual().name("link").start(() -> listen(it.getKey(), it.getValue()));
      }
    }
  }

  private void listen(int link, InetAddress on) {
    var told = false;
    while (connected && on.equals(routes.own().get(link)) && !further.containsKey(link)) {
      try {
        var made = server(on);
        made.clientBindAddress(on);
        made.start();
        further.put(link, made);
      } catch (Exception e) {
        if (!told) {
          routes.say(
              "Link %d: %s cannot be used: %s; trying again"
                  .formatted(link, on.getHostAddress(), e.getMessage()));
          told = true;
        }
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
  }

  @Override
  protected void handleConnect() throws Exception {
    var present = server;
    if (present != null) {
      present.start();
    }
    connected = true;
    links();
    super.handleConnect();
  }

  @Override
  protected void handleDisconnect() {
    super.handleDisconnect();
    connected = false;
    Util.close(server);
    closeFurther();
  }

  @Override
  public void send(Address to, byte[] data, int offset, int length) throws Exception {
    var route = routes.route(to);
    if (route != null) {
      route.send(data, offset, length);
    } else {
      send(0, to, data, offset, length);
    }
  }

  @Override
  public void send(int link, IpAddress to, byte[] data, int offset, int length) throws Exception {
    send(link, (Address) to, data, offset, length);
  }

  private void send(int link, Address to, byte[] data, int offset, int length) throws Exception {
    var by = link == 0 ? server : further.get(link);
    if (by == null) {
      throw new IOException("link %d is not there".formatted(link));
    }
    by.send(to, data, offset, length);
  }

  @Override
  public void close(int link, IpAddress to) {
    var by = link == 0 ? server : further.get(link);
    if (by != null) {
      by.drop(to);
    }
  }

  /// Closes the connection to a peer if nothing came over it for long. Does not block.
  void breakIfDead(Address peer) {
    var to = peer instanceof PhysicalAddress ? peer : getPhysicalAddressFromCache(peer);
    var present = server;
    if (present != null && to != null) {
      present.breakIfDead(to);
      var route = routes.route(to);
      if (route != null) {
        further.forEach(
            (link, it) -> {
              var there = route.address(link);
              if (there != null) {
                it.breakIfDead(new IpAddress(there, bind_port));
              }
            });
      }
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
