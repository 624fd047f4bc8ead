/// Runs the scheduler over the reference corpus.
@NullMarked
package org.systole.schedulerd.corpus;

import org.jspecify.annotations.NullMarked;
