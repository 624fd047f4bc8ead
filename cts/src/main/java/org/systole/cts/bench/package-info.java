/// The benchmark: the figures of `docs/performance.md`, measured on nodes in namespaces of their
/// own.
@NullMarked
package org.systole.cts.bench;

import org.jspecify.annotations.NullMarked;
