/// What there is: roles, nodes, noderoles, deployments and snapshots, as immutable records.
@NullMarked
package org.systole.roles.model;

import org.jspecify.annotations.NullMarked;
