/// Many remote hosts in one process: they speak the real protocol over real TLS, with the code that
/// ships, and only their agents are made up. For the benchmark and the lab, where hundreds of virtual
/// machines would not fit.
@NullMarked
package org.systole.cts.farm;

import org.jspecify.annotations.NullMarked;
