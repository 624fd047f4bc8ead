package org.systole.controld.remote;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HistoryXml;

/// A connection that is being made.
final class Opening {
  static final int DEFAULT_PORT = 3121;

  static final Duration RETRY = Duration.ofSeconds(1);

  private static final Duration ATTEMPT_MAX = Duration.ofSeconds(10);

  final Asked asked;

  private final World world;

  /// Until when it is tried, on the monotonic clock.
  final long deadline;

  /// Told instead of the cluster; null where the cluster has asked.
  final ConnectionMonitors.@Nullable Told told;

  private World.@Nullable Timer retry;

  /// Why the attempt before this one came to nothing; null if it is the first.
  private @Nullable String before;

  private final long since;
  private boolean configured; // its resource, as far as this member has seen
  private boolean deleted;

  /// @param configured whether this member's copy of the CIB has its resource, or implies it
  Opening(
      World world, Asked asked, long deadline, ConnectionMonitors.@Nullable Told told, boolean configured) {
    this.world = world;
    this.configured = configured;
    this.since = world.nanoTime();
    this.asked = asked;
    this.deadline = deadline;
    this.told = told;
  }

  /// Whether the cluster has asked for it, and has deleted its resource since, so that nobody waits for it any more. A move may still
  /// come about at the first attempt: the other member has the connection, and what runs on the node is to be stopped by it.
  ///
  /// @param made whether the configuration has the resource now, or implies it
  boolean isOverAs(boolean made) {
    deleted = !made && told == null && (configured || deleted);
    configured = made;
    return deleted && (asked.is(Task.START) || before != null);
  }

  /// Whether another member is to hand the connection over.
  boolean isMove() {
    return told == null && asked.is(Task.MIGRATE_FROM);
  }

  /// Whether the CIB says that the cluster has asked a member for it.
  boolean isBegun(Element cib, CibNodeId member) {
    var resources = HistoryXml.resources(cib, member);
    var key = asked.request().transitionKey();
    return resources != null && resources.find(it -> key.equals(it.get("transition-key"))) != null;
  }

  boolean isDeleted() {
    return deleted;
  }

  /// How long it is still tried.
  Duration left(World world) {
    return Duration.ofNanos(deadline - world.nanoTime());
  }

  boolean isTriedAgain(World world) {
    return !deleted && isTimeLeft(world);
  }

  /// Whether it may be host HA's affair that it cannot be made. That is not seen at once: this member's copy of the CIB may
  /// be from before what made the cluster ask for the start, such as a stop in good order.
  boolean mayBeHeld(World world) {
    return told == null && (world.nanoTime() - since >= RETRY.toNanos() || !isTimeLeft(world));
  }

  private boolean isTimeLeft(World world) {
    return left(world).compareTo(RETRY) > 0;
  }

  /// How long one attempt may take.
  Duration forAttempt(World world) {
    var left = left(world);
    return left.compareTo(ATTEMPT_MAX) < 0 ? left : ATTEMPT_MAX;
  }

  /// @param why why the last attempt came to nothing
  void tryAgain(String why, World.Timer next) {
    before = why;
    retry = next;
  }

  /// What kept it from coming about. The last attempt may only have had no time left for what the others failed of.
  String reason(String why) {
    return before == null || before.equals(why) ? why : why + "; before: " + before;
  }

  /// It has ended.
  ///
  /// @param tell tells the cluster, where that has asked
  /// @param otherwise how it ended if it did not end well
  void ended(Consumer<OperationResult> tell, boolean well, ExecStatus otherwise, String why) {
    if (told != null) {
      told.accept(well ? null : why);
    } else {
      tell.accept(asked.ended(world, well, otherwise, why));
    }
  }

  void retryNoMore() {
    if (retry != null) {
      retry.cancel();
    }
  }

  /// The host's address, or a name of it.
  String server(NodeName node) {
    var parameters = asked.request().parameters();
    var server = parameters.getOrDefault("addr", parameters.getOrDefault("server", ""));
    return server.isEmpty() ? node.text() : server;
  }

  /// Whether the node is a guest, or a bundle's replica.
  boolean isOfGuest() {
    return asked.request().metaValue("container") != null;
  }

  /// Both, as in [Connected]. A bundle's replica has none that is its own.
  String address(@Nullable Element cib, NodeName node) {
    return !isOfGuest() || RemoteAddresses.isMachine(cib, asked.request().metaValue("container")) ? target(node) : "";
  }

  /// Where it leads, whosever address that is.
  String target(NodeName node) {
    return server(node) + ":" + port();
  }

  int port() {
    return Numbers.integer(asked.request().parameters().get("port"), DEFAULT_PORT);
  }
}
