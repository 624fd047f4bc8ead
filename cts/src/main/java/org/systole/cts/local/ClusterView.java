package org.systole.cts.local;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.cibd.client.CibMessage;
import org.systole.common.cib.CibQuery;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.wire.BlockingClient;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.scheduler.model.ClusterFlag;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.Role;
import org.systole.scheduler.model.WorkingSet;
import org.systole.scheduler.unpack.Status;

/// The cluster as one of its nodes tells it, followed change by change.
///
/// Subscribes to the CIB of the first node that answers and asks again at every change, so waiting
/// costs nothing and ends the moment what is waited for is so.
public final class ClusterView {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofMillis(100);

  private final List<LocalNode> nodes;

  /// @param nodes to ask, in this order
  public ClusterView(List<LocalNode> nodes) {
    this.nodes = List.copyOf(nodes);
  }

  /// The state of the cluster at one moment.
  public record Snapshot(Element cib, WorkingSet status) {
    /// The DC's name, null if there is none.
    public @Nullable String dc() {
      var id = cib.get("dc-uuid");
      var node = id == null ? null : status.nodeById(id);
      return node == null || !node.online() ? null : node.name();
    }

    public List<String> online() {
      return status.nodes().stream()
          .filter(it -> it.online() && !it.pending())
          .map(it -> it.name())
          .toList();
    }

    /// The nodes a resource is active on; for a clone those of all its instances.
    public List<String> activeOn(String resource) {
      var rsc = status.resource(resource);
      return rsc == null
          ? List.of()
          : rsc.nodes(Resource.Where.CURRENT).stream().map(it -> it.name()).sorted().toList();
    }

    /// The nodes a promotable clone is promoted on.
    public List<String> promotedOn(String clone) {
      var rsc = status.resource(clone);
      var found = new ArrayList<String>();
      for (var instance : rsc == null ? List.<Resource>of() : rsc.children()) {
        if (instance.role(true) == Role.PROMOTED) {
          instance.nodes(Resource.Where.CURRENT).forEach(it -> found.add(it.name()));
        }
      }
      return found;
    }

    /// Whether the node is known to be safely down: not a member, and nothing of it left to fear.
    public boolean isDown(String name) {
      var node = status.node(name);
      return node != null && !node.online() && !node.unclean();
    }

    /// How often operations of a resource failed on a node since it was last cleaned up.
    public int failures(String resource, String name) {
      var node = status.node(name);
      var sum = 0;
      if (node != null) {
        for (var attribute : node.attributes().entrySet()) {
          if (attribute.getKey().startsWith("fail-count-" + resource + "#")) {
            sum +=
                attribute.getValue().equals("INFINITY")
                    ? 1
                    : Integer.parseInt(attribute.getValue());
          }
        }
      }
      return sum;
    }

    /// Whether a command still waits for its result somewhere.
    public boolean isPending() {
      var found = cib.find(it -> it.is(HistoryEntry.ELEMENT) && new HistoryEntry(it).isPending());
      return found != null;
    }
  }

  /// Waits until the cluster is as wanted.
  ///
  /// @return what was seen then, null if it was not seen in time or the thread was interrupted
  public @Nullable Snapshot await(Predicate<Snapshot> wanted, Duration timeout) {
    var deadlineNanos = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadlineNanos && !Thread.currentThread().isInterrupted()) {
      for (var node : nodes) {
        var seen = follow(node, wanted, deadlineNanos);
        if (seen != null) {
          return seen;
        }
      }
      pause();
    }
    return null;
  }

  /// As the other one, but no longer than the nodes run that were started.
  ///
  /// @throws NodeEnded if one of them ends before the cluster is as wanted
  public @Nullable Snapshot awaitWhileAllRun(Predicate<Snapshot> wanted, Duration timeout)
      throws IOException, NodeEnded {
    var ended = new CompletableFuture<LocalNode>();
    for (var node : nodes) {
      var supervisor = node.supervisor();
      supervisor.ifPresent(it -> it.onExit().thenRun(() -> ended.complete(node)));
      if (supervisor.isEmpty()) {
        ended.complete(node);
      }
    }
    var seen = new CompletableFuture<Optional<Snapshot>>();
    var looking =
        Thread.ofVirtual().start(() -> seen.complete(Optional.ofNullable(await(wanted, timeout))));
    try {
      CompletableFuture.anyOf(seen, ended).get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      looking.interrupt();
    }
    var found = seen.getNow(Optional.empty()).orElse(null);
    if (found == null && ended.isDone()) {
      throw new NodeEnded(ended.join());
    }
    return found;
  }

  /// A node ended by itself; the message says which, why, and where its log is.
  public static final class NodeEnded extends Exception {
    NodeEnded(LocalNode node) throws IOException {
      super(
          "%s ended by itself: %s; more in %s"
              .formatted(
                  node.name(),
                  node.lastWords().isEmpty() ? "it does not say why" : node.lastWords(),
                  node.layout().log()));
    }
  }

  /// What the first node that answers says now, null if none does.
  public @Nullable Snapshot now() {
    return await(_ -> true, Duration.ofSeconds(5));
  }

  /// Follows one node's CIB until the condition holds, the time is over or the node is gone.
  private static @Nullable Snapshot follow(
      LocalNode node, Predicate<Snapshot> wanted, long deadlineNanos) {
    var socket = node.layout().socket(CibMessage.SOCKET);
    try (var cib = BlockingClient.open(socket, CibMessage.PROTOCOL)) {
      cib.call(new CibMessage.Subscribe(), ANSWER);
      while (System.nanoTime() < deadlineNanos) {
        var snapshot = snapshot(cib);
        if (snapshot != null && wanted.test(snapshot)) {
          return snapshot;
        }
        var left = Duration.ofNanos(Math.max(1, deadlineNanos - System.nanoTime()));
        cib.event(left);
      }
    } catch (IOException e) {
      return null; // not up, or gone: the next one is asked
    }
    return null;
  }

  private static @Nullable Snapshot snapshot(
      BlockingClient<CibMessage.Request, CibMessage.Reply, CibMessage.Event> cib)
      throws IOException {
    if (!(cib.call(new CibMessage.Query(CibQuery.ALL, ""), ANSWER)
            instanceof CibMessage.Answer answer)
        || answer.xml() == null) {
      return null;
    }
    try {
      var root = XmlReader.parse(answer.xml());
      var flags = Set.of(ClusterFlag.NO_COUNTS);
      return new Snapshot(root, Status.of(root, Instant.now(), ZoneOffset.UTC, flags));
    } catch (XmlException e) {
      return null;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RETRY); // nothing tells when a daemon comes up
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
