/// `stonith_admin`, and what other commands show of fencing.
@NullMarked
package org.systole.tools.fencing;

import org.jspecify.annotations.NullMarked;
