/// The scheduler: from the CIB to the transition graph. The daemon here is a thin shell around the
/// library in the packages below, which commands use without any daemon.
@NullMarked
package org.systole.schedulerd;

import org.jspecify.annotations.NullMarked;
