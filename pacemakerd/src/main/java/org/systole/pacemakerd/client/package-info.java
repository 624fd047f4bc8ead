/// What commands ask a running supervisor.
@NullMarked
package org.systole.pacemakerd.client;

import org.jspecify.annotations.NullMarked;
