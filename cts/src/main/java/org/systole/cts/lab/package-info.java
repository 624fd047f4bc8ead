/// The live lab: real nodes in network namespaces, the faults they meet, and what must come of it.
/// The live tests and the benchmark use its network.
@NullMarked
package org.systole.cts.lab;

import org.jspecify.annotations.NullMarked;
