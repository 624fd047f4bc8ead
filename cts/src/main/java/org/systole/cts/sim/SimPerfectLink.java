package org.systole.cts.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Member;
import org.systole.common.cluster.Membership;
import org.systole.common.layout.Layout;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.Processes.Program;
import org.systole.common.world.World;

/// A supervisor and link without faults in place of the real one: members are the nodes it runs on,
/// every node is delivered everything in one order. For tests of other daemons alone.
final class SimPerfectLink {
  private static final List<String> DAEMONS =
      List.of("cibd", "fenced", "execd", "attrd", "schedulerd", "controld");

  private final SimCluster cluster;
  private final Map<Integer, Local> locals = new TreeMap<>();
  private final Map<Integer, Long> since = new TreeMap<>();
  private long number;

  SimPerfectLink(SimCluster cluster) {
    this.cluster = cluster;
  }

  /// The way in of a node's supervisor.
  void start(SimNode node, World world, Layout layout, Map<String, String> environment) {
    var process = node.process("pacemakerd");
    if (process != null) {
      var local = new Local(node, process, world);
      process.onEnd((_, _) -> left(node));
      locals.put(node.id(), local);
      since.put(node.id(), ++number);
      local.serve(environment);
      everywhere(Local::tellMembership);
    }
  }

  private void left(SimNode node) {
    locals.remove(node.id());
    since.remove(node.id());
    number++;
    everywhere(Local::tellMembership);
    var groups = new TreeSet<String>();
    locals.values().forEach(it -> groups.addAll(it.sessions.keySet()));
    groups.forEach(this::tellGroup);
  }

  private Membership membership() {
    var members = new ArrayList<Member>();
    since.forEach(
        (id, from) ->
            members.add(
                new Member(new NodeId(id), new NodeName(locals.get(id).node.name()), from)));
    var quorum = cluster.nodes().size() / 2 + 1;
    return new Membership(number, members, members.size() >= quorum);
  }

  /// Has something happen on every node, in the same order everywhere.
  private void everywhere(Consumer<Local> what) {
    for (var local : locals.values()) {
      local.later(() -> what.accept(local));
    }
  }

  private void tellGroup(String group) {
    var ids = new ArrayList<NodeId>();
    locals.forEach(
        (id, local) -> {
          if (local.sessions.containsKey(group)) {
            ids.add(new NodeId(id));
          }
        });
    everywhere(local -> local.tell(group, new LinkMessage.GroupChanged(ids)));
  }

  private final class Local
      implements RpcServer.Handler<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> {
    private final SimNode node;
    private final SimProcess process;
    private final World world;
    private final Map<String, RpcServer.Session<LinkMessage.Event>> sessions =
        new LinkedHashMap<>();
    private long lastArrival;

    Local(SimNode node, SimProcess process, World world) {
      this.node = node;
      this.process = process;
      this.world = world;
    }

    void later(Runnable task) {
      var queue = cluster.queue();
      lastArrival = Math.max(lastArrival, queue.now() + cluster.network().delay());
      queue.at(lastArrival, process, task);
    }

    void serve(Map<String, String> environment) {
      RpcServer.serve(world, LinkMessage.SOCKET, World.Access.OWNER, LinkMessage.PROTOCOL, this);
      for (var daemon : DAEMONS) {
        startDaemon(daemon, environment);
      }
    }

    private void startDaemon(String daemon, Map<String, String> environment) {
      if (cluster.daemons().has(daemon)) {
        world
            .processes()
            .start(
                new Program(List.of("/usr/libexec/systole/" + daemon), environment, "", null, 0),
                exit -> {
                  world.log().warning(daemon + " ended: " + exit);
                  world.after(Duration.ofSeconds(1), () -> startDaemon(daemon, environment));
                });
      }
    }

    void tell(String group, LinkMessage.Event event) {
      var session = sessions.get(group);
      if (session != null) {
        session.event(event);
      }
    }

    void tellMembership() {
      sessions.values().forEach(it -> it.event(new LinkMessage.MembershipChanged(membership())));
    }

    @Override
    public void request(
        RpcServer.Session<LinkMessage.Event> session,
        RpcServer.Call<LinkMessage.Reply> call,
        LinkMessage.Request request) {
      switch (request) {
        case LinkMessage.InStep _ -> {}
        case LinkMessage.Join(var group) -> join(session, call, group);
        case LinkMessage.Broadcast(var payload) -> {
          var group = groupOf(session);
          everywhere(
              it ->
                  it.tell(group, new LinkMessage.Delivered(new NodeId(node.id()), true, payload)));
        }
        case LinkMessage.Send(var to, var payload) -> {
          var group = groupOf(session);
          var peer = locals.get(to.number());
          if (peer != null) {
            peer.later(
                () ->
                    peer.tell(
                        group, new LinkMessage.Delivered(new NodeId(node.id()), false, payload)));
          }
        }
        default -> world.log().warning("not served here: " + request);
      }
    }

    private void join(
        RpcServer.Session<LinkMessage.Event> session,
        RpcServer.Call<LinkMessage.Reply> call,
        String group) {
      var configured =
          cluster.nodes().stream()
              .map(
                  it ->
                      new LinkMessage.ConfiguredNode(
                          new NodeId(it.id()), new NodeName(it.name()), 1))
              .toList();
      call.reply(
          new LinkMessage.Joined(
              new NodeId(node.id()), new NodeName(node.name()), "sim", configured, 3000));
      sessions.put(group, session);
      later(() -> session.event(new LinkMessage.MembershipChanged(membership())));
      tellGroup(group);
    }

    private String groupOf(RpcServer.Session<LinkMessage.Event> session) {
      for (var it : sessions.entrySet()) {
        if (it.getValue() == session) {
          return it.getKey();
        }
      }
      return "";
    }

    @Override
    public void closed(RpcServer.Session<LinkMessage.Event> session) {
      var group = groupOf(session);
      if (sessions.remove(group, session)) {
        tellGroup(group);
      }
    }
  }
}
