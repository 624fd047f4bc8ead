/// What the XML results of commands look like: the table, its check, and its schemas for others.
@NullMarked
package org.systole.tools.results;

import org.jspecify.annotations.NullMarked;
