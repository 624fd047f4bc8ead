/// From actions and their orderings to the transition graph, in the form the transition engine runs
/// ([org.systole.common.transition]).
@NullMarked
package org.systole.scheduler.graph;

import org.jspecify.annotations.NullMarked;
