/// All that a daemon may know of the outside: clock, timers, randomness, sockets, disk, processes,
/// log.
///
/// A daemon is a deterministic core: single-threaded code that is called with events and asks its
/// [World] to do things. Two worlds exist: the real one (`org.systole.common.real`) and the
/// simulated one of the test suite, which runs a whole cluster in one thread on virtual time.
///
/// Threading: every method of these interfaces is called from inside the daemon's loop, and every
/// callback arrives inside it, never from within the call that asked for it. Nothing blocks.
@NullMarked
package org.systole.common.world;

import org.jspecify.annotations.NullMarked;
