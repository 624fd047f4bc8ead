/// What runs on this node: the operations that its executor is asked for, their records in the CIB, and
/// what is kept for the controller that comes after.
@NullMarked
package org.systole.controld.operations;

import org.jspecify.annotations.NullMarked;
