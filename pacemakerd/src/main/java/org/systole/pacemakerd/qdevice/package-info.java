/// The quorum device: this node's connection to a server outside the cluster that has votes, and
/// what its word is good for. The server is Corosync's qnetd.
@NullMarked
package org.systole.pacemakerd.qdevice;

import org.jspecify.annotations.NullMarked;
