/// The house rules as tests: what no off-the-shelf linter knows of this project.
@NullMarked
package org.systole.cts.tidy;

import org.jspecify.annotations.NullMarked;
