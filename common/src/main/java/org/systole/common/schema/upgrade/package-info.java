/// Brings configurations written for older schemas up to the current one, in memory.
@NullMarked
package org.systole.common.schema.upgrade;

import org.jspecify.annotations.NullMarked;
