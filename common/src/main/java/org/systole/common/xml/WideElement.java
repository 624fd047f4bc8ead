package org.systole.common.xml;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An element with many children, as a status section with hundreds of nodes is. Who asks for one child after the other by its
/// id would go through half of them each time; after a few times their places are noted.
final class WideElement extends Element {
  /// How many children make an element wide.
  static final int CHILDREN = 32;

  private static final int TIMES = 3; // noting them costs as much as looking through them a few times

  private int asked; // a race counts one less
  private @Nullable Map<String, Element> firsts; // by id; a race makes the same map twice

  WideElement(String name, String[] attributes, Element[] children, @Nullable String text) {
    super(name, attributes, children, text);
  }

  @Override
  public @Nullable Element first(String childName, String id) {
    var noted = firsts;
    if (noted == null) {
      if (++asked <= TIMES) {
        return scan(childName, id);
      }
      noted = note();
      firsts = noted;
    }
    var found = noted.get(id);
    return found == null || found.is(childName) ? found : scan(childName, id); // elements of two names may have one id
  }

  private Map<String, Element> note() {
    var first = new HashMap<String, Element>(2 * childCount());
    for (var at = childCount() - 1; at >= 0; at--) {
      var child = child(at);
      var id = child.id();
      if (id != null) {
        first.put(id, child);
      }
    }
    return Map.copyOf(first); // its fields are final: another thread sees all of it, or none
  }
}
