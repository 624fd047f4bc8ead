/// A story of a roles document, told step by step with jigs' answers made up.
@NullMarked
package org.systole.roles.simulate;

import org.jspecify.annotations.NullMarked;
