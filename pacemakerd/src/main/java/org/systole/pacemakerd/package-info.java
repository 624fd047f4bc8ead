/// The supervisor of a node: it starts the daemons, watches them and stops them in order. It owns
/// the node's link.
@NullMarked
package org.systole.pacemakerd;

import org.jspecify.annotations.NullMarked;
