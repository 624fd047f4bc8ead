package org.systole.common.options;

import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// What stands in the sets of names and values of an element of the CIB, whatever rules the sets have.
public final class Nvpairs {
  private Nvpairs() {}

  /// The first value of a name, as it is written; null if there is none.
  ///
  /// @param sets the name of the sets to look in, such as `instance_attributes`
  public static @Nullable String first(Element of, String sets, String name) {
    for (var set : of.children(sets)) {
      for (var pair : set.children("nvpair")) {
        if (name.equals(pair.get("name"))) {
          return pair.get("value");
        }
      }
    }
    return null;
  }
}
