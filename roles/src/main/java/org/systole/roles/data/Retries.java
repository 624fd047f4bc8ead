package org.systole.roles.data;

import java.util.TreeMap;

/// How often a person has had a role done anew, in what the system sets: under the role's name, in `retried`.
public final class Retries {
  public static final String NAME = "retried";

  private Retries() {}

  /// Whether data say it of a role.
  public static boolean isIn(Json.Obj data, String role) {
    return data.entries().get(role) instanceof Json.Obj(var own) && own.containsKey(NAME);
  }

  /// Why a role may not answer an event with it.
  public static String fault(String role, String event) {
    return "role %s answers %s with %s/%s: that is set by a retry, and by nothing else".formatted(role, event, role, NAME);
  }

  /// The same data without it. It counts only where an order put it: a setting of that name would pass for
  /// an order with who may change settings, and may not retry.
  public static Json.Obj without(Json.Obj data, String role) {
    if (!isIn(data, role) || !(data.entries().get(role) instanceof Json.Obj(var own))) {
      return data;
    }
    var rest = new TreeMap<>(own);
    rest.remove(NAME);
    var all = new TreeMap<>(data.entries());
    all.put(role, new Json.Obj(rest));
    return new Json.Obj(all);
  }
}
