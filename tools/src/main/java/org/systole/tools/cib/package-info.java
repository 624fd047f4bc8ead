/// Commands that read, change, compare and check a CIB, and say what the cluster would make of it:
/// `cibadmin`, `crm_shadow`, `crm_diff`, `crm_verify`, `crm_simulate`, `crm_rule`, `iso8601`.
@NullMarked
package org.systole.tools.cib;

import org.jspecify.annotations.NullMarked;
