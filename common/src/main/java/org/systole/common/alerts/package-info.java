/// Alerts: programs of the administrator's that are run when something happens in the cluster.
@NullMarked
package org.systole.common.alerts;

import org.jspecify.annotations.NullMarked;
