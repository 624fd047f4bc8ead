/// Namespaces on this machine in which real nodes run, for the live tests and the benchmark.
@NullMarked
package org.systole.cts.lab;

import org.jspecify.annotations.NullMarked;
