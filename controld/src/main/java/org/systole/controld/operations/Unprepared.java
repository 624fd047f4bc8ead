package org.systole.controld.operations;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.systole.common.operation.OperationDigest;
import org.systole.common.operation.Task;
import org.systole.common.values.ResourceId;

/// Operations that wait for the metadata of their agents.
final class Unprepared {
  private final MetadataCache metadata;
  private final Consumer<UnderWay> run;
  private final List<UnderWay> waiting = new ArrayList<>();

  Unprepared(MetadataCache metadata, Consumer<UnderWay> run) {
    this.metadata = metadata;
    this.run = run;
  }

  /// Runs an operation once its agent's metadata is known, if that is needed. After a start it is asked for again, as the agent
  /// may have been replaced.
  void prepare(UnderWay operation) {
    var request = operation.request;
    var agent = request.agent();
    waiting.remove(operation);
    runNow(request.resource());
    var needed = OperationDigest.needsMetadata(agent, request.operation());
    if (!needed || metadata.get(agent) != null) {
      run.accept(operation);
      if (needed && request.is(Task.START)) {
        metadata.learnSoon(agent);
      }
      return;
    }
    var mine = operation.tries;
    waiting.add(operation);
    metadata.ask(
        agent,
        () -> {
          if (operation.tries == mine && waiting.remove(operation)) {
            run.accept(operation);
          }
        });
  }

  /// Runs what waits without its metadata, as more is asked of the resource: a start must not come after a stop that was requested
  /// later.
  void runNow(ResourceId resource) {
    for (var before : List.copyOf(waiting)) {
      if (before.request.resource().equals(resource)) {
        waiting.remove(before);
        run.accept(before);
      }
    }
  }

  /// What waits, and does so no more.
  List<UnderWay> takeAll() {
    var all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }
}
