/// The live lab: real nodes, each in a network namespace of its own.
@NullMarked
package org.systole.cts.lab;

import org.jspecify.annotations.NullMarked;
