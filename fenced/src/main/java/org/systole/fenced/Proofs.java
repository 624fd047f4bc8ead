package org.systole.fenced;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.fenced.client.FenceMessage;

/// What is answered with a fencing that is over.
///
/// A person has a member fenced. It is lost, the DC plans to have it fenced for that, and hears that it was just as it
/// asks: it would be fenced twice. What it asks for is answered by that fencing, where that
///
/// * was about the same stay of the target, which has not been back since,
/// * ended after the target had left, so that what it says came after all that the target did as a member, and
/// * ended in the membership in which the DC has planned, or later. Whoever plans later and asks once more has a reason.
///
/// What another side of the cluster has done, and what was told when members met, counts for nothing here, nor does what was
/// done to targets that are no cluster nodes: of these nobody knows when they left.
final class Proofs {
  private final History history;
  private final Targets targets;
  private final Map<NodeName, Proof> last = new TreeMap<>(NodeName.IGNORING_CASE);

  /// @param membership in which its end was told
  private record Proof(FencePeerMessage.Past past, long membership) {}

  Proofs(History history, Targets targets) {
    this.history = history;
    this.targets = targets;
  }

  /// An operation has ended.
  void ended(FencePeerMessage.Past past, Outcome outcome) {
    var target = past.record().target();
    if (outcome.isSuccess()
        && Device.isFencing(past.record().action())
        && isOver(target)
        && past.record().covers(targets.stay(target))) {
      last.put(target, new Proof(past, targets.number()));
    }
  }

  /// Memberships may have been missed.
  void lost() {
    last.clear();
  }

  /// The fencing that answers a request; null if there is none.
  FencePeerMessage.@Nullable Past of(FenceMessage.Fence asked, NodeName target, long nowMillis) {
    if (asked.toleranceMillis() > 0) {
      var recent = history.success(target, asked.action(), nowMillis - asked.toleranceMillis());
      if (recent != null) {
        return recent;
      }
    }
    var proof = asked.membership() > 0 && isOver(target) ? last.get(target) : null;
    return proof != null
            && proof.past().record().action().equals(asked.action())
            && proof.past().record().covers(targets.stay(target))
            && proof.membership() >= asked.membership()
        ? proof.past()
        : null;
  }

  private boolean isOver(NodeName target) {
    return targets.id(target) != null && !targets.isMember(target);
  }
}
