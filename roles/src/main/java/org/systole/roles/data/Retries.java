package org.systole.roles.data;

import java.util.TreeMap;

/// How often a person has had a role done anew, in what the system sets: under the role's name, in `retried`.
public final class Retries {
  public static final String NAME = "retried";

  private Retries() {}

  /// The same data without it. It counts only where an order put it: a setting of that name would pass for
  /// an order with who may change settings, and may not retry.
  public static Json.Obj without(Json.Obj data, String role) {
    if (!(data.entries().get(role) instanceof Json.Obj(var own)) || !own.containsKey(NAME)) {
      return data;
    }
    var rest = new TreeMap<>(own);
    rest.remove(NAME);
    var all = new TreeMap<>(data.entries());
    all.put(role, new Json.Obj(rest));
    return new Json.Obj(all);
  }
}
