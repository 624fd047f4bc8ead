/// Commands for attributes, options, failure counts and tickets: `crm_attribute`, `attrd_updater`,
/// `crm_failcount`, `crm_master`, `crm_standby`, `crm_ticket`.
@NullMarked
package org.systole.tools.attributes;

import org.jspecify.annotations.NullMarked;
