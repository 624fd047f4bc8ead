/// Keeps the secrets of all nodes alike.
@NullMarked
package org.systole.execd.secrets;

import org.jspecify.annotations.NullMarked;
