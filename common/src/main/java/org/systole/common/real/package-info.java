/// The world as it is: one loop thread, Unix-domain sockets, synced files, processes, a log file.
@NullMarked
package org.systole.common.real;

import org.jspecify.annotations.NullMarked;
