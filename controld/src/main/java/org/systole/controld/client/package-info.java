/// How commands ask the controller of a node, and through it those of others.
@NullMarked
package org.systole.controld.client;

import org.jspecify.annotations.NullMarked;
