@NullMarked
package org.systole.schedulerd.scenarios;

import org.jspecify.annotations.NullMarked;
