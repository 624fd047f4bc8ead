/// How the controller asks the scheduler for a plan.
@NullMarked
package org.systole.schedulerd.client;

import org.jspecify.annotations.NullMarked;
