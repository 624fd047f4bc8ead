package org.systole.execd.client;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Allowed;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// What clients and the executor of one node say to each other over `exec.sock`.
///
/// Only root and the cluster's own user may ask for more than [StateQuery], [MetadataQuery] and
/// [InventoryQuery].
public sealed interface ExecMessage {
  ClientProtocol<Request, Reply, Event> PROTOCOL =
      ClientProtocol.of(
              Protocol.of("executor", 1, ExecMessage.class),
              Request.class,
              Reply.class,
              Event.class)
          .withRefusal(Refused::new);
  String SOCKET = "exec";

  sealed interface Request extends ExecMessage {}

  sealed interface Reply extends ExecMessage {}

  sealed interface Event extends ExecMessage {}

  /// Asks for a [Result] event of every operation from now on, whichever client requested it.
  /// Answered with [Ok].
  record Subscribe() implements Request, Allowed.ToNobodyElse {}

  /// Queues an operation; operations of one resource run one at a time, in the order requested.
  /// Answered with [Accepted] or [Refused]; the outcome comes as a [Result] event to subscribers.
  ///
  /// A recurring operation (interval above 0) first runs after `startDelayMillis`, then an interval
  /// after each end, until it is cancelled, the resource is stopped or forgotten. Asked for again
  /// while it runs, it takes over the new call and reports its next result in any case. An
  /// operation that changes the resource's state or parameters, such as `stop` or `promote`,
  /// cancels its recurring operations before it runs.
  ///
  /// Any other operation with a start delay waits for it, but no longer than until another one of
  /// its resource that does not recur is asked for, and keeps its place before that.
  ///
  /// @param onlyChanges report a recurring operation's later results only when they differ from the
  ///     one reported before
  record Execute(OperationRequest request, boolean onlyChanges)
      implements Request, Allowed.ToNobodyElse {}

  /// @param callId the operation's number, rising for as long as this executor runs
  record Accepted(long callId) implements Reply {}

  /// The request was not understood or is not allowed; nothing was done.
  record Refused(String why) implements Reply {}

  /// Done as asked.
  record Ok() implements Reply {}

  /// Event: the result of an operation.
  record Result(OperationResult result) implements Event {}

  /// Ends an operation that recurs or waits for its turn; a recurring one in the middle of a run is
  /// killed. Answered with [Cancelled]; if `found`, a [Result] with status CANCELLED follows.
  record Cancel(ResourceId resource, OperationName operation, long intervalMillis)
      implements Request, Allowed.ToNobodyElse {}

  /// @param found whether there was such an operation
  /// @param inFlight whether it was running, so that its result takes a moment
  record Cancelled(boolean found, boolean inFlight) implements Reply {}

  /// Drops all that is known about a resource and cancels its operations; one that runs is left to
  /// finish, unless it recurs, and reported as forgotten. Answered with [Ok], also for an unknown
  /// resource.
  record Forget(ResourceId resource) implements Request, Allowed.ToNobodyElse {}

  /// Asks what is known: answered with [State].
  ///
  /// @param resource the id of one resource; empty for all. A text rather than null, as a message
  ///     that lacks it must not mean all
  record StateQuery(String resource) implements Request, Allowed.WithinLists {}

  /// @param resources sorted by id
  record State(List<ResourceState> resources) implements Reply {
    /// The same without what may contain secrets: parameters, and the output of agents.
    public State withoutSecrets() {
      return new State(resources.stream().map(ResourceState::withoutSecrets).toList());
    }
  }

  /// @param lastResults the last result of each operation and interval, oldest call first
  /// @param recurring the recurring operations in force
  /// @param pending the operations that run or wait, in their order
  record ResourceState(
      ResourceId resource,
      AgentName agent,
      List<OperationResult> lastResults,
      List<Queued> recurring,
      List<Queued> pending) {
    private ResourceState withoutSecrets() {
      return new ResourceState(
          resource,
          agent,
          lastResults.stream().map(OperationResult::withoutSecrets).toList(),
          recurring.stream().map(Queued::withoutSecrets).toList(),
          pending.stream().map(Queued::withoutSecrets).toList());
    }
  }

  /// An operation in a queue.
  record Queued(long callId, OperationRequest request) {
    private Queued withoutSecrets() {
      return new Queued(callId, request.withoutParameters());
    }
  }

  /// Tells a restarted executor what earlier ones did on this node, so that it can answer
  /// [StateQuery] and its call ids go on from theirs. Its own results are kept. Answered with [Ok].
  ///
  /// @param lastCallId the highest call seen so far
  /// @param results oldest call first
  record Remember(long lastCallId, List<OperationResult> results)
      implements Request, Allowed.ToNobodyElse {}

  /// Asks an agent for its metadata. Answered with [Metadata].
  record MetadataQuery(AgentName agent, long timeoutMillis) implements Request, Allowed.ToMembers {}

  /// A run cannot begin before another one has ended, which may not be ended for it. Whoever orders it may
  /// order it again, if it is wanted still.
  Refused NOT_NOW = new Refused("a run that may happen only once has to end first");

  /// Has a jig run for a noderole. Answered with [JigEnded] at the end of the run; one that was begun
  /// before, by whomever, is not begun again. Jigs of a node run one at a time: another run that is
  /// under way is killed first, unless it may run only once: then this one is refused by [#NOT_NOW], and is
  /// not known afterwards.
  ///
  /// @param noderole as `ROLE@NODE`
  /// @param run its number, which rises from one run of the noderole to the next
  /// @param given what the jig is told, a JSON object
  /// @param once whether it may run only once; a controller of an earlier build does not say
  /// @param spared the roles that may run only once by now, of those that were begun on the node: what is
  ///     under way for one of them is not ended, whatever was said when it began; an earlier build does not say
  record RunJig(
      String noderole,
      int run,
      String jig,
      String role,
      long timeoutMillis,
      String given,
      @Nullable Boolean once,
      @Nullable List<String> spared)
      implements Request, Allowed.ToNobodyElse {
    /// One that spares nothing but what was said to run only once when it began.
    public RunJig(
        String noderole,
        int run,
        String jig,
        String role,
        long timeoutMillis,
        String given,
        @Nullable Boolean once) {
      this(noderole, run, jig, role, timeoutMillis, given, once, null);
    }
  }

  /// Asks for the end of a run. Answered with [JigEnded] then, or at once if it is not known.
  record AwaitJig(String noderole, int run) implements Request, Allowed.ToNobodyElse {}

  /// Has a jig look whether a noderole is fit still; that changes nothing on the node. Answered with
  /// [JigEnded], where `UNKNOWN` means that nobody can say. Nothing is kept of it.
  ///
  /// @param run the noderole's last run
  record CheckJig(
      String noderole, int run, String jig, String role, long timeoutMillis, String given)
      implements Request, Allowed.ToNobodyElse {
    /// The same as if it were a run.
    public RunJig asRun() {
      return new RunJig(noderole, run, jig, role, timeoutMillis, given, null);
    }
  }

  /// Ends a run, or a check after it, if it is under way. Answered with [Ok], or with [Refused] where the
  /// run may happen only once.
  record CancelJig(String noderole, int run) implements Request, Allowed.ToNobodyElse {}

  /// @param text the answer of a jig that succeeded, a JSON object or empty; else one line or more
  ///     about what went wrong
  /// @param given as in [RunJig]
  record JigEnded(String noderole, int run, JigResult result, String text, String given)
      implements Reply {}

  /// How a run of a jig ended.
  enum JigResult {
    OK,
    FAILED,
    CANCELLED,
    /// The executor does not know the run, or not any more.
    UNKNOWN
  }

  /// Asks what agents and packages this machine has. Answered with [Inventory] or [Refused].
  ///
  /// @param wanted agents to look for, such as `ocf:heartbeat:pgsql`
  record InventoryQuery(List<String> wanted) implements Request, Allowed.ToMembers {}

  /// @param json an object: `inventory` of agents by their kind, `packages` with their versions, and
  ///     `missing` of those that were looked for, where any is
  record Inventory(String json) implements Reply {}

  /// @param xml the metadata, empty if there is none
  /// @param status DONE, or why there is none
  /// @param why empty, or one line about what went wrong
  record Metadata(String xml, ExecStatus status, String why) implements Reply {}
}
