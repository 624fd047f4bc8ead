package org.systole.controld.dc;

import org.jspecify.annotations.Nullable;
import org.systole.common.operation.AgentName;
import org.systole.common.xml.Element;
import org.systole.controld.operations.HistoryXml;

/// Tells a node that runs nothing from one that cannot know what it runs.
///
/// A node reports what it runs when it joins, and the report replaces its history in the CIB. It
/// knows from its controller and its executor. When both were lost at the same time it knows
/// nothing, and resources that run there would be started elsewhere. Mostly the node finds that out
/// and says so (`LeftRunning`); the DC also sees it by what the node does not say. The history is
/// marked then, and the scheduler has every resource looked for on that node before it starts it
/// anywhere, even where `enable-startup-probes` is off: that option says what a machine runs that
/// has just been started, not what one runs that was in the middle of something.
///
/// The mark stays with the history until the node is fenced or leaves in good order. What has been
/// looked for is not looked for again.
final class LostHistory {
  private LostHistory() {}

  /// @param known what the CIB has of the node
  /// @param told the `lrm` element that the node sent
  /// @param restarted the node has lost a controller during its present stay in the membership
  static boolean isLost(@Nullable Element known, Element told, boolean restarted) {
    return isNews(known, told, restarted) || HistoryXml.isLost(told) || wasMarked(known);
  }

  /// Whether the history was lost after the CIB's record of the node, and not before: a mark that
  /// is only kept does not tell what the node knows by now.
  static boolean isNews(@Nullable Element known, Element told, boolean restarted) {
    var resources = told.first("lrm_resources");
    if (HistoryXml.isLost(told) && !wasMarked(known)
        || restarted && (resources == null || resources.children().isEmpty())) {
      return true;
    }
    var before = before(known);
    return before != null && lacks(resources, before);
  }

  private static boolean wasMarked(@Nullable Element known) {
    var before = before(known);
    return before != null && HistoryXml.isLost(before);
  }

  private static @Nullable Element before(@Nullable Element known) {
    return known == null || isOver(known) ? null : known.first("lrm");
  }

  /// Whether nothing ran there any more.
  static boolean isOver(@Nullable Element known) {
    return known != null && "down".equals(known.get("expected"));
  }

  private static boolean lacks(@Nullable Element told, Element lrm) {
    var before = lrm.first("lrm_resources");
    return before != null
        && before.children("lrm_resource").stream()
            .filter(it -> it.get("shutdown-lock", "0").equals("0")) // else kept for the node
            .filter(it -> !AgentName.of(it).isRemoteConnection()) // ends with the controller
            .anyMatch(it -> told == null || told.first("lrm_resource", it.get("id", "")) == null);
  }
}
