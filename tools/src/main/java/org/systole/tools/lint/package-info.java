/// Advice on configurations that are valid and still not what an administrator wants.
@NullMarked
package org.systole.tools.lint;

import org.jspecify.annotations.NullMarked;
