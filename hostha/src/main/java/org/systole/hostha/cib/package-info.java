/// What the CIB holds for host HA: settings, partitions, records.
@NullMarked
package org.systole.hostha.cib;

import org.jspecify.annotations.NullMarked;
