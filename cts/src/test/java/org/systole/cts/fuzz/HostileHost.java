package org.systole.cts.fuzz;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.real.RealWorld;
import org.systole.common.world.Connection;
import org.systole.common.world.ConnectionHandler;
import org.systole.common.world.Server;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.execd.client.remote.RemoteReply;
import org.systole.execd.client.remote.RemoteRequest;
import org.systole.execd.client.remote.RemoteXml;
import org.systole.execd.client.tls.RemoteKey;
import org.systole.execd.client.tls.TlsStreams;

/// A remote node of the cluster, with the key, that greets members as it must and answers most of what
/// they ask, and says nothing but nonsense besides. A member that cuts it off connects again.
///
/// Safe for use by several threads.
final class HostileHost implements AutoCloseable {
  static final String NAME = "wild";

  private static final String RESOURCE = "wild-app";
  private static final String SOME_KEY = "3:4:0:be2e97d9-05e2-439d-863e-48f7aecab2aa";
  private static final Duration AGAIN = Duration.ofSeconds(80);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int HONEST = 90; // of a hundred answers
  private static final int LOAD = 200; // messages on their way

  private final FuzzedCluster cluster;
  private final Figures figures;
  private final RealWorld world;
  private final Object lock = new Object();
  private @Nullable Connection there; // under the lock
  private final Server server;
  private volatile String lastKey = SOME_KEY;

  HostileHost(FuzzedCluster cluster, RemoteHosts hosts, Figures figures) throws IOException {
    this.cluster = cluster;
    this.figures = figures;
    var layout = new Layout(cluster.dir().resolve(NAME), cluster.dir());
    world = RealWorld.create(layout, Map.of(Layout.NODE, NAME), "hostile", "host");
    Thread.ofPlatform().daemon().start(() -> world.runInProcess(() -> {}));
    var at = hosts.address(13);
    server =
        new TlsStreams(world, new RemoteKey(hosts.key()))
            .listen(at.getAddress().getHostAddress(), at.getPort(), Member::new);
    hosts.configure(
        "<primitive id='wild' class='ocf' provider='pacemaker' type='remote'>"
            + RemoteHosts.attributes(NAME, at)
            + "<operations><op id='wild-m' name='monitor' interval='2s' timeout='20s'/><op id='wild-s'"
            + " name='start' interval='0' timeout='60s'/></operations></primitive>"
            + "<primitive id='wild-app' class='ocf' provider='pacemaker' type='Dummy'>"
            + "<meta_attributes id='wild-meta'><nvpair id='wild-ft' name='failure-timeout' value='1s'/>"
            + "</meta_attributes><operations>"
            + "<op id='wild-am' name='monitor' interval='2s' timeout='60s'/></operations></primitive>",
        "<rsc_location id='wild-l' rsc='wild-app' node='wild' score='1000'/>"
            + "<rsc_location id='wild-d' rsc='dummy' node='wild' score='-INFINITY'/>"
            + "<rsc_location id='wild-f' rsc='distant' node='wild' score='-INFINITY'/>");
  }

  /// One try, see [SocketFuzz#attempt].
  String attempt(RandomGenerator random) throws Exception {
    var to = connection();
    var message = new RemoteNonsense(random).told(RESOURCE, lastKey);
    figures.count("a member", "told");
    var sent = new CompletableFuture<Long>();
    world.post(
        () -> {
          to.send(message); // nothing comes of it where it is closed
          sent.complete(to.unsent());
        });
    if (sent.get(60, TimeUnit.SECONDS) > LOAD << 10) {
      Thread.sleep(1); // it is being read: more would only make this end be cut off
    }
    return "told";
  }

  /// Waits for a member. Without fencing, a host that is lost in the middle of a probe or a stop is waited
  /// for without end, as in Pacemaker: then somebody has to say that it was switched off.
  private Connection connection() throws IOException, InterruptedException {
    var end = System.nanoTime() + AGAIN.toNanos();
    while (System.nanoTime() < end) {
      synchronized (lock) {
        if (there == null) {
          lock.wait(PATIENCE.toMillis());
        }
        if (there != null) {
          return there;
        }
      }
      figures.manner("a person who says that it is off");
      cluster.ours().getFirst().run("stonith_admin", "--confirm", NAME);
    }
    throw new IOException("no member has connected for " + AGAIN);
  }

  /// The connection of a member.
  private final class Member implements ConnectionHandler {
    Member(Connection connection) {}

    @Override
    public void opened(Connection connection) {
      figures.manner("connections");
    }

    @Override
    public void received(Connection from, byte[] frame) {
      try {
        var message = RemoteXml.parse(frame);
        answer(from, RemoteXml.requestIn(message), RemoteXml.messageId(message));
      } catch (XmlException e) {
        figures.manner("WHAT A MEMBER SAYS IS NO XML");
      }
    }

    private void answer(
        Connection from, @Nullable RemoteRequest request, int id) {
      if (request instanceof RemoteRequest.Register) {
        say(
            from,
            RemoteXml.registered(
                1, RemoteReply.DONE, "token", Duration.ofSeconds(5), null, Duration.ZERO),
            id);
        synchronized (lock) {
          there = from;
          lock.notifyAll();
        }
        return;
      }
      var lot = ((World) world).random().nextInt(100);
      if (lot >= HONEST) {
        figures.manner("no answer, or another one");
        if (lot % 2 == 0) {
          say(from, RemoteXml.reply("test", -lot, 7).build(), id);
        }
        return;
      }
      figures.manner("answers");
      say(
          from,
          RemoteXml.reply("test", request instanceof RemoteRequest.Execute ? 7 : RemoteReply.DONE, 7)
              .build(),
          id);
      if (request instanceof RemoteRequest.Execute it) {
        lastKey = it.key();
        from.send(RemoteXml.bytes(result(it)));
      }
    }

    private static Element result(RemoteRequest.Execute it) {
      var probe = it.operation().text().equals("monitor") && it.intervalMillis() == 0;
      return RemoteXml.told(
          Element.of(
              "lrmd_notify",
              "lrmd_op",
              RemoteXml.EXECUTE,
              "lrmd_rsc_id",
              it.resource().text(),
              "lrmd_rsc_action",
              it.operation().text(),
              "lrmd_rsc_interval",
              "" + it.intervalMillis(),
              "lrmd_callid",
              "7",
              "lrmd_exec_rc",
              probe ? "7" : "0",
              "lrmd_exec_op_status",
              "0",
              "lrmd_rsc_userdata_str",
              it.key()));
    }

    private static void say(Connection to, Element reply, int id) {
      to.send(RemoteXml.bytes(RemoteXml.reply(reply, id)));
    }

    @Override
    public void closed(Connection connection, String why) {
      figures.manner("cut off");
      synchronized (lock) {
        there = there == connection ? null : there;
      }
    }
  }

  @Override
  public void close() {
    world.post(server::close);
  }
}
