/// Brings configurations written for older schemas up to the current one, in memory.
@NullMarked
package org.systole.schedulerd.upgrade;

import org.jspecify.annotations.NullMarked;
