/// What people are shown: visible attributes, what is waited for, differences, graphs.
@NullMarked
package org.systole.roles.view;

import org.jspecify.annotations.NullMarked;
