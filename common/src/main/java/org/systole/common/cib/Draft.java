package org.systole.common.cib;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;

/// An element being edited: it knows its parent and can be changed in place. Children become drafts
/// when first looked at, and [#build] shares with the original all that was not touched.
final class Draft {
  private static final String DOCUMENT = "#document";

  private Element self; // its children count only while `children` is null
  private @Nullable Draft parent;
  private @Nullable ArrayList<Draft> children;
  private boolean touched;
  private int hint; // where it was last seen among its siblings

  private Draft(Element self, @Nullable Draft parent, int hint) {
    this.self = self;
    this.parent = parent;
    this.hint = hint;
  }

  /// A document with `root` as its only child.
  static Draft document(Element root) {
    return new Draft(Element.builder(DOCUMENT).add(root).build(), null, 0);
  }

  boolean isDocument() {
    return self.is(DOCUMENT);
  }

  /// The draft as it was read: right in name and attributes, not in children once they were
  /// touched.
  Element self() {
    return self;
  }

  String name() {
    return self.name();
  }

  @Nullable Draft parent() {
    return parent;
  }

  /// The document's root element.
  Draft root() {
    return children().getFirst();
  }

  List<Draft> children() {
    var made = children;
    if (made == null) {
      made = new ArrayList<>(self.childCount());
      for (var at = 0; at < self.childCount(); at++) {
        made.add(new Draft(self.child(at), this, at));
      }
      children = made;
    }
    return made;
  }

  private ArrayList<Draft> editable() {
    children();
    if (children == null) {
      throw new IllegalStateException();
    }
    return children;
  }

  /// The position among the siblings.
  int index() {
    if (parent == null) {
      return 0;
    }
    var siblings = parent.children();
    if (hint >= siblings.size() || siblings.get(hint) != this) {
      hint = siblings.indexOf(this);
    }
    return hint;
  }

  /// The first child of that name and, if `id` is not null, that id; null if there is none.
  @Nullable Draft first(String name, @Nullable String id) {
    for (var child : children()) {
      if (child.self.is(name) && (id == null || id.equals(child.self.id()))) {
        return child;
      }
    }
    return null;
  }

  /// Takes over name, attributes and text of `element`, not its children.
  void setSelf(Element element) {
    children();
    self = element;
    touch();
  }

  /// Becomes `element`, children and all.
  void replace(Element element) {
    self = element;
    children = null;
    touch();
  }

  /// Adds `element` before the child at `index`, or at the end.
  void insert(int index, Element element) {
    var siblings = editable();
    var at = Math.clamp(index, 0, siblings.size());
    siblings.add(at, new Draft(element, this, at));
    touch();
  }

  void remove() {
    if (parent != null) {
      parent.editable().remove(index());
      parent.touch();
      parent = null;
    }
  }

  /// Moves to `index` among the siblings as they are without this one.
  void moveTo(int index) {
    if (parent != null) {
      var siblings = parent.editable();
      siblings.remove(index());
      hint = Math.clamp(index, 0, siblings.size());
      siblings.add(hint, this);
      parent.touch();
    }
  }

  private void touch() {
    for (var at = this; at != null && !at.touched; at = at.parent) {
      at.touched = true;
    }
  }

  /// The element as it is now.
  Element build() {
    if (!touched) {
      return self;
    }
    if (children != null) {
      var built = new ArrayList<Element>(children.size());
      for (var child : children) {
        built.add(child.build());
      }
      self = self.withChildren(built);
    }
    touched = false;
    return self;
  }
}
