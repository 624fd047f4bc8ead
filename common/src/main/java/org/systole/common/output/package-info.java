/// What commands print and exit with: text, XML and JSON of one result, return codes, exit
/// statuses.
@NullMarked
package org.systole.common.output;

import org.jspecify.annotations.NullMarked;
