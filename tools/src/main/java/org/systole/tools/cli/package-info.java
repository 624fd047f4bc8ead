/// What the commands share: reading command lines, streams and clock, errors in one line, XML files,
/// and the few questions that several of them ask the node.
@NullMarked
package org.systole.tools.cli;

import org.jspecify.annotations.NullMarked;
