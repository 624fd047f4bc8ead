/// The attribute manager: node attributes that last as long as their node is there.
///
/// Every node's attribute manager holds the same table. Changes are broadcast in the cluster's one
/// order and applied where they arrive, so all tables stay equal without asking back. One of the
/// managers, the writer, puts the table into the CIB's status section. The rule for who writes
/// needs no election: the one that has been in the cluster longest, by node id among equals.
///
/// A node is the authority on itself. When it joins, it sends its own values, and they replace what
/// others held for it. A node that is lost loses its values.
@NullMarked
package org.systole.attrd;

import org.jspecify.annotations.NullMarked;
