/// Scripts of hosts, time, answers of providers and events, run through the decider that ships.
@NullMarked
package org.systole.hostha.replay;

import org.jspecify.annotations.NullMarked;
