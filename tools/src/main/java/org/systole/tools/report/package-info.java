/// `crm_report`: what is needed to understand a problem of the cluster, from all its nodes, in one
/// archive.
@NullMarked
package org.systole.tools.report;

import org.jspecify.annotations.NullMarked;
