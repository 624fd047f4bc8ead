/// What commands on remote nodes ask of this member's daemons: it comes over the node's connection,
/// and is passed on with the rights of a user of that node.
@NullMarked
package org.systole.controld.proxy;

import org.jspecify.annotations.NullMarked;
