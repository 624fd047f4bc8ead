package org.systole.scheduler.unpack;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.scheduler.model.OnFail;

/// What the entries of a resource's history on one node, read from old to new, have come to so far.
final class ResourceHistory {
  /// The last failure that counts.
  @Nullable Element lastFailure;

  /// What is to be done about failures.
  OnFail onFail = OnFail.IGNORE;
}
