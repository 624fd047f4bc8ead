/// How others set and ask for node attributes: controller, executor and commands.
@NullMarked
package org.systole.attrd.client;

import org.jspecify.annotations.NullMarked;
