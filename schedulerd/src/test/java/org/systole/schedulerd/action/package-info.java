@NullMarked
package org.systole.schedulerd.action;

import org.jspecify.annotations.NullMarked;
