/// Roles: `crm_role`.
@NullMarked
package org.systole.tools.roles;

import org.jspecify.annotations.NullMarked;
