package org.systole.attrd;

import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeName;

/// Nobody wants to know what changes.
final class Unwatched implements AttributeTable.Watch {
  @Override
  public void value(Attribute attribute, NodeName node, @Nullable String before) {
    // nobody is told
  }

  @Override
  public void delay(Attribute attribute, @Nullable String asked) {
    // nobody is told
  }

  @Override
  public void expanded(Attribute attribute, String asked, @Nullable String value) {
    // nobody is told
  }
}
