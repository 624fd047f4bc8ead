package org.systole.common.xml;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One XML element, immutable: a snapshot is a reference, and two trees share what they have in
/// common.
///
/// Attributes keep document order. A change returns a new element; with [#replace] and its siblings
/// only the path from the root to the change is copied. A hash per subtree is computed on first use
/// and kept, so that comparing two trees skips what is equal; so are the places of the children by their ids, where there are
/// many. Comments are elements named [#COMMENT] whose text is the comment; text beside child elements is not kept (a CIB has
/// none).
///
/// Safe for use by any number of threads.
public sealed class Element permits WideElement {
  /// The name of an element that stands for a comment.
  public static final String COMMENT = "#comment";

  private static final String[] NO_ATTRIBUTES = {};
  private static final Element[] NO_CHILDREN = {};
  private static final byte KEPT = 1;
  private static final byte LOST = 2;

  private final String name;
  private final String[] attributes; // name, value, name, value ...
  private final Element[] children;
  private final @Nullable String text;
  private long hash; // 0 = not computed yet; a race computes the same value twice
  private int length; // the same
  private byte kept; // 0 = not known yet; else KEPT or LOST
  private byte depth; // 0 = not known yet

  Element(String name, String[] attributes, Element[] children, @Nullable String text) {
    this.name = name;
    this.attributes = attributes;
    this.children = children;
    this.text = text;
  }

  private static Element made(
      String name, String[] attributes, Element[] children, @Nullable String text) {
    return children.length < WideElement.CHILDREN
        ? new Element(name, attributes, children, text)
        : new WideElement(name, attributes, children, text);
  }

  /// An element without children.
  ///
  /// @param attributes names and values in turn
  public static Element of(String name, String... attributes) {
    if (attributes.length % 2 != 0) {
      throw new IllegalArgumentException("an attribute of <" + name + "> has no value");
    }
    return new Element(name, attributes.clone(), NO_CHILDREN, null);
  }

  public static Element comment(String text) {
    return new Element(COMMENT, NO_ATTRIBUTES, NO_CHILDREN, text);
  }

  public static Builder builder(String name) {
    return new Builder(name);
  }

  public String name() {
    return name;
  }

  public boolean is(String elementName) {
    return same(name, elementName);
  }

  public boolean isComment() {
    return same(name, COMMENT);
  }

  /// The text inside the element, null if it has none.
  public @Nullable String text() {
    return text;
  }

  /// As `equals`, sooner done: most names are one object each, and most others differ in their hash, which
  /// a text keeps in itself; its characters are at another place in memory.
  private static boolean same(String one, String other) {
    return one == other || one.hashCode() == other.hashCode() && one.equals(other);
  }

  public @Nullable String get(String attribute) {
    for (var at = 0; at < attributes.length; at += 2) {
      if (same(attributes[at], attribute)) {
        return attributes[at + 1];
      }
    }
    return null;
  }

  public String get(String attribute, String otherwise) {
    var value = get(attribute);
    return value != null ? value : otherwise;
  }

  public boolean has(String attribute) {
    return get(attribute) != null;
  }

  /// The attribute `id`, null if there is none.
  public @Nullable String id() {
    return get("id");
  }

  public int attributeCount() {
    return attributes.length / 2;
  }

  public String attributeName(int index) {
    return attributes[2 * index];
  }

  public String attributeValue(int index) {
    return attributes[2 * index + 1];
  }

  /// Whether another element has the same attributes with the same values in the same order.
  public boolean hasSameAttributes(Element other) {
    return attributes == other.attributes || Arrays.equals(attributes, other.attributes);
  }

  /// The children in document order, comments included; not modifiable.
  public List<Element> children() {
    return Collections.unmodifiableList(Arrays.asList(children));
  }

  public int childCount() {
    return children.length;
  }

  public Element child(int index) {
    return children[index];
  }

  public List<Element> children(String childName) {
    var found = new ArrayList<Element>();
    for (var child : children) {
      if (same(child.name, childName)) {
        found.add(child);
      }
    }
    return found;
  }

  /// The first child of that name, null if there is none.
  public @Nullable Element first(String childName) {
    for (var child : children) {
      if (same(child.name, childName)) {
        return child;
      }
    }
    return null;
  }

  /// The first child of that name and id, null if there is none.
  public @Nullable Element first(String childName, String id) {
    return scan(childName, id);
  }

  final @Nullable Element scan(String childName, String id) {
    for (var child : children) {
      if (same(child.name, childName) && id.equals(child.id())) {
        return child;
      }
    }
    return null;
  }

  /// The element reached by following child names, null where one is missing.
  public @Nullable Element path(String... names) {
    Element at = this;
    for (var step : names) {
      at = at.first(step);
      if (at == null) {
        return null;
      }
    }
    return at;
  }

  /// The first element in document order, this one included, for which `wanted` holds.
  public @Nullable Element find(Predicate<Element> wanted) {
    if (wanted.test(this)) {
      return this;
    }
    for (var child : children) {
      var found = child.find(wanted);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /// The position among the children of this very object, -1 if it is not one of them.
  public int indexOf(Element child) {
    for (var at = 0; at < children.length; at++) {
      if (children[at] == child) {
        return at;
      }
    }
    return -1;
  }

  /// Sets an attribute: in its place if it is there, else at the end.
  public Element with(String attribute, String value) {
    for (var at = 0; at < attributes.length; at += 2) {
      if (same(attributes[at], attribute)) {
        if (attributes[at + 1].equals(value)) {
          return this;
        }
        var changed = attributes.clone();
        changed[at + 1] = value;
        return made(name, changed, children, text);
      }
    }
    var longer = Arrays.copyOf(attributes, attributes.length + 2);
    longer[attributes.length] = attribute;
    longer[attributes.length + 1] = value;
    return made(name, longer, children, text);
  }

  public Element without(String attribute) {
    for (var at = 0; at < attributes.length; at += 2) {
      if (same(attributes[at], attribute)) {
        var shorter = new String[attributes.length - 2];
        System.arraycopy(attributes, 0, shorter, 0, at);
        System.arraycopy(attributes, at + 2, shorter, at, attributes.length - at - 2);
        return made(name, shorter, children, text);
      }
    }
    return this;
  }

  public Element withName(String newName) {
    return made(newName, attributes, children, text);
  }

  public Element withText(@Nullable String newText) {
    return made(name, attributes, children, newText);
  }

  /// The same element with these attributes (names and values in turn) and no others.
  public Element withAttributes(String... newAttributes) {
    return of(name, newAttributes).withChildren(children);
  }

  public Element withChildren(List<Element> newChildren) {
    return withChildren(newChildren.toArray(NO_CHILDREN));
  }

  private Element withChildren(Element[] newChildren) {
    return made(name, attributes, newChildren, text);
  }

  /// Adds a child at the end.
  public Element plus(Element child) {
    return insert(children.length, child);
  }

  public Element insert(int index, Element child) {
    var more = new Element[children.length + 1];
    System.arraycopy(children, 0, more, 0, index);
    more[index] = child;
    System.arraycopy(children, index, more, index + 1, children.length - index);
    return withChildren(more);
  }

  public Element replace(int index, Element child) {
    if (children[index] == child) {
      return this;
    }
    var changed = children.clone();
    changed[index] = child;
    return withChildren(changed);
  }

  public Element remove(int index) {
    var fewer = new Element[children.length - 1];
    System.arraycopy(children, 0, fewer, 0, index);
    System.arraycopy(children, index + 1, fewer, index, children.length - index - 1);
    return withChildren(fewer);
  }

  /// A 64-bit hash of the whole subtree; equal trees have equal hashes. Not for security.
  public long contentHash() {
    if (hash == 0) {
      var sum = mix(name.hashCode(), attributes.length);
      for (var attribute : attributes) {
        sum = mix(sum, attribute.hashCode());
      }
      sum = mix(sum, text == null ? 0 : text.hashCode());
      for (var child : children) {
        sum = mix(sum, child.contentHash());
      }
      hash = sum == 0 ? 1 : sum;
    }
    return hash;
  }

  /// How many bytes [XmlWriter#compact] makes of the whole subtree, in UTF-8;
  /// [Integer#MAX_VALUE] if they are more than that.
  public int textLength() {
    if (length == 0) {
      var sum = XmlWriter.lengthWithoutChildren(this);
      for (var child : children) {
        sum += child.textLength();
      }
      length = (int) Math.min(sum, Integer.MAX_VALUE);
    }
    return length;
  }

  /// Whether who reads what [XmlWriter#compact] makes of it finds the same again, as far as that is known without
  /// doing so: a text, a comment, and characters that XML has no way to say may come back as something else.
  boolean isKept() {
    if (kept == 0) {
      var plain = text == null && !isComment() && depth() <= PlainXml.DEPTH_MAX;
      kept = plain && isKeptHere() && areChildrenKept() ? KEPT : LOST;
    }
    return kept == KEPT;
  }

  /// How many elements are one inside the other, this one the first; [Byte#MAX_VALUE] if they are more than that.
  public int depth() {
    if (depth == 0) {
      var most = 0;
      for (var child : children) {
        most = Math.max(most, child.depth());
      }
      depth = (byte) Math.min(most + 1, Byte.MAX_VALUE);
    }
    return depth;
  }

  private boolean isKeptHere() {
    long own = length; // 0 where it is not known yet: to count costs more than to look at the characters
    for (var at = 0; own > 0 && at < children.length; at++) {
      own -= children[at].textLength();
    }
    if (own > 0 && own == XmlWriter.leastLength(this)) {
      return true; // every character is one byte, which the length has told
    }
    for (var at = 1; at < attributes.length; at += 2) {
      if (!XmlWriter.isKept(attributes[at])) {
        return false;
      }
    }
    return true;
  }

  private boolean areChildrenKept() {
    for (var child : children) {
      if (!child.isKept()) {
        return false;
      }
    }
    return true;
  }

  private static long mix(long sum, long next) {
    var mixed = (sum ^ next) * 0x9E3779B97F4A7C15L;
    return Long.rotateLeft(mixed, 29) + next * 0xBF58476D1CE4E5B9L;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || other instanceof Element it
            && contentHash() == it.contentHash()
            && name.equals(it.name)
            && Objects.equals(text, it.text)
            && Arrays.equals(attributes, it.attributes)
            && Arrays.equals(children, it.children);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(contentHash());
  }

  /// Pretty-printed XML, two spaces a level, ending in a line feed.
  @Override
  public String toString() {
    return XmlWriter.pretty(this);
  }

  /// Collects an element piece by piece. Not safe for use by several threads.
  public static final class Builder {
    private static final int ROOM = 8; // most elements have up to four attributes

    private final String name;
    private String[] attributes = NO_ATTRIBUTES; // room for more than there are
    private int length; // of the part that is in use
    private @Nullable ArrayList<Element> children;
    private @Nullable String text;

    private Builder(String name) {
      this.name = name;
    }

    /// Adds an attribute, or sets it if it was added before; a null value adds nothing.
    public Builder attr(String attribute, @Nullable String value) {
      if (value == null) {
        return this;
      }
      var at = find(attribute);
      if (at >= 0) {
        attributes[at + 1] = value;
      } else {
        another(attribute, value);
      }
      return this;
    }

    private int find(String attribute) {
      for (var at = 0; at < length; at += 2) {
        if (same(attributes[at], attribute)) {
          return at;
        }
      }
      return -1;
    }

    boolean has(String attribute) {
      return find(attribute) >= 0;
    }

    /// Adds an attribute that is not there yet.
    void another(String attribute, String value) {
      if (length == attributes.length) {
        attributes = Arrays.copyOf(attributes, Math.max(ROOM, 2 * length));
      }
      attributes[length++] = attribute;
      attributes[length++] = value;
    }

    public Builder attr(String attribute, long value) {
      return attr(attribute, Long.toString(value));
    }

    public Builder attr(String attribute, boolean value) {
      return attr(attribute, Boolean.toString(value));
    }

    public Builder add(@Nullable Element child) {
      if (child != null) {
        children().add(child);
      }
      return this;
    }

    private ArrayList<Element> children() {
      var made = children;
      if (made == null) {
        made = new ArrayList<>();
        children = made;
      }
      return made;
    }

    public Builder add(Builder child) {
      return add(child.build());
    }

    public Builder addAll(List<Element> more) {
      children().addAll(more);
      return this;
    }

    boolean hasChildren() {
      return children != null && !children.isEmpty();
    }

    public Builder text(@Nullable String newText) {
      this.text = newText;
      return this;
    }

    public Element build() {
      return made(
          name,
          length == 0 ? NO_ATTRIBUTES : Arrays.copyOf(attributes, length),
          children == null ? NO_CHILDREN : children.toArray(NO_CHILDREN),
          text);
    }
  }
}
