/// The CIB manager: keeps the replicated configuration and status one on all nodes.
@NullMarked
package org.systole.cibd;

import org.jspecify.annotations.NullMarked;
