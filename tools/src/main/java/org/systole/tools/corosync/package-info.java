/// Corosync's commands, as far as pcs, crmsh and others use them.
@NullMarked
package org.systole.tools.corosync;

import org.jspecify.annotations.NullMarked;
