/// The cluster information base as data: versions, sections, XPath, digests, patchsets and the
/// operations on it. Pure functions over immutable trees; no I/O.
@NullMarked
package org.systole.common.cib;

import org.jspecify.annotations.NullMarked;
