package org.systole.tools.lint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.systole.common.operation.Task;
import org.systole.common.options.OptionSpec;
import org.systole.common.options.ResourceOptionTables;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.xml.Element;
import org.systole.tools.cli.Typing;
import org.systole.tools.lint.Finding.Severity;

/// Whether a primitive is watched, and looked after at all.
final class ResourceLint {
  private static final String MONITOR = "monitor";
  private static final List<String> META = ResourceOptionTables.PRIMITIVE.stream().map(OptionSpec::name).toList();

  /// What is configured for operations of these names has an effect.
  private static final List<String> OPERATIONS =
      Stream.of(
              Task.MONITOR,
              Task.START,
              Task.STOP,
              Task.PROMOTE,
              Task.DEMOTE,
              Task.NOTIFY,
              Task.MIGRATE_TO,
              Task.MIGRATE_FROM,
              Task.RELOAD,
              Task.RELOAD_AGENT,
              Task.STATUS,
              Task.META_DATA,
              Task.VALIDATE_ALL)
          .map(it -> it.operation().text())
          .toList();

  private final Lint lint;
  private final Element primitive;
  private final String id;

  ResourceLint(Lint lint, Element primitive) {
    this.lint = lint;
    this.primitive = primitive;
    this.id = primitive.get("id", "");
  }

  void check() {
    var operations = new ArrayList<Element>();
    var referred = false;
    for (var list : lint.parts(primitive, "operations")) {
      referred |= list.has("id-ref");
      operations.addAll(list.children("op"));
    }
    if (!referred) {
      monitors(operations);
    }
    sameIntervals(operations);
    unmanaged();
    ignoredStops(operations);
    mistyped(operations);
  }

  /// Names of one's own are allowed, and agents may have operations of their own: only what is nearly another one is spoken of.
  private void mistyped(List<Element> operations) {
    for (var set : lint.parts(primitive, "meta_attributes")) {
      set.children("nvpair").forEach(it -> mistyped(it, "meta-attribute", META));
    }
    operations.forEach(it -> mistyped(it, "operation", OPERATIONS));
  }

  private void mistyped(Element named, String what, List<String> known) {
    var name = named.get("name", "");
    var meant = known.contains(name) ? null : Typing.near(name, known);
    if (meant != null) {
      lint.add(
          "mistyped",
          Severity.WARNING,
          named.get("id", ""),
          "%s has a%s %s, which means nothing to the cluster"
              .formatted(id, what.startsWith("o") ? "n " + what : " " + what, name),
          "Call it %s if that is meant".formatted(meant));
    }
  }

  private void monitors(List<Element> operations) {
    if (operations.stream().noneMatch(it -> isRecurring(it) && it.get("name", "").equals(MONITOR))) {
      lint.add(
          "no-monitor",
          Severity.WARNING,
          id,
          "it has no recurring monitor: nobody notices when it fails",
          "Add an operation monitor with an interval, such as 10s");
    }
  }

  private static boolean isRecurring(Element operation) {
    return Interval.parse(operation.get("interval")) > 0
        && Bool.parse(operation.get("enabled"), true);
  }

  /// They would be one operation.
  private void sameIntervals(List<Element> operations) {
    var seen = new HashSet<String>();
    for (var operation : operations) {
      var name = operation.get("name", "");
      var interval = Interval.parse(operation.get("interval"));
      if (isRecurring(operation) && !seen.add(name + " " + interval)) {
        lint.add(
            "same-interval",
            Severity.ERROR,
            operation.get("id", ""),
            "%s has two operations %s with the interval %s, of which one is ignored"
                .formatted(id, name, Interval.format(interval)),
            "Give one of them, as that of the other role, another interval (11s beside 10s)");
      }
    }
  }

  private void unmanaged() {
    var meta = lint.values(primitive, "meta_attributes");
    if (!Bool.parse(meta.get("is-managed"), true) || Bool.isTrue(meta.get("maintenance"))) {
      lint.add(
          "unmanaged",
          Severity.NOTICE,
          id,
          "the cluster leaves it alone, also when it fails",
          "crm_resource --meta -r %s -d is-managed (or maintenance)".formatted(id));
    }
  }

  private void ignoredStops(List<Element> operations) {
    for (var operation : operations) {
      if (operation.get("name", "").equals("stop") && operation.get("on-fail", "").equals("ignore")) {
        lint.add(
            "failed-stop-ignored",
            Severity.ERROR,
            operation.get("id", ""),
            "a stop of %s that fails counts as done: it may be started while it still runs".formatted(id),
            "Remove on-fail, so that the node is fenced");
      }
    }
  }
}
