/// `crm_resource`: one class for each kind of thing it does.
@NullMarked
package org.systole.tools.resource;

import org.jspecify.annotations.NullMarked;
