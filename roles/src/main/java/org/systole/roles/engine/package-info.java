/// What happens to noderoles: binding, snapshots, the annealer and what comes of its runs.
@NullMarked
package org.systole.roles.engine;

import org.jspecify.annotations.NullMarked;
