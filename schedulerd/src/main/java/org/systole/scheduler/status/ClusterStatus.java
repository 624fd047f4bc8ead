package org.systole.scheduler.status;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.HtmlOutput;
import org.systole.common.output.XmlOutput;

/// Shows the status of a cluster in parts.
public final class ClusterStatus {
  /// What may stand between the other parts and is not in the CIB.
  public interface Extra {
    /// Nothing.
    Extra NONE = (place, spacer) -> false;

    /// Where in the display.
    enum Place {
      /// Failed fencing actions, after the failed actions of resources.
      FAILED_FENCING,
      /// What nodes' roles have come to, before the hosts.
      ROLES,
      /// The history of fencing, at the end of text, before the tickets elsewhere.
      FENCING_HISTORY
    }

    /// @param spacer whether an empty line comes before it
    /// @return whether anything was shown
    boolean show(Place place, boolean spacer);
  }

  private ClusterStatus() {}

  /// Shows the parts in their order.
  ///
  /// @param daemon what the local supervisor says of itself; null if it is not known
  /// @param banPrefix only bans whose id begins so; null for all
  /// @param now seconds since the epoch, the time of this display
  /// @return whether anything was shown
  public static boolean show(
      View view,
      Set<Parts> parts,
      SummaryView.@Nullable DaemonState daemon,
      @Nullable String banPrefix,
      long now,
      Extra extra) {
    var xml = view.out() instanceof XmlOutput;
    var shown = SummaryView.show(view, parts, daemon, now);
    if (parts.contains(Parts.NODES) && (xml || !view.nodes().names().isEmpty())) {
      shown |= NodesView.showAll(view, shown);
    }
    if (parts.contains(Parts.RESOURCES)) {
      shown |=
          xml
              ? ResourceView.showAll(view.without(Show.BRIEF), false, false)
              : ResourceView.showAll(view, true, shown);
    }
    if (parts.contains(Parts.ATTRIBUTES)) {
      shown |= AttributesView.show(view, shown);
    }
    if (parts.contains(Parts.OPERATIONS) || parts.contains(Parts.FAILCOUNTS)) {
      shown |= HistoryView.show(view, parts.contains(Parts.OPERATIONS), shown);
    }
    if (parts.contains(Parts.FAILURES)) {
      shown |= Failures.show(view, shown);
    }
    return xml
        ? showRestOfXml(view, parts, banPrefix, extra)
        : showRest(view, parts, banPrefix, extra, shown);
  }

  private static boolean showRest(
      View view, Set<Parts> parts, @Nullable String banPrefix, Extra extra, boolean before) {
    var shown = before;
    shown |= extra.show(Extra.Place.FAILED_FENCING, shown);
    if (view.out() instanceof HtmlOutput) {
      shown |= extra.show(Extra.Place.FENCING_HISTORY, shown);
    }
    if (parts.contains(Parts.ROLES)) {
      shown |= extra.show(Extra.Place.ROLES, shown);
    }
    if (parts.contains(Parts.HOSTS)) {
      shown |= HostsView.show(view, shown);
    }
    if (parts.contains(Parts.TICKETS)) {
      shown |= TicketsView.show(view, shown, false, false);
    }
    if (parts.contains(Parts.BANS)) {
      shown |= BansView.show(view, banPrefix, shown);
    }
    if (!(view.out() instanceof HtmlOutput)) {
      shown |= extra.show(Extra.Place.FENCING_HISTORY, shown);
    }
    return shown;
  }

  private static boolean showRestOfXml(
      View view, Set<Parts> parts, @Nullable String banPrefix, Extra extra) {
    extra.show(Extra.Place.FENCING_HISTORY, false);
    if (parts.contains(Parts.ROLES)) {
      extra.show(Extra.Place.ROLES, false);
    }
    if (parts.contains(Parts.HOSTS)) {
      HostsView.show(view, false);
    }
    if (parts.contains(Parts.TICKETS)) {
      TicketsView.show(view, false, false, false);
    }
    if (parts.contains(Parts.BANS)) {
      BansView.show(view, banPrefix, false);
    }
    return true;
  }
}
