package org.systole.cts.fuzz;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.systole.attrd.client.AttrMessage;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibOp;
import org.systole.common.cluster.LinkMessage;
import org.systole.common.output.Rc;
import org.systole.common.wire.BlockingClient;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.xml.Element;
import org.systole.controld.client.CtlMessage;
import org.systole.cts.local.LocalNode;
import org.systole.execd.client.ExecMessage;
import org.systole.fenced.client.FenceMessage;
import org.systole.pacemakerd.client.PacemakerdMessage;

/// The other clients, who mean well: they ask each daemon again and again, and the CIB manager for
/// a change. Not safe for use by several threads, but for [#problems] and [#slowest].
final class Probes {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Duration limit;
  private final Map<String, Long> slowest = new TreeMap<>(); // milliseconds
  private final List<String> problems = new ArrayList<>();
  private long changes;
  private long asked;

  /// @param limit for each answer
  Probes(Duration limit) {
    this.limit = limit;
  }

  /// Asks until the thread is interrupted.
  void run(List<LocalNode> nodes) {
    while (!Thread.currentThread().isInterrupted()) {
      for (var node : nodes) {
        round(node);
      }
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void round(LocalNode node) {
    ask(node, CibMessage.SOCKET, CibMessage.PROTOCOL, new CibMessage.Ping());
    ask(node, AttrMessage.SOCKET, AttrMessage.PROTOCOL, new AttrMessage.Query("none", null));
    ask(node, CtlMessage.SOCKET, CtlMessage.PROTOCOL, new CtlMessage.DcQuery());
    ask(node, ExecMessage.SOCKET, ExecMessage.PROTOCOL, new ExecMessage.StateQuery("dummy"));
    var history = new FenceMessage.HistoryQuery(null, false);
    ask(node, FenceMessage.SOCKET, FenceMessage.PROTOCOL, history);
    ask(node, LinkMessage.SOCKET, LinkMessage.PROTOCOL, new LinkMessage.StatusQuery());
    ask(
        node,
        PacemakerdMessage.SOCKET,
        PacemakerdMessage.PROTOCOL,
        new PacemakerdMessage.Ping());
    change(node);
  }

  private void change(LocalNode node) {
    var nvpair = Element.of("nvpair", "id", "fuzz-seen", "name", "seen", "value", "" + ++changes);
    var set = Element.builder("cluster_property_set").attr("id", "fuzz").add(nvpair).build();
    var all = Element.builder("crm_config").add(set).build();
    var op = CibOp.modify("crm_config", all).allowingCreate();
    var answer =
        ask(
            node,
            CibMessage.SOCKET,
            CibMessage.PROTOCOL,
            new CibMessage.Update(List.of(op), false, "", "probe", limit.toMillis()));
    if (answer instanceof CibMessage.Answer it && it.rc() != Rc.OK) {
      problem(node.name() + " cib refuses a change: " + it.rc() + " " + it.why());
    }
  }

  private <Q, R, E> @org.jspecify.annotations.Nullable R ask(
      LocalNode node, String socket, ClientProtocol<Q, R, E> protocol, Q request) {
    if (Thread.currentThread().isInterrupted()) {
      return null;
    }
    var what = socket + " " + request.getClass().getSimpleName();
    var begin = System.nanoTime();
    try (var client = BlockingClient.open(node.layout().socket(socket), protocol)) {
      asked++;
      return client.call(request, limit);
    } catch (IOException e) {
      if (!Thread.currentThread().isInterrupted()) {
        problem("%s %s: %s".formatted(node.name(), what, e.getMessage()));
      }
      return null;
    } finally {
      var took = (System.nanoTime() - begin) / 1_000_000;
      synchronized (this) {
        slowest.merge(what, took, Math::max);
      }
    }
  }

  private synchronized void problem(String text) {
    problems.add(text);
  }

  synchronized List<String> problems() {
    return List.copyOf(problems);
  }

  long asked() {
    return asked;
  }

  /// The slowest answer to each kind of question, in milliseconds.
  synchronized Map<String, Long> slowest() {
    return new TreeMap<>(slowest);
  }
}
