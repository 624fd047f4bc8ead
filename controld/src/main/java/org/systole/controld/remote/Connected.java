package org.systole.controld.remote;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;
import org.systole.common.xml.Element;

/// The connection that a member has to a remote node, as the CIB tells of it.
///
/// @param by the member
/// @param since in seconds since 1970
/// @param process of the node's executor; empty if that does not say, as Pacemaker's own
/// @param address where it leads to; empty for a bundle's replica, whose container counts, wherever it runs
record Connected(NodeName by, long since, String process, String address) {
  /// The attribute of a node's entry that names the process.
  static final String PROCESS = "executor";

  /// The attribute that names the address.
  static final String ADDRESS = "address";

  /// Whether the CIB says that a member is connected to this process, or was until the member, or its connection, was
  /// lost. It does not say so of a node that was fenced, or whose connection was stopped.
  boolean isToTheSame(@Nullable Element cib, NodeName node) {
    var state = RemoteRecords.state(cib, node);
    return state != null
        && !process.isEmpty()
        && process.equals(state.get(PROCESS))
        && !RemoteRecords.since(state).equals("0");
  }

  /// Whether the last connection was to another process, as far as both have said which they are.
  boolean isToAnother(@Nullable Element cib, NodeName node) {
    var state = RemoteRecords.state(cib, node);
    var before = state == null ? "" : state.get(PROCESS, "");
    return !process.isEmpty() && !before.isEmpty() && !process.equals(before);
  }
}
