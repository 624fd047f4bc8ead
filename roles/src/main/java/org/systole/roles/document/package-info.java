/// The roles document: its XML, read and written.
@NullMarked
package org.systole.roles.document;

import org.jspecify.annotations.NullMarked;
