/// How other daemons and commands reach the CIB.
@NullMarked
package org.systole.cibd.client;

import org.jspecify.annotations.NullMarked;
