package org.systole.pacemakerd.link;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.values.NodeId;
import org.systole.common.wire.RpcServer;
import org.systole.common.wire.RpcServer.Session;
import org.systole.common.world.Server;
import org.systole.common.world.World;

/// The daemons of this node that speak in groups, over `link.sock`; and the table of all groups.
final class LocalDaemons {
  /// What the link does for the daemons.
  interface Requests {
    /// @return the number under which the join will be ordered
    long join(String group);

    void leave(String group);

    void broadcast(String group, byte[] payload);

    void send(String group, NodeId toId, byte[] payload);

    void inStep(long membership);
  }

  private static final byte[] NOTHING = {};

  private static final class Daemon {
    private final String group;
    private final Session<LinkMessage.Event> session;
    private long joinId;
    private boolean active;

    Daemon(String group, Session<LinkMessage.Event> session) {
      this.group = group;
      this.session = session;
    }
  }

  private final World world;
  private final Requests requests;
  private final Supplier<LinkMessage.Joined> welcome;
  private final Supplier<LinkMessage.Status> status;
  private Function<Boolean, LinkMessage.DeviceInfo> device =
      _ -> new LinkMessage.DeviceInfo(null, null);
  private final Map<String, Daemon> daemons = new TreeMap<>();
  private final Map<Session<LinkMessage.Event>, Daemon> bySession = new LinkedHashMap<>();
  private final Map<String, TreeSet<NodeId>> groups = new TreeMap<>();
  private final Map<String, List<NodeId>> told = new TreeMap<>();
  private @Nullable Membership membership;
  private int level;
  private boolean quorumDue;
  private @Nullable List<List<NodeId>> counted;
  private @Nullable List<List<LinkMessage.ConfiguredNode>> coming;

  LocalDaemons(
      World world,
      Requests requests,
      Supplier<LinkMessage.Joined> welcome,
      Supplier<LinkMessage.Status> status) {
    this.world = world;
    this.requests = requests;
    this.welcome = welcome;
    this.status = status;
  }

  /// Who knows of the quorum device. Without it there is none.
  ///
  /// @param asked given whether all is wanted
  void device(Function<Boolean, LinkMessage.DeviceInfo> asked) {
    device = asked;
  }

  Server serve() {
    return RpcServer.serve(
        world, LinkMessage.SOCKET, World.Access.GROUP, LinkMessage.PROTOCOL, new Clients());
  }

  /// The membership or its quorum changed.
  ///
  /// @param spoken the level that all members speak
  /// @param due whether the members are about to have quorum
  /// @param most of each of these it takes most; null where all votes count
  /// @param lists that are to come in force; null for none
  void membership(
      Membership changed,
      int spoken,
      boolean due,
      @Nullable List<List<NodeId>> most,
      @Nullable List<List<LinkMessage.ConfiguredNode>> lists) {
    membership = changed;
    level = spoken;
    quorumDue = due;
    counted = most;
    coming = lists;
    var frame = LinkMessage.PROTOCOL.event(new LinkMessage.MembershipChanged(changed, spoken, due, most, lists));
    for (var daemon : daemons.values()) {
      if (daemon.active) {
        daemon.session.eventEncoded(frame);
      }
    }
  }

  /// Another node list is in force.
  void configured(List<LinkMessage.ConfiguredNode> nodes) {
    var frame = LinkMessage.PROTOCOL.event(new LinkMessage.ConfiguredChanged(nodes));
    daemons.values().forEach(it -> it.session.eventEncoded(frame));
  }

  /// A new membership's table of groups replaces the old one.
  void groups(NodeId localId, Map<NodeId, List<String>> byNode) {
    groups.clear();
    byNode.forEach((id, names) -> names.forEach(it -> group(it).add(id)));
    for (var daemon : daemons.values()) {
      if (daemon.active) {
        if (group(daemon.group).contains(localId)) {
          tellGroup(daemon, false);
        } else {
          daemon.active = false;
          daemon.joinId = requests.join(daemon.group);
        }
      }
    }
  }

  /// A join came in order; a daemon of this node that asked for it is in from here on.
  void joined(NodeId nodeId, String name, long id, boolean local) {
    group(name).add(nodeId);
    var daemon = daemons.get(name);
    if (daemon == null) {
      return;
    }
    var present = membership;
    if (local && !daemon.active && daemon.joinId == id && present != null) {
      daemon.active = true;
      daemon.session.event(new LinkMessage.MembershipChanged(present, level, quorumDue, counted, coming));
      tellGroup(daemon, true);
    } else if (daemon.active) {
      tellGroup(daemon, false);
    }
  }

  void left(NodeId nodeId, String name) {
    group(name).remove(nodeId);
    var daemon = daemons.get(name);
    if (daemon != null && daemon.active) {
      tellGroup(daemon, false);
    }
  }

  void deliver(NodeId fromId, String name, boolean broadcast, byte[] payload) {
    var daemon = daemons.get(name);
    if (daemon != null && daemon.active && group(name).contains(fromId)) {
      daemon.session.event(new LinkMessage.Delivered(fromId, broadcast, payload));
    }
  }

  /// The groups in which a daemon of this node is.
  List<String> active() {
    return daemons.values().stream().filter(it -> it.active).map(it -> it.group).toList();
  }

  private TreeSet<NodeId> group(String name) {
    return groups.computeIfAbsent(name, it -> new TreeSet<>());
  }

  private void tellGroup(Daemon daemon, boolean always) {
    List<NodeId> ids = new ArrayList<>(group(daemon.group));
    if (always || !ids.equals(told.get(daemon.group))) {
      told.put(daemon.group, ids);
      daemon.session.event(new LinkMessage.GroupChanged(ids));
    }
  }

  private void join(
      Session<LinkMessage.Event> session, RpcServer.Call<LinkMessage.Reply> call, String name) {
    var before = daemons.get(name);
    if (before != null) {
      leave(before);
      before.session.close();
    }
    var daemon = new Daemon(name, session);
    daemons.put(name, daemon);
    bySession.put(session, daemon);
    call.reply(welcome.get());
    daemon.joinId = requests.join(name);
  }

  private void leave(Daemon daemon) {
    if (bySession.remove(daemon.session) != null) {
      daemons.remove(daemon.group);
      daemon.active = false;
      requests.leave(daemon.group);
    }
  }

  /// @return the sender; null if the client may not send or sends too much, in which case it is
  ///     disconnected
  private @Nullable Daemon sender(Session<LinkMessage.Event> session, byte[] payload) {
    var daemon = bySession.get(session);
    if (daemon == null || payload.length > LinkMessage.PAYLOAD_MAX) {
      world
          .log()
          .error(
              daemon == null
                  ? "A client sends to a group it has not joined"
                  : "A message of %d bytes in group %s is too long"
                      .formatted(payload.length, daemon.group));
      session.close();
      return null;
    }
    return daemon;
  }

  private final class Clients
      implements RpcServer.Handler<LinkMessage.Request, LinkMessage.Reply, LinkMessage.Event> {
    @Override
    public void request(
        Session<LinkMessage.Event> session,
        RpcServer.Call<LinkMessage.Reply> call,
        LinkMessage.Request request) {
      switch (request) {
        case LinkMessage.Join(var name) -> join(session, call, name);
        case LinkMessage.Broadcast(var payload) -> {
          var daemon = sender(session, payload);
          if (daemon != null) {
            requests.broadcast(daemon.group, payload);
          }
        }
        case LinkMessage.Send(var toId, var payload) -> {
          var daemon = sender(session, payload);
          if (daemon != null) {
            requests.send(daemon.group, toId, payload);
          }
        }
        case LinkMessage.InStep(var number) -> {
          if (sender(session, NOTHING) != null) {
            requests.inStep(number);
          }
        }
        case LinkMessage.StatusQuery() -> call.reply(status.get().asSeenBy(call.peer().node()));
        case LinkMessage.DeviceQuery(var verbose) -> call.reply(device.apply(verbose));
      }
    }

    @Override
    public void closed(Session<LinkMessage.Event> session) {
      var daemon = bySession.get(session);
      if (daemon != null) {
        leave(daemon);
      }
    }
  }
}
