package org.systole.scheduler.model;

import org.systole.common.xml.Element;

/// A history entry whose parameters must be compared with the configuration later.
public record ParameterCheck(Resource resource, Node node, Element entry, Kind kind) {
  /// What a difference means.
  public enum Kind {
    /// Clear the fail count if parameters changed after an unexpired failed start or monitor.
    LAST_FAILURE,
    /// Clear the fail count if parameters of an active resource changed.
    ACTIVE
  }
}
