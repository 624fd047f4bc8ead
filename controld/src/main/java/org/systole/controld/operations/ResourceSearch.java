package org.systole.controld.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.output.Product;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;

/// Looks for resources that may run on this node with parameters of their own: those they were
/// started with, by an earlier controller or before their history was cleaned up.
///
/// What is no longer configured the DC does not ask for, so this node probes for it by itself. If it
/// runs it is recorded; if not, the probe leaves no trace.
///
/// What is configured the DC has probed with the parameters of the configuration. These may have
/// changed since, and an agent that finds its instance by them would say that nothing runs here. So
/// the resource is probed with the parameters it was started with first. Where these find it, that is
/// the answer to the DC; where they do not, the probe that was asked for follows.
final class ResourceSearch {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int LIMIT = 10_000;

  private final World world;
  private final History history;
  private final Predicate<ResourceId> mayArrive;

  /// What may run here although the history does not know it.
  private final Map<ResourceId, LeftRunning.Resource> suspects = new TreeMap<>();

  /// What is being moved here live. No plan need be there any more that knows with which parameters it comes: the DC that had it sent may be
  /// lost, and the configuration have others by then.
  private final LinkedHashMap<ResourceId, Arrival> arrivals = new LinkedHashMap<>();

  /// The probes that were asked for, by the transition key under which another one runs first.
  private final LinkedHashMap<String, OperationRequest> postponed = new LinkedHashMap<>();

  /// The probes of this node's own.
  private final Map<ResourceId, Look> looks = new TreeMap<>();

  /// @param key what tells its result from that of a probe the DC has asked for meanwhile
  /// @param done what to run once it has ended
  private record Look(String key, Runnable done) {}

  /// @param at when it was told, on the monotonic clock
  /// @param over whether it was to be taken in by now: its source has sent it, or does so no more
  private record Arrival(LeftRunning.Resource sent, long at, boolean over) {}

  /// @param mayArrive whether a resource is being moved here live, or was and has not been looked for since, for all that the CIB says
  ResourceSearch(World world, History history, Predicate<ResourceId> mayArrive) {
    this.world = world;
    this.history = history;
    this.mayArrive = mayArrive;
  }

  /// Takes note of a resource that may run here while the history knows nothing of it.
  void suspect(LeftRunning.Resource resource) {
    suspects.put(resource.id(), resource);
  }

  /// Takes note of a resource that is about to be moved here live, whatever the history says of it by now.
  ///
  /// @param sent with what its source has sent it
  void arrives(LeftRunning.Resource sent) {
    if (arrivals.size() == LIMIT) {
      arrivals.remove(arrivals.firstEntry().getKey());
    }
    arrivals.putLast(sent.id(), new Arrival(sent, world.nanoTime(), false));
    history.superseded(sent.id());
  }

  /// The node that is about to move a resource here live, or was; null if none is.
  @Nullable NodeName arrivesFrom(ResourceId resource) {
    var arrival = arrivals.get(resource);
    return arrival == null ? null : arrival.sent.source();
  }

  /// Where something was done with a resource here, it is known with what it runs, or that it does not. It may come after it was stopped,
  /// though, as where its source is lost: it is stopped here at once then.
  void noteDone(OperationResult result) {
    var resource = result.resource();
    if (result.is(Task.MIGRATE_FROM)) {
      arrivals.computeIfPresent(resource, (_, it) -> new Arrival(it.sent, it.at, true));
    }
    var runs = result.is(Task.START) || result.is(Task.MIGRATE_FROM);
    if (result.isSuccess() && (runs || result.is(Task.STOP) && !mayComeYet(resource))) {
      arrivals.remove(resource);
    }
    noteAbsent(result);
  }

  private boolean mayComeYet(ResourceId resource) {
    var arrival = arrivals.get(resource);
    return arrival != null && !arrival.over && isOnItsWay(resource);
  }

  /// What was looked for with the very parameters that were known of it, and is not there, is not stopped with these any more: what is there
  /// later may have others. What is on its way may not have been found yet.
  private void noteAbsent(OperationResult result) {
    if (!result.request().isProbe() || result.status() != ExecStatus.DONE || !result.is(OcfCode.NOT_RUNNING)) {
      return;
    }
    var resource = result.resource();
    if (isWith(result, startedHere(resource))) {
      history.isStopped(resource);
    }
    if (isWith(result, suspects.get(resource))) {
      suspects.remove(resource);
    }
    if (isWith(result, sent(resource)) && !isOnItsWay(resource)) {
      arrivals.remove(resource);
    }
  }

  private boolean isOnItsWay(ResourceId resource) {
    var arrival = arrivals.get(resource);
    return arrival != null && world.nanoTime() - arrival.at < HalfMoved.UNANNOUNCED.toNanos() || mayArrive.test(resource);
  }

  private LeftRunning.@Nullable Resource sent(ResourceId resource) {
    var arrival = arrivals.get(resource);
    return arrival == null ? null : arrival.sent;
  }

  private static boolean isWith(OperationResult result, LeftRunning.@Nullable Resource known) {
    return known != null && known.agent().equals(result.agent()) && known.parameters().equals(result.request().ownParameters());
  }

  /// Takes note of a resource that may run here before the history forgets it.
  void forgotten(ResourceId resource) {
    var left = history.mayRun(resource);
    if (left != null) {
      suspect(left);
    }
  }

  /// Takes note of a resource that is being started as its history is forgotten: nobody takes its result down.
  void begun(OperationRequest start) {
    if (!start.agent().isFenceAgent()) {
      suspect(new LeftRunning.Resource(start.resource(), start.agent(), start.ownParameters()));
    }
  }

  boolean isSuspected(ResourceId resource) {
    return suspected(resource) != null;
  }

  /// As it was started here, or found, and not stopped since.
  private LeftRunning.@Nullable Resource startedHere(ResourceId resource) {
    var parameters = history.startedWith(resource);
    var agent = history.startedBy(resource);
    return parameters == null || agent == null || agent.isFenceAgent() ? null : new LeftRunning.Resource(resource, agent, parameters);
  }

  /// With what a resource is looked for here before it is with what the configuration has. That the history knows of it may say no more than
  /// that another controller has had something done with it, or be about to be forgotten: it is asked for as the cluster has forgotten it.
  private LeftRunning.@Nullable Resource lookedForFirst(ResourceId resource) {
    var suspect = suspected(resource);
    var started = suspect == null ? startedHere(resource) : suspect;
    return started == null || started.agent().isRemoteConnection() ? suspect : started; // there is but one of that name, whatever its parameters
  }

  private LeftRunning.@Nullable Resource suspected(ResourceId resource) {
    var sent = sent(resource);
    if (sent != null) {
      return sent;
    }
    return history.isSettled(resource) ? null : suspects.get(resource);
  }

  /// The resources that may run here and have not been found or missed yet.
  List<LeftRunning.Resource> suspects() {
    suspects.keySet().removeIf(history::isSettled);
    var all = new TreeMap<>(suspects);
    arrivals.forEach((id, arrival) -> all.put(id, arrival.sent));
    return List.copyOf(all.values());
  }

  /// The request to run when the DC asks for one: the same, a probe with other parameters that has
  /// to come before it, or the second half of a live migration with the parameters of the first.
  OperationRequest first(OperationRequest asked) {
    if (asked.is(Task.MIGRATE_FROM)) {
      return asSent(asked);
    }
    if (asked.is(Task.START)) { // no plan has it started while it may run: should that fail, what is left is of this start
      arrivals.remove(asked.resource());
      suspects.remove(asked.resource());
    }
    var suspect = asked.isProbe() ? lookedForFirst(asked.resource()) : null;
    if (suspect == null
        || suspect.agent().equals(asked.agent())
            && suspect.parameters().equals(asked.ownParameters())) {
      return asked;
    }
    world
        .log()
        .notice(
            "%s may still run here with the parameters it was started with; probing with these first"
                .formatted(asked.resource()));
    if (postponed.size() == LIMIT) {
      postponed.remove(postponed.firstEntry().getKey()); // its result never came
    }
    postponed.putLast(asked.transitionKey(), asked);
    var parameters = asked.withOwnParameters(suspect.parameters()).parameters();
    return OperationRequest.of(
        asked.resource(), suspect.agent(), asked.operation(), 0, parameters, asked.transitionKey());
  }

  /// What arrives is taken in as it was sent. With other parameters the agent would take in something else, or nothing, and what has arrived
  /// run on unknown. By those it is recorded with, the scheduler sees that it is to be restarted.
  private OperationRequest asSent(OperationRequest migration) {
    var sent = arrived(migration);
    if (sent == null) {
      return migration;
    }
    if (!sent.parameters().equals(migration.ownParameters())) {
      world.log().notice("%s is taken in with the parameters it was sent with: it has others by now".formatted(sent.id()));
    }
    return migration.withAgent(sent.agent()).withOwnParameters(sent.parameters());
  }

  /// What was sent; or what was found here since, or has been taken in before, as somebody refreshed it.
  private LeftRunning.@Nullable Resource arrived(OperationRequest migration) {
    var resource = migration.resource();
    var sent = sent(resource);
    if (sent != null && String.valueOf(sent.source()).equals(migration.metaValue("migrate_source"))) {
      return sent;
    }
    var there = startedHere(resource);
    return there == null && sent == null ? suspected(resource) : there;
  }

  /// A resource is stopped by the agent, and with the parameters, it was started with. That is known of one whose history
  /// was forgotten a moment ago, too: the stop may have been planned before that.
  OperationRequest asStarted(OperationRequest stop) {
    var resource = stop.resource();
    var started = startedHere(resource);
    var suspect = started == null ? suspected(resource) : started;
    return suspect == null ? stop : stop.withAgent(suspect.agent()).withOwnParameters(suspect.parameters());
  }

  /// The probe that was asked for, where one with other parameters has found nothing; null if the
  /// result is of no such probe, or found something. The DC may have asked anew since.
  @Nullable OperationRequest next(OperationResult result) {
    var asked = result.request().isProbe() ? postponed.get(result.transitionKey()) : null;
    if (asked == null || asked.equals(result.request())) {
      return null;
    }
    postponed.remove(result.transitionKey());
    if (!result.saysAbsent()
        || result.status() != ExecStatus.DONE && result.status() != ExecStatus.NOT_INSTALLED) {
      return null;
    }
    acquit(result.resource());
    noteAbsent(result);
    return asked;
  }

  /// Whether a probe that another controller has asked for on this node found nothing, while the resource may run here
  /// with parameters that it was not looked for with.
  boolean mayHaveMissed(OperationResult result) {
    var suspect = result.request().isProbe() ? lookedForFirst(result.resource()) : null;
    return suspect != null
        && result.saysAbsent()
        && !suspect.parameters().equals(result.request().ownParameters());
  }

  /// Nothing runs with the parameters that were kept.
  private void acquit(ResourceId resource) {
    if (suspects.remove(resource) != null && !history.resources().contains(resource)) {
      history.forget(resource);
    }
  }

  /// Begins the probe of a resource.
  ///
  /// @param key a transition key that belongs to no plan
  /// @param done called once it is known whether it runs, or cannot be known
  OperationRequest begin(LeftRunning.Resource resource, String key, Runnable done) {
    var before = looks.put(resource.id(), new Look(key, done));
    if (before != null) {
      world.post(before.done);
    }
    var parameters = new LinkedHashMap<>(resource.parameters());
    parameters.put(OperationRequest.FEATURE_SET, Product.FEATURE_SET);
    parameters.put(OperationRequest.meta("timeout"), String.valueOf(TIMEOUT.toMillis()));
    parameters.put(OperationRequest.meta("record_pending"), "false");
    return OperationRequest.of(
        resource.id(), resource.agent(), Task.MONITOR.operation(), 0, parameters, key);
  }

  /// Whether a result is of such a probe.
  boolean looksFor(OperationResult result) {
    var look = result.request().isProbe() ? looks.get(result.resource()) : null;
    return look != null && look.key.equals(result.transitionKey());
  }

  /// A result is of no probe that anybody has run.
  ///
  /// @return whether it is of one of this node's own, which is given up
  boolean stopsLookingFor(OperationResult result) {
    var look = looksFor(result) ? looks.remove(result.resource()) : null;
    if (look != null) {
      world.post(look.done);
    }
    return look != null;
  }

  /// @return whether the result is of such a probe and says that the resource does not run
  boolean foundNothing(OperationResult result) {
    var look = looksFor(result) ? looks.remove(result.resource()) : null;
    if (look == null) {
      return false;
    }
    world.post(look.done);
    return switch (result.status() == ExecStatus.DONE ? result.code() : null) {
      case OK, RUNNING_PROMOTED, DEGRADED, DEGRADED_PROMOTED -> false;
      case NOT_INSTALLED, NOT_RUNNING -> {
        world.log().notice(result.resource() + " does not run here any more");
        acquit(result.resource());
        noteAbsent(result);
        yield true;
      }
      case null, default -> {
        world
            .log()
            .error(
                "Cannot tell whether %s, which is no longer configured, still runs here%s; it is to"
                        .formatted(result.resource(), result.reasonInBrackets())
                    + " be stopped");
        yield false;
      }
    };
  }
}
