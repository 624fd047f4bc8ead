/// The protocol between a cluster and the executors of its remote nodes, which is Pacemaker's, and a
/// controller's half of it.
@NullMarked
package org.systole.execd.client.remote;

import org.jspecify.annotations.NullMarked;
