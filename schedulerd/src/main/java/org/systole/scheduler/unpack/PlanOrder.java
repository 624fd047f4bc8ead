package org.systole.scheduler.unpack;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.TransitionKey;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.HistoryIndex;
import org.systole.scheduler.model.Resource;
import org.systole.scheduler.model.ResourceFlag;

/// The age of results of two nodes, by who asked for them, and not by the nodes' clocks.
///
/// A DC has a new id in each of its terms, and counts its transitions for as long as its process lives; it
/// begins none before all that was asked for in the last one has ended or was given up. A node counts
/// its calls, in one row also beyond the end of its executor. So what two nodes were asked for can mostly be
/// put in order without the dates of the results, each of which is by the clock of its node.
final class PlanOrder {
  private PlanOrder() {}

  /// What is known of the first of two results.
  enum Age {
    NEWER,
    /// It is older, or nothing but a date would make it newer where the order of plans speaks against it.
    NOT_NEWER,
    /// There is nothing but the dates.
    UNKNOWN
  }

  /// How old a result is, compared with one of another node. Both have call ids.
  static Age compare(HistoryIndex histories, Resource resource, Element a, Element b) {
    var ofA = planned(a);
    var ofB = planned(b);
    if (ofA == null || ofB == null || !ofA.engine().equals(ofB.engine())) {
      // A member counts its calls to connections apart from those to its executor, and only while its
      // controller lives.
      return resource.is(ResourceFlag.REMOTE_CONNECTION)
          ? Age.UNKNOWN
          : byOthers(histories, a, b, ofA != null && ofB != null);
    }
    if (ofA.transition() != ofB.transition()) {
      return ofA.transition() > ofB.transition() ? Age.NEWER : Age.NOT_NEWER;
    }
    // In one plan all look first, and act then.
    return new HistoryEntry(a).isProbe() ? Age.NOT_NEWER : Age.UNKNOWN;
  }

  /// Whether two transitions asked for two results.
  static boolean areOfTwoPlans(Element a, Element b) {
    var ofA = planned(a);
    var ofB = planned(b);
    return ofA != null
        && ofB != null
        && (ofA.transition() != ofB.transition() || !ofA.engine().equals(ofB.engine()));
  }

  private static Age byOthers(HistoryIndex histories, Element a, Element b, boolean planned) {
    if (isBefore(histories, a, b, planned)) {
      return Age.NOT_NEWER;
    }
    return planned && isBefore(histories, b, a, true) ? Age.NEWER : Age.UNKNOWN;
  }

  /// Whether the first of two results is the older one, by what else the nodes were asked for: its own then
  /// or later, and in the same transition or a later one of the same DC the other node, for the other result
  /// or before it.
  ///
  /// @param planned whether transitions asked for both: then they are of two terms, one of which
  ///     began after the transition that is in common
  private static boolean isBefore(HistoryIndex histories, Element a, Element b, boolean planned) {
    var callA = call(a);
    var callB = call(b);
    var after = transitions(histories, a, it -> it >= callA, Math::min);
    var before = transitions(histories, b, it -> it <= callB, Math::max);
    for (var each : after.entrySet()) {
      var other = before.get(each.getKey());
      if (other != null && (planned ? each.getValue() <= other : each.getValue() < other)) {
        return true;
      }
    }
    return false;
  }

  /// By DC and term, the first or last transition that asked the node of a result for certain calls.
  private static Map<String, Integer> transitions(
      HistoryIndex histories,
      Element result,
      IntPredicate calls,
      BinaryOperator<Integer> which) {
    var found = new HashMap<String, Integer>();
    for (var entry : histories.entries(result.get("on_node", ""))) {
      var key = planned(entry);
      if (key != null && call(entry) >= 0 && calls.test(call(entry))) {
        found.merge(key.engine(), key.transition(), which);
      }
    }
    return found;
  }

  private static int call(Element entry) {
    return Numbers.integer(entry.get("call-id"), -1);
  }

  /// The key of a result that a transition asked for, null for all others.
  private static @Nullable TransitionKey planned(Element entry) {
    var key = TransitionKey.parse(entry.get("transition-key"));
    return key != null && key.isPlanned() && !TransitionKey.NO_ENGINE.equals(key.engine())
        ? key
        : null;
  }
}
