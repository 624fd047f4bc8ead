package org.systole.roles.data;

import java.util.SortedMap;
import java.util.TreeMap;

/// Lays objects over each other. Objects are merged member by member; anything else, arrays and
/// null included, replaces what was there.
///
/// Each value that is no object keeps the origin of the layer it came from. Not safe for use by
/// several threads.
///
/// @param <O> what a layer's origin is said by
public final class DeepMerge<O> {
  private Json.Obj merged = Json.Obj.EMPTY;
  private final SortedMap<String, O> origins = new TreeMap<>();

  /// What two objects make, the second over the first.
  public static Json.Obj merge(Json.Obj under, Json.Obj over) {
    if (over.isEmpty()) {
      return under;
    }
    if (under.isEmpty()) {
      return over;
    }
    SortedMap<String, Json> all = new TreeMap<>(under.entries());
    over.entries()
        .forEach(
            (name, value) ->
                all.merge(
                    name,
                    value,
                    (below, above) ->
                        below instanceof Json.Obj one && above instanceof Json.Obj other
                            ? merge(one, other)
                            : above));
    return new Json.Obj(all);
  }

  /// Lays an object over all before.
  public DeepMerge<O> add(O origin, Json.Obj layer) {
    if (!layer.isEmpty()) {
      trace("", layer, origin);
      merged = merge(merged, layer);
    }
    return this;
  }

  private void trace(String path, Json value, O origin) {
    if (value instanceof Json.Obj(var entries) && !entries.isEmpty()) {
      origins.remove(path); // what is there now is no object: it is replaced
      entries.forEach((name, member) -> trace(path + "/" + escaped(name), member, origin));
      return;
    }
    var below = path + "/";
    if (value instanceof Json.Obj) {
      if (origins.tailMap(below).keySet().stream().findFirst().orElse("").startsWith(below)) {
        return; // an empty object over one that has entries changes nothing
      }
    } else {
      origins.subMap(below, path + "0").clear(); // '0' is what follows '/'
    }
    origins.put(path, origin);
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  /// What has come of all layers.
  public Json.Obj result() {
    return merged;
  }

  /// Where each value that is no object, or an empty one, came from, by its JSON pointer.
  public SortedMap<String, O> origins() {
    return new TreeMap<>(origins);
  }
}
