/// The cluster's roles: the DC's annealer, and each node's part in it.
@NullMarked
package org.systole.controld.roles;

import org.jspecify.annotations.NullMarked;
