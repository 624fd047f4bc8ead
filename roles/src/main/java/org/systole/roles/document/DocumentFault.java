package org.systole.roles.document;

import java.util.List;

/// A document that is refused, as a whole. Each of its faults is one line: where, and what is wrong.
public final class DocumentFault extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> faults;

  DocumentFault(List<String> faults) {
    super(String.join("; ", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
