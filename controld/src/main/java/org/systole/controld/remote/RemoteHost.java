package org.systole.controld.remote;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.world.SecureStreams;
import org.systole.common.xml.Element;
import org.systole.controld.proxy.ProxyRoom;

/// What connections to remote nodes need of the controller.
public interface RemoteHost {
  /// This member's name.
  NodeName nodeName();

  /// This member's id, as the CIB has it.
  CibNodeId nodeId();

  /// The network; the first call may take a moment.
  SecureStreams network();

  @Nullable Element cib();

  void write(List<CibOp> changes, Runnable done);

  /// As [#write]; `done` is told whether the changes were made.
  void writeAndTell(List<CibOp> changes, Consumer<Boolean> done);

  /// As [#write] for changes that may find nothing to change any more; `done` is told whether they
  /// were made.
  void writeIfThere(List<CibOp> changes, Consumer<Boolean> done);

  /// The attribute manager was asked to write something. `then` is run once that is in the CIB, or after so long; no plan is
  /// made here before.
  void expect(Predicate<Element> written, Duration limit, Runnable then);

  /// Tells the DC of a result that is not in the CIB.
  void acknowledge(HistoryEntry operation);

  /// Why an operation must not be begun now, null if it may.
  @Nullable String objection(OperationName operation);

  /// Why a live migration must not begin, null if it may.
  @Nullable String objection(OperationRequest migration);

  /// Tells who has operations carried out on the target of a live migration with which parameters that is about to begin.
  void sends(NodeName source, OperationRequest migration);

  /// A result came; runs the alert agents.
  void reported(NodeName node, OperationResult result);

  void setAttribute(String name, NodeName node, @Nullable String value);

  /// Takes a result that is that of an agent's single run, see [AgentRuns].
  ///
  /// @param node that tells it
  /// @return whether it is
  boolean tookResult(NodeName node, OperationResult result);

  /// The memory that the commands of all remote nodes may take.
  ProxyRoom commandRoom();

  /// The memory that what all remote nodes have told of what they run may take.
  TellingRoom tellingRoom();

  /// What is about to be moved live to remote nodes.
  OnTheirWay onTheirWay();

  /// Whether [HostRequests] has a connection of its own to a node.
  boolean isVisited(NodeName node);

  /// Has all transient attributes of a remote node forgotten.
  void forgetAttributes(NodeName node);
}
