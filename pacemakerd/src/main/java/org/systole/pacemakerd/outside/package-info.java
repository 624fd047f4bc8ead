/// The real connections to the quorum device: TCP, and TLS with the certificates that Corosync's
/// tools lay out.
@NullMarked
package org.systole.pacemakerd.outside;

import org.jspecify.annotations.NullMarked;
