/// The lines to others: the other controllers, the CIB manager, the fencer, the attribute manager, and
/// the commands that ask this controller something. What they bring is told to a `Host`.
@NullMarked
package org.systole.controld.io;

import org.jspecify.annotations.NullMarked;
