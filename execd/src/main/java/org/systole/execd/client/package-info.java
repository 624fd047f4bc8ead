/// How the controller and the commands have agents run on this node.
@NullMarked
package org.systole.execd.client;

import org.jspecify.annotations.NullMarked;
