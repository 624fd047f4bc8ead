/// What host HA is told to do: its settings, where each may be set, and the partitions and hosts they
/// are set for.
@NullMarked
package org.systole.hostha.config;

import org.jspecify.annotations.NullMarked;
