/// Commands that say how the cluster is: `crm_mon`, `crmadmin`, `crm_node`, `crm_error`.
@NullMarked
package org.systole.tools.status;

import org.jspecify.annotations.NullMarked;
