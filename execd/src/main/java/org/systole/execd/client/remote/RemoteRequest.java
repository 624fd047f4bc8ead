package org.systole.execd.client.remote;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.values.OperationName;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// What a cluster asks of the executor of a remote node. Each is answered with a [RemoteReply], except
/// [Check].
public sealed interface RemoteRequest {
  /// The first one on a connection.
  ///
  /// @param client how the client is to be called in logs
  /// @param version the protocol's version that the client speaks, such as `1.1`
  /// @param isProvider whether the client belongs to the cluster: it is asked before this node stops
  record Register(String client, String version, boolean isProvider) implements RemoteRequest {}

  /// Names the agent of a resource; operations of it can be asked for from now on.
  ///
  /// @param dropRecurring whether its recurring operations end when no client is left
  /// @param arriving how it is about to be moved here live; null if it is not, as for Pacemaker's controllers
  record AddResource(ResourceId resource, AgentName agent, boolean dropRecurring, @Nullable Arriving arriving)
      implements RemoteRequest {}

  /// A live migration to the node.
  ///
  /// @param parameters with which the resource is sent
  record Arriving(Map<String, String> parameters, NodeName source) {}

  /// Asks for the agent of a resource.
  record DescribeResource(ResourceId resource) implements RemoteRequest {}

  /// Forgets a resource and ends its operations.
  record DropResource(ResourceId resource) implements RemoteRequest {}

  /// Asks for an operation; the reply's code is its call number, and what came of it is told to all
  /// clients.
  ///
  /// @param operation such as `monitor`
  /// @param intervalMillis 0 for once
  /// @param timeoutMillis 0 for no limit
  /// @param key comes back with the result
  /// @param onlyChanges whether the same result of a recurring operation is told only once
  record Execute(
      ResourceId resource,
      OperationName operation,
      long intervalMillis,
      long timeoutMillis,
      long startDelayMillis,
      Map<String, String> parameters,
      String key,
      boolean onlyChanges)
      implements RemoteRequest {}

  /// Ends an operation that recurs or waits.
  record Cancel(ResourceId resource, OperationName operation, long intervalMillis)
      implements RemoteRequest {}

  /// Asks which operations recur.
  ///
  /// @param resource of which resource; null for all
  record ListRecurring(@Nullable ResourceId resource) implements RemoteRequest {}

  /// Asks whether the executor is there. All clients are told, beside the reply.
  record Poke() implements RemoteRequest {}

  /// Tells what the cluster counts on: not answered.
  ///
  /// @param watchdogTimeout the cluster's `fencing-watchdog-timeout`, null if it is not set
  record Check(@Nullable String watchdogTimeout) implements RemoteRequest {}

  /// Something for a command on the remote node, or about its stop.
  ///
  /// @param message a `lrmd_ipc_proxy`
  record Forward(Element message) implements RemoteRequest {}

  /// One that is not known here.
  record Unknown(String word) implements RemoteRequest {}
}
