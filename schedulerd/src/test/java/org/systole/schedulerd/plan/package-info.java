@NullMarked
package org.systole.schedulerd.plan;

import org.jspecify.annotations.NullMarked;
