/// The one entry of every program of the distribution, and what is done once, when the distribution
/// is put together, so that programs start quickly.
@NullMarked
package org.systole.tools.launch;

import org.jspecify.annotations.NullMarked;
