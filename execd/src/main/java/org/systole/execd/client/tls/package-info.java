/// How messages between a cluster and its remote nodes travel for real: TLS with a shared key.
///
/// Nothing of it is loaded by a program that has no remote node to do with.
@NullMarked
package org.systole.execd.client.tls;

import org.jspecify.annotations.NullMarked;
