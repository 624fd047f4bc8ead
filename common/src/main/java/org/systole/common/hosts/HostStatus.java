package org.systole.common.hosts;

import org.jspecify.annotations.Nullable;
import org.systole.common.options.Nvpairs;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;

/// How host HA has a host, as the CIB says: the one place where the scheduler, the controllers and the
/// commands learn it.
///
/// The status section has the state of now. After a restart of the whole cluster it has none until
/// there is a DC that decides; until then what survived counts.
///
/// @param state the name of a state, such as `SUSPECT`
/// @param since seconds since 1970
/// @param why in words, may be empty
/// @param lost whether its connection is lost, and nobody has told the cluster but host HA
/// @param held why a person wants it left alone, empty if without a reason; null if nobody does, or where that was not looked up
public record HostStatus(String state, long since, String why, boolean lost, @Nullable String held) {
  /// Attributes of the host's `node_state`.
  public static final String STATE = "host_ha";

  public static final String SINCE = "host_ha_since";
  public static final String WHY = "host_ha_why";
  public static final String LOST = "host_ha_lost";

  /// The node attribute, for good, that holds what survives. Its value begins with the state.
  public static final String RECORD = "#host-ha";

  private static final String DISABLED = "DISABLED";
  private static final String UNKNOWN = "UNKNOWN"; // no state: nothing is done to such a host

  /// What a plan is to make of a host.
  public enum Hold {
    /// As without host HA.
    NONE,
    /// Neither fenced nor recovered: what runs there is left alone and nothing is started elsewhere
    /// for it.
    FROZEN,
    /// Its power is off, which was proved.
    DOWN
  }

  /// What a CIB says of a host; null if nothing, as it does of all where host HA is not used.
  public static @Nullable HostStatus of(@Nullable Element cib, NodeName host) {
    if (cib == null) {
      return null;
    }
    var status = cib.first("status");
    var entry = status == null ? null : status.first("node_state", host.text());
    var now = entry == null ? null : of(entry);
    return now != null ? now : survived(cib, host);
  }

  /// What a `node_state` says; null if nothing.
  public static @Nullable HostStatus of(Element nodeState) {
    var state = nodeState.get(STATE, "");
    return state.isEmpty()
        ? null
        : new HostStatus(
            state,
            Numbers.parse(nodeState.get(SINCE), 0),
            nodeState.get(WHY, ""),
            "1".equals(nodeState.get(LOST)),
            null);
  }

  private static @Nullable HostStatus survived(Element cib, NodeName host) {
    var nodes = cib.path("configuration", "nodes");
    var node = nodes == null ? null : nodes.first("node", host.text());
    var record = node == null ? null : record(node);
    return record == null || record.isEmpty() ? null : survived(record);
  }

  /// What a surviving record says. It proves nothing, for it may be one from a backup: a host that it calls fenced, or of
  /// which it cannot be read, is left alone until the DC has found out and says so in the status section.
  public static HostStatus survived(String record) {
    var kept = SurvivingRecord.of(record);
    if (kept == null) {
      return new HostStatus(UNKNOWN, 0, "what survived of it cannot be read", false, null);
    }
    var why = kept.state().equals(DISABLED) ? "" : "from before the cluster's start"; // nothing more is said of that
    var said = new HostStatus(kept.state(), 0, why, false, kept.held());
    return said.hold() == Hold.DOWN
        ? new HostStatus(UNKNOWN, 0, "only its record calls it fenced", false, kept.held())
        : said;
  }

  /// The same, with what its record says of a person who holds it.
  public HostStatus with(@Nullable String record) {
    var kept = record == null ? null : SurvivingRecord.of(record);
    return kept == null ? this : new HostStatus(state, since, why, lost, kept.held());
  }

  /// What survives of a host as its `node` entry has it, null if nothing does.
  public static @Nullable String record(Element node) {
    return Nvpairs.first(node, "instance_attributes", RECORD);
  }

  /// Whether host HA is switched on for it.
  public boolean isOn() {
    return !state.equals(DISABLED);
  }

  /// Whether host HA looks after it, so that a lost connection is its affair.
  public boolean isManaged() {
    return isOn() && !state.equals("INELIGIBLE");
  }

  /// What a plan is to make of it. A state that this build does not know is one to be careful with.
  public Hold hold() {
    return switch (state) {
      case DISABLED, "INELIGIBLE" -> Hold.NONE;
      case "AVAILABLE" -> lost ? Hold.FROZEN : Hold.NONE;
      case "FENCED" -> Hold.DOWN;
      default -> Hold.FROZEN;
    };
  }
}
