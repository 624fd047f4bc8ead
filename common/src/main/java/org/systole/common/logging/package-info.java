/// A daemon's log: by SLF4J to Logback, and from there to the node's log file and to the system's
/// log, each written by a thread of its own.
///
/// Whoever logs never waits. What cannot be written in time is dropped and counted. Only the real
/// world uses this package; commands and the simulator load none of it.
@NullMarked
package org.systole.common.logging;

import org.jspecify.annotations.NullMarked;
