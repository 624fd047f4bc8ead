package org.systole.attrd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeName;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;

/// Questions of clients that came before this manager was told what the others know. What it says
/// by then could be older than what a client of another node was told that all have.
final class AttrQueries {
  /// A peer that stands still keeps nobody waiting for longer; then what is known is the answer.
  private static final Duration LIMIT = Duration.ofSeconds(3);

  /// As many wait; those beyond are answered with what is known.
  private static final int MAX = 1_000;

  /// Answers one of them.
  interface Answering {
    AttrMessage.Reply answer(
        RpcServer.Call<AttrMessage.Reply> call, String name, @Nullable NodeName node);
  }

  private record Waiting(
      RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Query query, World.Timer timer) {}

  private final World world;
  private final AttrPeers peers;
  private final Answering answering;
  private final Map<Long, Waiting> waiting = new LinkedHashMap<>();
  private long last;

  AttrQueries(World world, AttrPeers peers, Answering answering) {
    this.world = world;
    this.peers = peers;
    this.answering = answering;
  }

  void ask(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Query query) {
    world.log().debug(() -> "Query arrived from " + call.peer().who());
    if (!peers.isCatchingUp() || waiting.size() >= MAX) {
      reply(call, query);
      return;
    }
    var number = ++last;
    waiting.put(number, new Waiting(call, query, world.after(LIMIT, () -> late(number))));
  }

  /// Answers all, if the others have told what they know by now.
  void look() {
    if (!waiting.isEmpty() && !peers.isCatchingUp()) {
      var all = new ArrayList<>(waiting.values());
      waiting.clear();
      for (var it : all) {
        it.timer().cancel();
        reply(it.call(), it.query());
      }
    }
  }

  /// The client is gone.
  void forget(RpcServer.Session<NoEvent> session) {
    waiting
        .values()
        .removeIf(
            it -> {
              var gone = it.call().isOf(session);
              if (gone) {
                it.timer().cancel();
              }
              return gone;
            });
  }

  private void late(long number) {
    var it = waiting.remove(number);
    if (it != null) {
      reply(it.call(), it.query());
    }
  }

  private void reply(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Query query) {
    call.reply(answering.answer(call, query.name(), query.node()));
  }
}
