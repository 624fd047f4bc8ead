package org.systole.scheduler.model;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/// At most one [ScoredNode] per node, found by the node's index; iterates in node order.
public final class NodeTable implements Iterable<ScoredNode> {
  private static final @Nullable ScoredNode[] NONE = {};

  private @Nullable ScoredNode[] slots = NONE;
  private int size;

  public @Nullable ScoredNode get(Node node) {
    return node.index() < slots.length ? slots[node.index()] : null;
  }

  public boolean contains(Node node) {
    return get(node) != null;
  }

  /// Stores this very entry, in place of an earlier one for the same node.
  public void put(ScoredNode entry) {
    var at = entry.node().index();
    if (at >= slots.length) {
      slots = Arrays.copyOf(slots, at + 1 + (at >> 3));
    }
    if (slots[at] == null) {
      size++;
    }
    slots[at] = entry;
  }

  public void remove(Node node) {
    if (contains(node)) {
      slots[node.index()] = null;
      size--;
    }
  }

  public void clear() {
    slots = NONE;
    size = 0;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /// A table with copies of all entries.
  public NodeTable copy() {
    var copy = new NodeTable();
    copy.slots = slots.clone();
    copy.size = size;
    for (var at = 0; at < copy.slots.length; at++) {
      var entry = copy.slots[at];
      if (entry != null) {
        copy.slots[at] = entry.copy();
      }
    }
    return copy;
  }

  /// A table with copies of these entries.
  public static NodeTable of(Collection<ScoredNode> entries) {
    var table = new NodeTable();
    for (var entry : entries) {
      table.put(entry.copy());
    }
    return table;
  }

  @Override
  public Iterator<ScoredNode> iterator() {
    return new Iterator<>() {
      private int at = next(0);

      private int next(int from) {
        var i = from;
        while (i < slots.length && slots[i] == null) {
          i++;
        }
        return i;
      }

      @Override
      public boolean hasNext() {
        return at < slots.length;
      }

      @Override
      public ScoredNode next() {
        var entry = at < slots.length ? slots[at] : null;
        if (entry == null) {
          throw new NoSuchElementException();
        }
        at = next(at + 1);
        return entry;
      }
    };
  }
}
