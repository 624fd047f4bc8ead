/// The CIB that a command works on, be it that of a cluster this machine is no member of.
@NullMarked
package org.systole.tools.remote;

import org.jspecify.annotations.NullMarked;
