/// Connections to remote nodes: the operations of `ocf:pacemaker:remote` resources, which the
/// controller carries out itself, and the operations that go through such a connection.
@NullMarked
package org.systole.controld.remote;

import org.jspecify.annotations.NullMarked;
