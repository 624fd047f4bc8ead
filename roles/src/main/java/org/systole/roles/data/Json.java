package org.systole.roles.data;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// A value of JSON, immutable. Members of objects are sorted by name, and equal numbers are equal
/// however they were written, so that two equal values have one text.
///
/// Safe for use by any number of threads.
public sealed interface Json {
  /// An object.
  record Obj(SortedMap<String, Json> entries) implements Json {
    public static final Obj EMPTY = new Obj(Collections.emptySortedMap());

    public Obj {
      entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    }

    public boolean isEmpty() {
      return entries.isEmpty();
    }

    @Override
    public String toString() {
      return JsonText.write(this);
    }
  }

  /// An array.
  record Arr(List<Json> items) implements Json {
    public Arr {
      items = List.copyOf(items);
    }

    @Override
    public String toString() {
      return JsonText.write(this);
    }
  }

  /// A string.
  record Text(String value) implements Json {
    @Override
    public String toString() {
      return JsonText.write(this);
    }
  }

  /// A number of any size.
  record Num(BigDecimal value) implements Json {
    public Num {
      value = value.signum() == 0 ? BigDecimal.ZERO : value.stripTrailingZeros();
    }

    @Override
    public String toString() {
      return JsonText.write(this);
    }
  }

  /// `true` or `false`.
  record Bool(boolean value) implements Json {
    @Override
    public String toString() {
      return Boolean.toString(value);
    }
  }

  /// `null`, which is a value like others: merged, it replaces what was there.
  enum Null implements Json {
    IT;

    @Override
    public String toString() {
      return "null";
    }
  }
}
