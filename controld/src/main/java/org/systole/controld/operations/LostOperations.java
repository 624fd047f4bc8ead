package org.systole.controld.operations;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.OperationRequest;
import org.systole.common.operation.OperationResult;
import org.systole.common.operation.Task;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;

/// What becomes of the operations under way on a node when its executor is lost, or another controller goes on with it.
/// Somebody waits for each of them: they end here, or the other controller hears of their end.
final class LostOperations {
  private final World world;
  private final History history;
  private final ActiveOperations active;
  private final OperationRecords records;
  private final Map<String, UnderWay> forgotten = new LinkedHashMap<>(); // that go on, by their transition keys
  private @Nullable String handedOn; // why what the executor refuses has not been done

  LostOperations(World world, History history, ActiveOperations active, OperationRecords records) {
    this.world = world;
    this.history = history;
    this.active = active;
    this.records = records;
  }

  /// A resource is about to be forgotten. Not so its live migration, as long as that is under way: this brings it to another node, where
  /// nobody would look for it if this one were lost.
  ///
  /// @return what is under way of it, of which [#forget] or [#keep] is to be told
  List<UnderWay> forgetting(ResourceId resource) {
    var before = active.allOf(resource).stream().filter(it -> !it.isLiveMove()).toList();
    before.forEach(it -> it.forgetting++);
    return before;
  }

  /// The resource of operations was forgotten. What the executor has begun goes on, and somebody waits for its end. What it has not
  /// taken counts for nothing, as all that was known of the resource; it may have been late with saying that it has.
  void forget(List<UnderWay> before) {
    for (var operation : before) {
      operation.forgetting--;
      var request = operation.request;
      var refusal = operation.refusal;
      if (!active.remove(operation)) {
        continue;
      }
      if (!request.recurs() || !operation.adopted && !history.has(request)) {
        forgotten.put(request.transitionKey(), operation); // of one that recurs somebody waits for the first result, or that it is cancelled
      }
      if (refusal != null) {
        var within = request.recurs() ? Duration.ZERO : Duration.ofMillis(request.timeoutMillis());
        world.after(within, () -> neverDone(operation, refusal));
      }
    }
  }

  private void neverDone(UnderWay operation, String why) {
    if (forgotten.remove(operation.request.transitionKey(), operation) || operation.request.recurs()) {
      records.notDone(operation.request, why);
    }
  }

  /// The resource of operations could not be forgotten.
  ///
  /// @param failed told what the executor has not taken, and why
  void keep(List<UnderWay> before, BiConsumer<OperationRequest, String> failed) {
    for (var operation : before) {
      operation.forgetting--;
      var why = operation.refusal;
      if (why == null || operation.forgetting > 0) {
        continue;
      }
      if (isHandedOn()) {
        notDone(operation);
      } else if (active.remove(operation)) {
        failed.accept(operation.request, why);
      }
    }
  }

  /// The executor has told a result.
  void told(OperationResult result) {
    active.called(result.callId());
    forgotten.remove(result.request().transitionKey());
  }

  /// The executor is lost, and all that is under way with it.
  ///
  /// @param once what to do with one that does not recur
  void drop(Consumer<OperationRequest> once, String why) {
    for (var operation : active.all()) {
      var request = operation.request;
      if (operation.cancelling) {
        gone(operation);
      } else if (active.remove(operation) && !request.recurs()) {
        once.accept(request);
      } else if (request.recurs() && !operation.adopted && !history.has(request)) {
        records.notDone(request, why); // somebody waits for its first result
      }
    }
    List.copyOf(forgotten.values()).forEach(it -> records.notDone(it.request, why));
    forgotten.clear();
  }

  /// A recurring operation recurs no more.
  void gone(UnderWay operation) {
    if (active.remove(operation)) {
      operation.whenCancelled.forEach(Runnable::run);
    }
  }

  /// Another controller is to go on with the executor. It hears of the end of all that the executor has begun.
  void handOn(String why) {
    handedOn = why;
  }

  /// Another controller has the executor, and the way to that was lost before all that it has told was heard. What it had not
  /// taken yet is never done, and nobody else knows of it.
  ///
  /// @param overheard whether the other one hears of the end of all that the executor has taken
  void unheard(boolean overheard, String why) {
    for (var operation : active.all()) {
      var request = operation.request;
      if (operation.cancelling) {
        operation.notCancelled();
      } else if (!operation.adopted
          && !(operation.accepted && overheard)
          && !(request.recurs() && history.has(request))
          && active.remove(operation)) {
        records.unknown(request, why);
      }
    }
    for (var operation : List.copyOf(forgotten.values())) {
      if (!(operation.accepted && overheard)) {
        forgotten.remove(operation.request.transitionKey());
        records.unknown(operation.request, why);
      }
    }
  }

  boolean isHandedOn() {
    return handedOn != null;
  }

  /// The executor does not do what it was asked for.
  ///
  /// @return whether that is no failure so far: it does what another controller asks for, and it was told that this was not done, or
  ///     the resource is being forgotten, and what comes of that is waited for
  boolean refused(UnderWay operation, String why) {
    if (handedOn != null) {
      notDone(operation);
      return true;
    }
    if (operation.forgetting > 0) {
      operation.refusal = why;
      return true;
    }
    return false;
  }

  /// An operation was never begun, as the node was handed on.
  void notDone(UnderWay operation) {
    if (active.remove(operation) || forgotten.remove(operation.request.transitionKey(), operation)) {
      notDone(operation.request);
    }
  }

  /// An operation has come to nothing, and what the CIB says of its resource here is deleted. Who asked for it waits for its end
  /// also where the resource was forgotten meanwhile.
  ///
  /// @return false if it was asked for anew
  boolean withdraw(OperationRequest request, String why) {
    forgotten.remove(request.transitionKey());
    var operation = active.get(request.key());
    if (operation == null) {
      records.notDone(request, why);
      return true;
    }
    if (!operation.request.transitionKey().equals(request.transitionKey())) {
      return false;
    }
    active.remove(operation);
    history.forget(request.resource());
    records.delete(List.of(request.resource()), () -> records.notDone(request, why));
    return true;
  }

  void notDone(OperationRequest request) {
    var why = handedOn == null ? "" : handedOn;
    if (request.is(Task.MIGRATE_TO)) {
      records.neverBegun(request, why); // it was announced
    } else {
      records.notDone(request, why);
    }
  }
}
