package org.systole.controld.hosts;

import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.systole.common.hosts.HostHaUse;
import org.systole.common.hosts.HostStatus;
import org.systole.common.hosts.SurvivingRecord;
import org.systole.common.values.Bool;
import org.systole.common.values.NodeName;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.controld.remote.RemoteRecords;
import org.systole.hostha.HostRecord;
import org.systole.hostha.HostRecords;
import org.systole.hostha.Order;
import org.systole.hostha.fsm.HostState;

/// What the CIB says of hosts, in one pass over it for all of them.
final class HostEntries {
  static final int DEFAULT_PORT = 3121;

  /// Where a host's executor serves.
  record Address(String server, int port) {}

  private final Map<NodeName, Element> states = new HashMap<>();
  private final Map<NodeName, Element> histories = new HashMap<>(); // of members
  private final Map<NodeName, Address> addresses = new HashMap<>();
  private final Set<NodeName> maintained = new TreeSet<>();
  private final Set<NodeName> lost = new TreeSet<>();
  private final SortedMap<NodeName, String> records = new TreeMap<>();
  private final Set<NodeName> recordedFenced = new TreeSet<>();
  private final Set<NodeName> kept = new TreeSet<>();

  /// The connections that have failed, by the history of the member; from before, where that is the same.
  private final Map<Element, Set<NodeName>> failed = new IdentityHashMap<>();

  HostEntries(Element cib, boolean maintenanceMode) {
    this(cib, maintenanceMode, null);
  }

  /// @param before what an earlier CIB said; null if nothing is known of one
  HostEntries(Element cib, boolean maintenanceMode, @Nullable HostEntries before) {
    for (var connection : HostHaUse.connections(cib)) {
      var name = NodeName.of(connection.id());
      if (name != null) {
        addresses.put(name, address(connection, name));
      }
    }
    var status = cib.first("status");
    if (status != null) {
      for (var state : status.children("node_state")) {
        state(state);
        failures(state, before);
      }
    }
    var nodes = cib.path("configuration", "nodes");
    if (nodes != null) {
      for (var node : nodes.children("node")) {
        var name = NodeName.of(node.get("uname"));
        maintained(name, node);
        record(name, HostStatus.record(node));
      }
    }
    if (maintenanceMode) {
      maintained.addAll(addresses.keySet());
    }
  }

  private void record(@Nullable NodeName name, @Nullable String record) {
    if (name != null && record != null && records.putIfAbsent(name, record) == null) {
      if (HostStatus.survived(record).hold() != HostStatus.Hold.NONE) {
        kept.add(name);
      }
      var read = SurvivingRecord.of(record);
      if (read != null && read.state().equals(HostState.FENCED.name())) {
        recordedFenced.add(name);
      }
    }
  }

  private void state(Element state) {
    var name = NodeName.of(state.get("uname"));
    if (name == null || !addresses.containsKey(name)) {
      return;
    }
    states.put(name, state);
    var attributes = state.first("transient_attributes");
    if (attributes != null) {
      maintained(name, attributes);
    }
    var said = HostStatus.of(state);
    if (said != null && said.lost()) {
      lost.add(name);
    }
  }

  /// What a member says of its connections.
  private void failures(Element state, @Nullable HostEntries before) {
    var history = RemoteRecords.isRemote(state) ? null : state.path("lrm", "lrm_resources");
    var name = history == null ? null : NodeName.of(state.get("uname"));
    if (history == null || name == null) {
      return;
    }
    histories.put(name, history);
    var known = before == null ? null : before.failed.get(history);
    failed.put(history, known != null ? known : RemoteRecords.failedConnections(history));
  }

  private void maintained(@Nullable NodeName name, Element in) {
    if (name == null || !addresses.containsKey(name)) {
      return;
    }
    for (var set : in.children("instance_attributes")) {
      for (var pair : set.children("nvpair")) {
        if ("maintenance".equals(pair.get("name")) && Bool.isTrue(pair.get("value"))) {
          maintained.add(name);
        }
      }
    }
  }

  private static Address address(Element connection, NodeName name) {
    String addr = null;
    String server = null;
    var port = DEFAULT_PORT;
    for (var set : connection.children("instance_attributes")) {
      for (var pair : set.children("nvpair")) {
        var value = pair.get("value");
        switch (pair.get("name", "")) {
          case "addr" -> addr = value;
          case "server" -> server = value;
          case "port" -> port = Numbers.integer(value, DEFAULT_PORT);
          default -> {}
        }
      }
    }
    var where = addr != null ? addr : server;
    return new Address(where == null || where.isEmpty() ? name.text() : where, port);
  }

  /// The hosts in maintenance.
  Set<NodeName> maintained() {
    return maintained;
  }

  /// Which hosts are in maintenance now and were not, or the other way round.
  Set<NodeName> maintainedOtherwise(HostEntries before) {
    var all = new TreeSet<>(before.maintained);
    all.addAll(maintained);
    all.removeIf(it -> before.maintained.contains(it) && maintained.contains(it));
    return all;
  }

  /// What is recorded of hosts for good, as it stands there: of some that are no hosts, perhaps, and some that cannot be read.
  SortedMap<NodeName, String> records() {
    return records;
  }

  /// What a new DC goes by: the records, none that is stale, and none taken for more than it proves.
  HostRecords believed(Collection<HostRecord> all, long epoch) {
    var records = HostRecords.EMPTY.claimedBy(Math.max(1, epoch));
    for (var kept : all) {
      if (!isStale(kept.host())) {
        var counts = isUnproved(kept.host()) ? kept.toBeProved() : kept;
        records = records.with(new Order.Write(0, kept.host(), counts, null));
      }
    }
    return records;
  }

  /// Whether a record that calls a host fenced is one of another time, from a backup, say: with it that the host runs nothing
  /// would have been written, and a member has connected to it since.
  private boolean isStale(NodeName host) {
    var said = status(host);
    return recordedFenced.contains(host)
        && (said == null ? isStarted(host) : said.hold() != HostStatus.Hold.DOWN);
  }

  /// Whether only a record says what is being done to a host, or was: the whole cluster was down, and who knows for how long,
  /// or whose backup its configuration is. What is done to a host is recorded together with a status that says so too.
  private boolean isUnproved(NodeName host) {
    var said = status(host);
    return said == null || said.hold() == HostStatus.Hold.NONE;
  }

  /// The hosts of which it is recorded, for good, that they are fenced.
  Set<NodeName> recordedFenced() {
    return recordedFenced;
  }

  /// The hosts whose connection is lost.
  Set<NodeName> lost() {
    return lost;
  }

  /// Null for what is no host any more.
  @Nullable Address address(NodeName host) {
    return addresses.get(host);
  }

  /// Whether the cluster means to be connected to a host: whether its connection was started, and has not
  /// failed without host HA. One that has is none of host HA's business before it was made anew: the
  /// cluster has the host fenced.
  boolean isStarted(NodeName host) {
    var state = states.get(host);
    return state != null
        && (lost.contains(host) || !RemoteRecords.since(state).equals("0") && !hasFailed(host));
  }

  /// Those of some hosts that the cluster does not mean to be connected to.
  Set<NodeName> unconnected(Set<NodeName> hosts) {
    var all = new TreeSet<>(hosts);
    all.removeIf(this::isStarted);
    return all;
  }

  /// Whether a member is connected to the host, as far as is known.
  boolean isConnected(NodeName host) {
    return isStarted(host) && !lost.contains(host);
  }

  private boolean hasFailed(NodeName host) {
    var member = member(host);
    var history = member == null ? null : histories.get(member);
    var all = history == null ? null : failed.get(history);
    return all != null && all.contains(host);
  }

  /// Whether nobody has, or is about to make, a connection to a host: it is lost, or was not made since
  /// the host's power was switched. A second one would take the host from the first.
  boolean isFree(NodeName host) {
    return lost.contains(host) || kept.contains(host) && !isStarted(host);
  }

  /// The member that has, or had last, the connection to a host; null if none ever had.
  @Nullable NodeName member(NodeName host) {
    var state = states.get(host);
    return state == null ? null : NodeName.of(state.get(RemoteRecords.CONNECTION));
  }

  /// What the status section says of a host; null if nothing.
  @Nullable HostStatus status(NodeName host) {
    var state = states.get(host);
    return state == null ? null : HostStatus.of(state);
  }
}
