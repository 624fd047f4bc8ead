package org.systole.controld.remote;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.systole.common.cib.CibOp;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.Task;
import org.systole.common.values.NodeName;
import org.systole.common.values.ResourceId;
import org.systole.common.world.World;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HalfMoved;
import org.systole.controld.operations.OperationRunner;
import org.systole.controld.operations.RemovedResources;
import org.systole.execd.client.remote.RemoteExecutor;

/// Live migrations away from a remote node that are recorded as under way, and of whose end nobody hears. The member that had asked for one
/// was lost as it gave the node away: the request with it, or its result. No plan touches a resource that is being migrated, so that it
/// would stay where it is for ever.
///
/// Whoever takes the node over asks, once the one before has had time to record what it has heard, whether they are under way. What is not
/// is looked for on the node, and where it was to be moved to.
final class UnheardMigrations {
  /// Who has given the node away records what it hears for less long than that.
  static final Duration AFTER = Duration.ofSeconds(15);

  private final World world;
  private final RemoteHost host;
  private final NodeName node;
  private final RemoteExecutor executor;
  private final OperationRunner runner;
  private final BooleanSupplier isOurs;

  /// @param isOurs whether this member has the node yet
  UnheardMigrations(World world, RemoteHost host, NodeName node, RemoteExecutor executor, OperationRunner runner, BooleanSupplier isOurs) {
    this.world = world;
    this.host = host;
    this.node = node;
    this.executor = executor;
    this.runner = runner;
    this.isOurs = isOurs;
  }

  /// This member has just taken the node over. What the one before has asked for it may record only once it has heard that.
  void begin() {
    world.after(AFTER, this::ask);
  }

  private void ask() {
    var unheard = begun().stream().filter(this::isUnheard).map(UnheardMigrations::key).collect(Collectors.toSet());
    if (!isOurs.getAsBoolean() || unheard.isEmpty()) {
      return;
    }
    executor.goesOn(
        going -> {
          var underWay = going == null ? null : going.underWay();
          if (underWay != null && isOurs.getAsBoolean()) {
            begun().stream()
                .filter(it -> unheard.contains(key(it)) && isUnheard(it) && !underWay.contains(key(it)))
                .forEach(this::lookAgain);
          }
        });
  }

  /// Whether somebody else has asked for it. What this member has asked for it hears of, and the executor may answer before it has
  /// that.
  private boolean isUnheard(Element resource) {
    return runner.underWay().stream().noneMatch(it -> it.transitionKey().equals(key(resource)));
  }

  /// The histories of resources on the node that are being migrated away, as the CIB says.
  private List<Element> begun() {
    var state = RemoteRecords.state(host.cib(), node);
    var resources = state == null ? null : state.path("lrm", "lrm_resources");
    return resources == null
        ? List.of()
        : resources.children("lrm_resource").stream().filter(it -> !key(it).isEmpty()).toList();
  }

  /// The transition key of the migration that is under way; empty if there is none.
  private static String key(Element resource) {
    return resource.children(HistoryEntry.ELEMENT).stream()
        .map(HistoryEntry::new)
        .filter(it -> it.is(Task.MIGRATE_TO) && it.isPending())
        .map(it -> it.xml().get("transition-key", ""))
        .findFirst()
        .orElse("");
  }

  private void lookAgain(Element resource) {
    var cib = host.cib();
    var id = ResourceId.of(resource.id());
    var state = RemoteRecords.state(cib, node);
    if (cib == null || id == null || state == null || RemoteRecords.madeBy(cib, node) == null) {
      return;
    }
    world.log().notice("Nobody has heard what came of the migration of %s from %s: it is looked for".formatted(id, node));
    var changes = new ArrayList<CibOp>();
    changes.add(GivenAway.underWay(node, id, key(resource)));
    changes.addAll(HalfMoved.lookEverywhere(cib, state, resource));
    host.writeIfThere(
        changes,
        made -> {
          if (made) {
            runner.forget(List.of(id), _ -> RemovedResources.look(runner, host.cib()));
          }
        });
  }
}
