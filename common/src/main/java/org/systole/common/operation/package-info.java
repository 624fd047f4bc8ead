/// Operations in the words that all parts of the cluster share: what is to be done, under which
/// key, how it ended, and how the CIB keeps it.
///
/// An operation goes through five forms on its way from the CIB to the CIB: an action of the plan,
/// an action of the transition graph, an [OperationRequest] to the executor of a node, its
/// [OperationResult], and a [HistoryEntry] in the CIB's status section.
@NullMarked
package org.systole.common.operation;

import org.jspecify.annotations.NullMarked;
