package org.systole.common.cluster;

import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;

/// A node in the membership.
///
/// @param id the node id of the cluster configuration file
/// @param name the node's name there
/// @param sinceNumber the number of the membership in which this node's present stay began: the
///     lower, the longer it has been a member without a break
public record Member(NodeId id, NodeName name, long sinceNumber) {}
