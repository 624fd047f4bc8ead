/// Runs the scheduler over the reference corpus.
@NullMarked
package org.systole.scheduler.corpus;

import org.jspecify.annotations.NullMarked;
