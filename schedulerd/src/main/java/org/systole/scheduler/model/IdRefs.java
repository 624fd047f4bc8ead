package org.systole.scheduler.model;

import java.util.LinkedHashSet;
import java.util.Set;

/// The ids that a tag or a template stands for, in the order met.
public final class IdRefs {
  private final String id;
  private final Set<String> refs = new LinkedHashSet<>();

  public IdRefs(String id) {
    this.id = id;
  }

  public String id() {
    return id;
  }

  @WrittenBy("unpack")
  public Set<String> refs() {
    return refs;
  }
}
