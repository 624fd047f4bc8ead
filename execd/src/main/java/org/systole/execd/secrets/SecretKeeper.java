package org.systole.execd.secrets;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cluster.GroupClient;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.cluster.Membership;
import org.systole.common.secrets.SecretNames;
import org.systole.common.secrets.SecretValue;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.Protocol.ProtocolException;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.execd.client.SecretMessage;

/// Has all nodes hold the same secrets: gives them to the other executors when `cibsecret` says so,
/// stores what it is given, and tells when a node's differ.
///
/// Lives on the executor's loop.
public final class SecretKeeper
    implements RpcServer.Handler<SecretMessage.Request, SecretMessage.Reply, NoEvent> {
  /// How long the other nodes may take.
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// What is asked for at a time, more is refused.
  private static final int ERRANDS_MAX = 20;

  private final World world;
  private final GroupClient peers;
  private final Map<NodeId, NodeName> names = new TreeMap<>();
  private final SortedSet<NodeId> others = new TreeSet<>();
  private final Map<Long, Errand> errands = new LinkedHashMap<>();
  private @Nullable NodeId local;
  private long lastCall;

  public SecretKeeper(World world) {
    this.world = world;
    this.peers = new GroupClient(world, SecretPeerMessage.GROUP, new FromPeers());
  }

  public void open() {
    peers.open();
    RpcServer.serve(
        world, SecretMessage.SOCKET, World.Access.OWNER, SecretMessage.PROTOCOL, this);
  }

  @Override
  public SecretMessage.Reply denied(SecretMessage.Request request, String why) {
    return new SecretMessage.Refused(why);
  }

  @Override
  public void request(
      RpcServer.Session<NoEvent> session,
      RpcServer.Call<SecretMessage.Reply> call,
      SecretMessage.Request request) {
    if (!peers.isJoined() || local == null) {
      call.reply(refused("the executor has no connection to the cluster"));
    } else if (errands.size() >= ERRANDS_MAX) {
      call.reply(refused("too many changes of secrets are under way; try again later"));
    } else {
      switch (request) {
        case SecretMessage.NodesQuery _ ->
            call.reply(new SecretMessage.Nodes(others.stream().map(this::nameOf).toList()));
        case SecretMessage.Spread spread -> spread(call, spread);
        case SecretMessage.SpreadAll _ -> new Errand(call).all();
      }
    }
  }

  private static SecretMessage.Reply refused(String why) {
    return new SecretMessage.Refused(why);
  }

  private void spread(RpcServer.Call<SecretMessage.Reply> call, SecretMessage.Spread it) {
    var wrong = SecretNames.mistake(it.resource().text(), it.parameter());
    if (wrong == null) {
      new Errand(call).one(it);
    } else {
      call.reply(refused(wrong));
    }
  }

  private NodeName nameOf(NodeId id) {
    var name = names.get(id);
    return name == null ? new NodeName("node " + id) : name;
  }

  /// One request of a client's: what is read here goes to the others, and the client is told what
  /// came of it when all have answered, have gone, or have had their time.
  private final class Errand {
    private final RpcServer.Call<SecretMessage.Reply> call;
    private final long number = ++lastCall;
    private final Map<NodeId, @Nullable String> outcomes = new TreeMap<>();
    private final World.Timer limit;
    private boolean sent;

    Errand(RpcServer.Call<SecretMessage.Reply> call) {
      this.call = call;
      errands.put(number, this);
      limit = world.after(LIMIT, this::late);
    }

    void one(SecretMessage.Spread what) {
      var holder = what.resource().text();
      var name = what.parameter();
      world
          .secrets()
          .read(
              holder,
              SecretValue.files(name),
              contents -> {
                var read = SecretValue.read(contents.files(), name);
                var value = read.value();
                if (!contents.problems().isEmpty()) {
                  end(refused(contents.problems().getFirst()));
                } else if (value == null && !contents.files().isEmpty()) {
                  end(refused("%s/%s: %s".formatted(holder, name, read.why())));
                } else {
                  var text = value == null ? null : value.text();
                  send(new SecretPeerMessage.Put(number, what.resource(), name, text));
                }
              });
    }

    void all() {
      world
          .secrets()
          .readAll(
              all -> {
                var set = SecretSet.of(all);
                if (!set.problems().isEmpty()) {
                  end(refused(set.problems().getFirst()));
                } else if (set.secrets().isEmpty()) {
                  end(refused("this node has no secrets: sync is called on one that has them"));
                } else {
                  send(new SecretPeerMessage.Replace(number, set.secrets()));
                }
              });
    }

    private void send(SecretPeerMessage message) {
      if (!errands.containsKey(number)) {
        return; // the disk took too long
      }
      sent = true;
      var payload = SecretPeerMessage.PROTOCOL.encode(0, message);
      for (var node : others) {
        outcomes.put(node, null);
        peers.send(node, payload);
      }
      look();
    }

    void done(NodeId node, String problem) {
      if (sent && outcomes.containsKey(node) && outcomes.get(node) == null) {
        outcomes.put(node, problem);
        look();
      }
    }

    private void look() {
      if (!outcomes.containsValue(null)) {
        var told = new ArrayList<SecretMessage.Outcome>();
        outcomes.forEach(
            (node, problem) ->
                told.add(
                    new SecretMessage.Outcome(nameOf(node), problem == null ? "" : problem)));
        end(new SecretMessage.Spreaded(told));
      }
    }

    private void late() {
      if (!sent) {
        end(refused("the secrets of this node could not be read in time"));
        return;
      }
      for (var node : List.copyOf(outcomes.keySet())) {
        done(node, "no answer within %d s".formatted(LIMIT.toSeconds()));
      }
    }

    private void end(SecretMessage.Reply reply) {
      if (errands.remove(number) != null) {
        limit.cancel();
        call.reply(reply);
      }
    }
  }

  private void put(NodeId from, SecretPeerMessage.Put it) {
    var wrong = SecretSet.mistake(it.resource(), it.parameter(), it.value());
    if (wrong != null) {
      answer(from, it.call(), wrong);
      return;
    }
    var value = it.value() == null ? null : SecretValue.of(it.value());
    world
        .secrets()
        .change(
            SecretValue.changes(it.resource().text(), it.parameter(), value),
            problem -> {
              said(
                  problem,
                  "%s gave parameter %s of %s a secret value"
                      .formatted(nameOf(from), it.parameter(), it.resource()));
              answer(from, it.call(), problem);
            });
  }

  private void replace(NodeId from, SecretPeerMessage.Replace it) {
    for (var secret : it.secrets()) {
      var wrong = SecretSet.mistake(secret.resource(), secret.parameter(), secret.value());
      if (wrong != null) {
        answer(from, it.call(), wrong);
        return;
      }
    }
    world
        .secrets()
        .readAll(
            before ->
                world
                    .secrets()
                    .change(
                        SecretSet.changes(before, it.secrets()),
                        problem -> {
                          said(
                              problem,
                              "The secrets are those of %s now, %d of them"
                                  .formatted(nameOf(from), it.secrets().size()));
                          answer(from, it.call(), problem);
                        }));
  }

  private void said(@Nullable String problem, String what) {
    if (problem == null) {
      world.log().notice(what);
    } else {
      world.log().error("A secret cannot be stored: " + problem);
    }
  }

  private void answer(NodeId to, long call, @Nullable String problem) {
    var done = new SecretPeerMessage.Done(call, problem == null ? "" : problem);
    peers.send(to, SecretPeerMessage.PROTOCOL.encode(0, done));
  }

  /// Who comes tells all what it has, and all compare.
  private void tell() {
    world
        .secrets()
        .readAll(
            all -> {
              if (peers.isJoined()) {
                var holds = new SecretPeerMessage.Holds(SecretSet.of(all).digest());
                peers.broadcast(SecretPeerMessage.PROTOCOL.encode(0, holds));
              }
            });
  }

  private void compare(NodeId from, String digest) {
    world
        .secrets()
        .readAll(
            all -> {
              if (!SecretSet.of(all).digest().equals(digest)) {
                world
                    .log()
                    .warning(
                        ("The secrets of %s differ from those of this node: run `cibsecret sync` on"
                                + " a node that has the right ones")
                            .formatted(nameOf(from)));
              }
            });
  }

  private final class FromPeers implements GroupClient.Listener {
    @Override
    public void joined(LinkMessage.Joined welcome) {
      local = welcome.localId();
      names.clear();
      welcome.configured().forEach(it -> names.put(it.id(), it.name()));
      tell();
    }

    @Override
    public void configured(List<LinkMessage.ConfiguredNode> nodes) {
      nodes.forEach(it -> names.put(it.id(), it.name()));
    }

    @Override
    public void membership(Membership membership) {
      membership.members().forEach(it -> names.put(it.id(), it.name()));
    }

    @Override
    public void group(List<NodeId> nodeIds) {
      others.clear();
      others.addAll(nodeIds);
      if (local != null) {
        others.remove(local);
      }
      gone();
    }

    @Override
    public void lost(String why) {
      others.clear();
      gone();
    }

    private void gone() {
      for (var errand : List.copyOf(errands.values())) {
        for (var node : List.copyOf(errand.outcomes.keySet())) {
          if (!others.contains(node)) {
            errand.done(node, "it has left the cluster");
          }
        }
      }
    }

    @Override
    public void message(NodeId fromId, boolean broadcast, byte[] payload) {
      SecretPeerMessage message;
      try {
        message = SecretPeerMessage.PROTOCOL.decode(payload).body();
      } catch (ProtocolException e) {
        world
            .log()
            .error("A message of %s is not understood: %s".formatted(nameOf(fromId), e.getMessage()));
        return;
      }
      if (fromId.equals(local)) {
        return;
      }
      switch (message) {
        case SecretPeerMessage.Put it -> put(fromId, it);
        case SecretPeerMessage.Replace it -> replace(fromId, it);
        case SecretPeerMessage.Done(var call, var problem) -> {
          var errand = errands.get(call);
          if (errand != null) {
            errand.done(fromId, problem);
          }
        }
        case SecretPeerMessage.Holds(var digest) -> compare(fromId, digest);
      }
    }
  }
}
