package org.systole.cts.sim;

import java.util.ArrayList;
import java.util.List;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibPatch;
import org.systole.common.cib.CibUpdate;
import org.systole.common.cib.CibVersion;
import org.systole.common.output.Rc;
import org.systole.common.values.NodeName;
import org.systole.common.wire.RpcServer;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlText;
import org.systole.common.xml.XmlWriter;

/// One CIB that all nodes share, without faults, in place of the real CIB managers. For looking at
/// other daemons alone.
final class SimPerfectCib {
  private final SimCluster cluster;
  private final List<Local> locals = new ArrayList<>();
  private Element cib;

  SimPerfectCib(SimCluster cluster, Element cib) {
    this.cluster = cluster;
    this.cib = cib;
  }

  /// The way in of a node's CIB manager.
  void start(SimNode node, World world) {
    var process = node.process("cibd");
    if (process != null) {
      var local = new Local(node, process);
      locals.add(local);
      process.onEnd((_, _) -> locals.remove(local));
      RpcServer.serve(world, CibMessage.SOCKET, World.Access.GROUP, CibMessage.PROTOCOL, local);
    }
  }

  private CibMessage.Answer answer(CibUpdate.Result result) {
    var output = result.output();
    return new CibMessage.Answer(
        result.rc(),
        String.join("; ", result.problems()),
        output == null ? null : XmlWriter.compact(output),
        CibVersion.of(cib));
  }

  private CibMessage.Answer update(SimNode node, CibMessage.Update update) {
    var origin =
        new CibUpdate.Origin(
            new NodeName(node.name()),
            update.client(),
            "root",
            SimWorld.BEGINNING.plusNanos(cluster.queue().now()));
    var result = CibUpdate.apply(cib, update.operations(), origin);
    if (!result.rc().isOk()) {
      cluster.note(
          "CIB change of "
              + update.client()
              + " refused: "
              + result.rc()
              + " "
              + result.problems()
              + " "
              + update.operations());
    }
    var before = cib;
    cib = result.cib();
    var patch = CibPatch.between(before, cib);
    if (patch != null) {
      var event =
          new CibMessage.Changed(XmlText.of(patch), before.contentHash(), cib.contentHash());
      for (var local : locals) {
        cluster
            .queue()
            .after(
                1_000_000, local.process, () -> local.subscribers.forEach(it -> it.event(event)));
      }
    }
    return answer(result);
  }

  private final class Local
      implements RpcServer.Handler<CibMessage.Request, CibMessage.Reply, CibMessage.Event> {
    private final SimNode node;
    private final SimProcess process;
    private final List<RpcServer.Session<CibMessage.Event>> subscribers = new ArrayList<>();

    Local(SimNode node, SimProcess process) {
      this.node = node;
      this.process = process;
    }

    @Override
    public void request(
        RpcServer.Session<CibMessage.Event> session,
        RpcServer.Call<CibMessage.Reply> call,
        CibMessage.Request request) {
      switch (request) {
        case CibMessage.Query(var query, _) -> call.reply(answer(CibUpdate.query(cib, query)));
        case CibMessage.Update it -> call.reply(update(node, it));
        case CibMessage.Subscribe _ -> {
          subscribers.add(session);
          call.reply(new CibMessage.Copy(XmlWriter.compact(cib)));
        }
        default -> call.reply(new CibMessage.Answer(Rc.OK, "", null, CibVersion.of(cib)));
      }
    }

    @Override
    public void closed(RpcServer.Session<CibMessage.Event> session) {
      subscribers.remove(session);
    }
  }
}
