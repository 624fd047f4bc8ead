/// What a CIB of each schema version may hold: one grammar, each rule of which says from which to
/// which version it holds, and the check of a CIB against it.
@NullMarked
package org.systole.common.schema;

import org.jspecify.annotations.NullMarked;
