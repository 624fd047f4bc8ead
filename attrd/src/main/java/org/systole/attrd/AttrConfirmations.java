package org.systole.attrd;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.attrd.client.AttrMessage;
import org.systole.common.values.NodeId;
import org.systole.common.wire.ClientProtocol.NoEvent;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;

/// Updates whose clients wait for an answer.
final class AttrConfirmations {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static final class Pending {
    private final RpcServer.Call<AttrMessage.Reply> call;
    private final AttrMessage.Wait until;
    private final World.Timer timer;
    private @Nullable Set<NodeId> missing;

    Pending(
        RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Wait until, World.Timer timer) {
      this.call = call;
      this.until = until;
      this.timer = timer;
    }
  }

  private final World world;
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private long lastRequest;

  AttrConfirmations(World world) {
    this.world = world;
  }

  /// Registers a request; returns its number.
  long register(RpcServer.Call<AttrMessage.Reply> call, AttrMessage.Wait until) {
    var request = ++lastRequest;
    var timer =
        world.after(
            LIMIT,
            () ->
                fail(
                    request,
                    until == AttrMessage.Wait.CLUSTER
                        ? "not every node confirmed the update within " + LIMIT.toSeconds() + "s"
                        : "the update did not come back from the cluster"));
    pending.put(request, new Pending(call, until, timer));
    return request;
  }

  /// Records that the update was sent to these nodes and that each of them has to confirm it.
  void sent(long request, Collection<NodeId> nodeIds) {
    var it = pending.get(request);
    if (it != null) {
      it.missing = new TreeSet<>(nodeIds);
    }
  }

  void confirmed(long request, NodeId nodeId) {
    var it = pending.get(request);
    if (it != null && it.missing != null) {
      it.missing.remove(nodeId);
      if (it.missing.isEmpty()) {
        complete(request);
      }
    }
  }

  /// Ends the wait for confirmations of a node that has left.
  void present(Collection<NodeId> nodeIds) {
    for (var request : new ArrayList<>(pending.keySet())) {
      var it = pending.get(request);
      if (it != null
          && it.missing != null
          && it.missing.retainAll(nodeIds)
          && it.missing.isEmpty()) {
        complete(request);
      }
    }
  }

  void complete(long request) {
    var it = pending.get(request);
    if (it != null) {
      world
          .log()
          .notice(
              "Alerting client %s for reached %s sync point"
                  .formatted(
                      it.call.peer().who(),
                      it.until == AttrMessage.Wait.CLUSTER ? "cluster" : "local"));
    }
    finish(request, new AttrMessage.Done(AttrMessage.Outcome.OK, ""));
  }

  void fail(long request, String why) {
    finish(request, new AttrMessage.Done(AttrMessage.Outcome.FAILED, why));
  }

  void failAll(String why) {
    for (var request : new ArrayList<>(pending.keySet())) {
      fail(request, why);
    }
  }

  void forget(RpcServer.Session<NoEvent> session) {
    for (var request : new ArrayList<>(pending.keySet())) {
      var it = pending.get(request);
      if (it != null && it.call.isOf(session)) {
        it.timer.cancel();
        pending.remove(request);
      }
    }
  }

  private void finish(long request, AttrMessage.Done done) {
    var it = pending.remove(request);
    if (it != null) {
      it.timer.cancel();
      it.call.reply(done);
    }
  }
}
