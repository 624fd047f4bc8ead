/// What daemons know of the cluster: the configuration file, memberships, and a place in a named
/// group through the node's link.
@NullMarked
package org.systole.common.cluster;

import org.jspecify.annotations.NullMarked;
