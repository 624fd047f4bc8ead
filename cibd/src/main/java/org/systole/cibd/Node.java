package org.systole.cibd;

import org.systole.common.world.World;

/// What every part of the CIB manager works with.
///
/// @param peers the nodes of the cluster
/// @param copy this node's copy of the CIB
/// @param durable what of it is on disk
/// @param outbox the way to the other nodes
/// @param inStep tells the link that what was acknowledged is here
record Node(World world, Peers peers, CibCopy copy, Durable durable, Outbox outbox, InStep inStep) {}
