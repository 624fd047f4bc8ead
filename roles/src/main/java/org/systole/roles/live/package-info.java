/// Roles of a running cluster: what is replicated, and how requests change it.
@NullMarked
package org.systole.roles.live;

import org.jspecify.annotations.NullMarked;
