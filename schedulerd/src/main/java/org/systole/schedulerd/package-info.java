/// The daemon that answers the controller what is to be done: a thin shell around the
/// library [org.systole.scheduler], which commands use without any daemon.
@NullMarked
package org.systole.schedulerd;

import org.jspecify.annotations.NullMarked;
