/// Cases of the scheduler's corpus, for a cluster that runs: what a case expects, the configuration it
/// has, and whether what ran is what it expects. The live lab plays them.
@NullMarked
package org.systole.cts.replay;

import org.jspecify.annotations.NullMarked;
