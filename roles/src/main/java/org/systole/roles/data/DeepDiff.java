package org.systole.roles.data;

import java.util.SortedMap;
import java.util.TreeMap;

/// What an object has that another one has not, or has otherwise.
public final class DeepDiff {
  private DeepDiff() {}

  /// The part of `after` that is new or different. What only `before` has is not in it, so that
  /// the difference laid over `before` gives all of `after`.
  public static Json.Obj difference(Json.Obj before, Json.Obj after) {
    SortedMap<String, Json> differing = new TreeMap<>();
    after
        .entries()
        .forEach(
            (name, value) -> {
              var old = before.entries().get(name);
              if (old instanceof Json.Obj one && value instanceof Json.Obj other) {
                var within = difference(one, other);
                if (!within.isEmpty()) {
                  differing.put(name, within);
                }
              } else if (!value.equals(old)) {
                differing.put(name, value);
              }
            });
    return differing.isEmpty() ? Json.Obj.EMPTY : new Json.Obj(differing);
  }
}
