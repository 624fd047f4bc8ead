package org.systole.controld.operations;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibOp;
import org.systole.common.cib.CibXPath;
import org.systole.common.operation.ExecStatus;
import org.systole.common.operation.HistoryEntry;
import org.systole.common.operation.OcfCode;
import org.systole.common.operation.Task;
import org.systole.common.values.Bool;
import org.systole.common.values.CibNodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.Element;

/// Resources that a node was moving away live when its history ends: it was fenced, or has lost its memory.
///
/// Between `migrate_to` and `migrate_from` a resource may run on the target, and only the source's history says so;
/// the target's own says what was found when it was probed, or that it was stopped, long ago. A plan that is made after
/// the source's history is gone would start the resource a second time. So what the target knew counts no more either, and
/// the resource is looked for there again. That it was stopped on the source meanwhile tells nothing of the target.
public final class HalfMoved {
  /// In less than that the CIB says that a live migration is under way which its target was told of, or it is not begun.
  public static final Duration UNANNOUNCED = Duration.ofMinutes(1);

  private HalfMoved() {}

  /// What has the targets looked at again, to be written with what ends the source's history.
  ///
  /// @param source the source's entry as the CIB has it
  /// @param told the `lrm` with which the source says what it remembers, null if it says nothing
  public static List<CibOp> lookAgain(
      @Nullable Element cib, @Nullable Element source, @Nullable Element told) {
    var status = cib == null ? null : cib.first("status");
    var resources = source == null ? null : source.path("lrm", "lrm_resources");
    var changes = new ArrayList<CibOp>();
    if (status == null || resources == null) {
      return changes;
    }
    for (var resource : resources.children("lrm_resource")) {
      if (!remembers(told, resource)) {
        lookAtTarget(status, source, resource, changes);
      }
    }
    return changes;
  }

  /// The same, where what a node knows of some resources is deleted, as somebody refreshes them.
  public static List<CibOp> lookAgain(@Nullable Element cib, NodeName source, List<ResourceId> forgotten) {
    var status = cib == null ? null : cib.first("status");
    var state = state(cib, source);
    var resources = state == null ? null : state.path("lrm", "lrm_resources");
    var changes = new ArrayList<CibOp>();
    for (var id : resources == null ? List.<ResourceId>of() : forgotten) {
      var resource = resources.first("lrm_resource", id.text());
      if (resource != null) {
        lookAtTarget(status, state, resource, changes);
      }
    }
    return changes;
  }

  /// The same, of one resource that may be on its source as well: nobody has heard what came of its migration.
  ///
  /// @param resource its history there
  public static List<CibOp> lookEverywhere(Element cib, Element source, Element resource) {
    var status = cib.first("status");
    var changes = new ArrayList<CibOp>();
    if (status != null) {
      lookAtTarget(status, source, resource, changes);
    }
    forget(source, resource, changes);
    return changes;
  }

  private static void lookAtTarget(Element status, Element source, Element resource, List<CibOp> changes) {
    var sent = sent(resource);
    var target = sent == null ? null : sent.xml().get("migrate_target");
    var state =
        target == null
            ? null
            : status.find(it -> it.is("node_state") && target.equals(it.get("uname")));
    var lrm = state == null ? null : state.first("lrm");
    if (sent != null
        && state != null
        && state != source
        && lrm != null
        && (mayHaveComeUnseen(of(lrm, resource), sent) || mayBeUnheard(state, of(lrm, resource)))) {
      forget(state, resource, changes);
    }
  }

  /// Whether a remote node is taking it in as far as is known. Who asked for that may be lost with what came of it, and perhaps with
  /// the source, which was all that told that it may run there. A member tells itself what comes of it.
  private static boolean mayBeUnheard(Element target, @Nullable Element known) {
    var newest = known == null ? null : newest(known);
    return Bool.isTrue(target.get(HistoryXml.REMOTE)) && newest != null && newest.is(Task.MIGRATE_FROM) && call(newest) < 0;
  }

  /// A migration that is given up with the connection over which it was asked for goes on: what it brings comes after the target was looked at,
  /// or stopped, for that failure.
  private static boolean mayHaveComeUnseen(@Nullable Element known, HistoryEntry sent) {
    return sent.status() == ExecStatus.NOT_CONNECTED
        ? saysItDoesNotRun(known == null ? null : newest(known))
        : saysItDoesNotRun(known, sent);
  }

  /// Whether a live migration from a node is recorded as under way that may arrive at another one at any time.
  public static boolean isUnderWay(@Nullable Element cib, NodeName source, ResourceId resource, NodeName target) {
    var lrm = lrm(cib, source);
    var there = lrm == null ? null : of(lrm, resource);
    var sent = there == null ? null : sent(there);
    return sent != null && call(sent) < 0 && target.text().equals(sent.xml().get("migrate_target"));
  }

  /// Whether a live migration from a node may go on although nothing says so any more: its history was lost, and the resource has not
  /// been looked for there since. That is done once what goes on with it there has ended.
  static boolean mayGoOn(@Nullable Element cib, NodeName source, ResourceId resource) {
    var lrm = lrm(cib, source);
    var there = lrm == null ? null : of(lrm, resource);
    var newest = there == null ? null : newest(there);
    return lrm != null && HistoryXml.isLost(lrm) && (newest == null || call(newest) < 0);
  }

  private static @Nullable Element lrm(@Nullable Element cib, NodeName node) {
    var state = state(cib, node);
    return state == null ? null : state.first("lrm");
  }

  private static @Nullable Element state(@Nullable Element cib, NodeName node) {
    var status = cib == null ? null : cib.first("status");
    return status == null ? null : status.find(it -> it.is("node_state") && node.text().equals(it.get("uname")));
  }

  /// What was moved live to a node, or is being moved there, and may run there though the node's own history does not say so: nothing
  /// was begun elsewhere since, and nothing that the node knows of is newer. That the source has stopped its copy tells nothing. With a
  /// node that has no entry at all, though, all was settled when that was taken away.
  public static SortedSet<String> sentTo(Element cib, NodeName node) {
    var found = new TreeSet<String>();
    var status = cib.first("status");
    var states = status == null ? List.<Element>of() : status.children("node_state");
    var target = states.stream().filter(it -> node.text().equals(it.get("uname"))).findFirst().orElse(null);
    for (var state : states) {
      var resources = state == target ? null : state.path("lrm", "lrm_resources");
      for (var resource : resources == null ? List.<Element>of() : resources.children("lrm_resource")) {
        var sent = sent(resource);
        if (sent != null
            && node.text().equals(sent.xml().get("migrate_target"))
            && (target == null ? sent.equals(newest(resource)) : !isSettled(states, target, resource, sent))) {
          found.add(resource.get("id", ""));
        }
      }
    }
    return found;
  }

  /// Whether that is so of a resource; it may be as long as nothing is known.
  public static boolean mayArrive(@Nullable Element cib, ResourceId resource, NodeName node) {
    return cib == null || sentTo(cib, node).contains(resource.text());
  }

  /// Whether a node's own history says that a resource runs there, or is being started.
  public static boolean isKnownToRun(@Nullable Element cib, ResourceId resource, NodeName node) {
    var lrm = lrm(cib, node);
    var known = lrm == null ? null : of(lrm, resource);
    return known != null && !saysItDoesNotRun(newest(known));
  }

  private static boolean isSettled(List<Element> states, Element target, Element resource, HistoryEntry sent) {
    for (var state : states) {
      var lrm = state.first("lrm");
      var known = lrm == null ? null : of(lrm, resource);
      if (known != null && (state == target ? isSettledThere(known, sent) : isBegunSince(known, sent))) {
        return true;
      }
    }
    return false;
  }

  /// The target tells of it: of what came there, or of what was done with it later.
  private static boolean isSettledThere(Element known, HistoryEntry sent) {
    var newest = newest(known);
    return !saysItDoesNotRun(newest)
        || newest != null && isAfter(newest, sent)
        || hasCome(known, sent)
        || HistoryEntry.all(known).stream().anyMatch(it -> it.is(Task.MIGRATE_FROM) && isAfter(it, sent));
  }

  private static boolean isBegunSince(Element known, HistoryEntry sent) {
    return HistoryEntry.all(known).stream()
        .anyMatch(it -> (it.is(Task.START) || it.is(Task.PROMOTE) || it.is(Task.MIGRATE_FROM)) && it.is(OcfCode.OK) && isAfter(it, sent));
  }

  /// By the plans that asked for them; of two terms of a DC, by their dates, as the scheduler takes them.
  private static boolean isAfter(HistoryEntry entry, HistoryEntry sent) {
    var later = transitionsLater(entry, sent);
    return call(sent) >= 0 && (later == null ? date(entry) > date(sent) : later > 0);
  }

  /// By how many transitions of the same DC's term an entry is later, below 0 if it is earlier; null if it is of another, or none.
  private static @Nullable Integer transitionsLater(HistoryEntry entry, HistoryEntry sent) {
    var key = entry.transitionKey();
    var before = sent.transitionKey();
    return key != null && before != null && key.isPlanned() && key.engine().equals(before.engine())
        ? Integer.valueOf(key.transition() - before.transition())
        : null;
  }

  private static long date(HistoryEntry entry) {
    return Numbers.whole(entry.xml().get("last-rc-change"), 0);
  }

  /// Whether a resource may run on a member where it was not looked for since it was, or may have been, moved there.
  public static boolean isUnseen(Element cib, ResourceId resource) {
    var status = cib.first("status");
    var members =
        status == null
            ? List.<Element>of()
            : status.children("node_state").stream()
                .filter(it -> !it.has(HistoryXml.REMOTE) && !"0".equals(it.get("crmd", "0")))
                .toList();
    return members.stream().anyMatch(it -> isLost(it, resource) || isTarget(status, it, resource));
  }

  /// Its history is marked as lost, and says nothing of the resource.
  private static boolean isLost(Element member, ResourceId resource) {
    var lrm = member.first("lrm");
    return lrm != null && HistoryXml.isLost(lrm) && of(lrm, resource) == null;
  }

  private static boolean isTarget(@Nullable Element status, Element member, ResourceId resource) {
    for (var state : status == null ? List.<Element>of() : status.children("node_state")) {
      var lrm = state == member ? null : state.first("lrm");
      var there = lrm == null ? null : of(lrm, resource);
      var sent = there == null ? null : sent(there);
      var own = member.first("lrm");
      if (sent != null
          && member.get("uname", "").equals(sent.xml().get("migrate_target"))
          && (own == null || saysItDoesNotRun(of(own, resource), sent))) {
        return true;
      }
    }
    return false;
  }

  /// What a node tells, but for what it was probed or stopped for before a resource was half moved to it: the CIB has
  /// forgotten that on purpose.
  ///
  /// @param known the node's entry as the CIB has it
  public static Element withoutForgotten(@Nullable Element known, Element told) {
    var before = known == null ? null : known.first("lrm");
    var resources = told.first("lrm_resources");
    if (before == null || resources == null || !HistoryXml.isLost(before)) {
      return told;
    }
    var left =
        resources.children("lrm_resource").stream()
            .filter(it -> of(before, it) != null || !saysItDoesNotRun(newest(it)))
            .toList();
    return left.size() == resources.childCount()
        ? told
        : told.replace(
            told.indexOf(resources), Element.builder("lrm_resources").addAll(left).build());
  }

  private static void forget(Element state, Element resource, List<CibOp> changes) {
    var id = CibNodeId.of(state.id());
    var name = NodeName.of(state.get("uname"));
    if (id == null || name == null) {
      return;
    }
    var lrm = "//node_state[@id=%s]/lrm".formatted(CibXPath.literal(id.text()));
    changes.add(
        CibOp.deleteAllXPath(
            "%s/lrm_resources/lrm_resource[@id=%s]"
                .formatted(lrm, CibXPath.literal(resource.get("id", "")))));
    changes.add(
        CibOp.put(
            "status",
            HistoryXml.node(id, name)
                .add(HistoryXml.lost(HistoryXml.lrm(id, List.of())))
                .build()));
    // It may have been fenced by now, and then has no history.
    changes.add(
        CibOp.deleteAllXPath(
            "//node_state[@id=%s][@crmd='0' and @expected='down']/lrm[not(lrm_resources/lrm_resource)]"
                .formatted(CibXPath.literal(id.text()))));
  }

  /// That a resource was moved away, if nothing but a stop was done with it since; null if it was not.
  private static @Nullable HistoryEntry sent(Element resource) {
    HistoryEntry newest = null;
    var call = 0L;
    for (var entry : HistoryEntry.all(resource)) {
      var number = call(entry);
      var counted = number < 0 ? Long.MAX_VALUE : number; // pending
      if (!entry.is(Task.MONITOR) && !entry.is(Task.STOP) && counted >= call) {
        newest = entry;
        call = counted;
      }
    }
    return newest != null && newest.is(Task.MIGRATE_TO) ? newest : null;
  }

  private static boolean remembers(@Nullable Element told, Element resource) {
    var now = told == null ? null : of(told, resource);
    return now != null
        && HistoryEntry.all(now).stream().anyMatch(it -> !it.is(Task.MONITOR) && !it.is(Task.STOP));
  }

  /// Whether the last that a target knows is that the resource was not found, or stopped, and not that this was after it was
  /// moved there. Where that cannot be told it counts as before: to look once more is not wrong, but a remote node that nobody is connected
  /// to any more is not looked at.
  private static boolean saysItDoesNotRun(@Nullable Element resource, HistoryEntry sent) {
    var newest = resource == null ? null : newest(resource);
    return saysItDoesNotRun(newest) && !(newest != null && isLater(newest, sent)) && !(resource != null && hasCome(resource, sent));
  }

  /// Whether the target has taken it by the plan that had it sent, or a later one of that DC: what it knows last it knows of it.
  private static boolean hasCome(Element resource, HistoryEntry sent) {
    return HistoryEntry.all(resource).stream()
        .filter(it -> it.is(Task.MIGRATE_FROM) && call(it) >= 0)
        .map(it -> transitionsLater(it, sent))
        .anyMatch(it -> it != null && it >= 0);
  }

  private static boolean isLater(HistoryEntry entry, HistoryEntry sent) {
    var later = transitionsLater(entry, sent);
    return later != null && later > 0 && call(sent) >= 0; // else it may have ended at any time
  }

  private static boolean saysItDoesNotRun(@Nullable HistoryEntry newest) {
    return newest == null || call(newest) >= 0 && newest.saysStopped();
  }

  /// The last entry, a pending one if there is any; null if there is none.
  private static @Nullable HistoryEntry newest(Element resource) {
    HistoryEntry newest = null;
    for (var entry : HistoryEntry.all(resource)) {
      if (call(entry) < 0) {
        return entry;
      }
      if (newest == null || call(entry) >= call(newest)) {
        newest = entry;
      }
    }
    return newest;
  }

  private static long call(HistoryEntry entry) {
    return Numbers.whole(entry.xml().get("call-id"), -1);
  }

  private static @Nullable Element of(Element lrm, Element resource) {
    var resources = lrm.first("lrm_resources");
    return resources == null ? null : resources.first("lrm_resource", resource.get("id", ""));
  }

  private static @Nullable Element of(Element lrm, ResourceId resource) {
    var resources = lrm.first("lrm_resources");
    return resources == null ? null : resources.first("lrm_resource", resource.text());
  }
}
