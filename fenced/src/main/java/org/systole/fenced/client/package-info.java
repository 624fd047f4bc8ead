/// How the controller, the executor and the commands have nodes fenced.
@NullMarked
package org.systole.fenced.client;

import org.jspecify.annotations.NullMarked;
