/// How roles depend on each other.
@NullMarked
package org.systole.roles.graph;

import org.jspecify.annotations.NullMarked;
