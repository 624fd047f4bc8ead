/// The administrator's commands, and the one entry every program of the distribution starts at.
@NullMarked
package org.systole.tools;

import org.jspecify.annotations.NullMarked;
