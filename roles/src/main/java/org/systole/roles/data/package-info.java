/// Values of JSON, immutable: reading, writing, deep merge and deep diff.
@NullMarked
package org.systole.roles.data;

import org.jspecify.annotations.NullMarked;
