/// Messages between processes of one node: records as JSON frames, servers, and clients for daemons
/// ([RpcClient]) and for commands ([BlockingClient]).
@NullMarked
package org.systole.common.wire;

import org.jspecify.annotations.NullMarked;
