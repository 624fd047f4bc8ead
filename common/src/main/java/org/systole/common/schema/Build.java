package org.systole.common.schema;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.ValueType.Plain;

/// The words the grammar of one version is written in. A part that does not hold in this version
/// drops out while the grammar is built.
abstract class Build {
  private final int version;

  /// @param version 100 times the major number plus the minor one
  Build(int version) {
    this.version = version;
  }

  final boolean isSince(int first) {
    return version >= first;
  }

  /// Holds from this version on.
  final Pattern since(int first, Pattern pattern) {
    return version >= first ? pattern : Pattern.REFUSED;
  }

  /// Holds up to this version.
  final Pattern until(int last, Pattern pattern) {
    return version <= last ? pattern : Pattern.REFUSED;
  }

  final @Nullable String since(int first, String word) {
    return version >= first ? word : null;
  }

  final @Nullable String until(int last, String word) {
    return version <= last ? word : null;
  }

  /// One of those words that there are in this version.
  static ValueType words(@Nullable String... words) {
    var list = new ArrayList<String>();
    for (var word : words) {
      if (word != null) {
        list.add(word);
      }
    }
    return new ValueType.OneOf(list);
  }

  /// All of these, one after the other where they are elements.
  static Pattern all(Pattern... parts) {
    var result = Pattern.EMPTY;
    for (var at = parts.length - 1; at >= 0; at--) {
      result = Pattern.sequence(parts[at], result);
    }
    return result;
  }

  /// All of these in any order.
  static Pattern mix(Pattern... parts) {
    var result = Pattern.EMPTY;
    for (var at = parts.length - 1; at >= 0; at--) {
      result = Pattern.mixture(parts[at], result);
    }
    return result;
  }

  static Pattern either(Pattern... choices) {
    var result = Pattern.REFUSED;
    for (var at = choices.length - 1; at >= 0; at--) {
      result = Pattern.either(choices[at], result);
    }
    return result;
  }

  static Pattern maybe(Pattern pattern) {
    return Pattern.maybe(pattern);
  }

  static Pattern some(Pattern pattern) {
    return Pattern.some(pattern);
  }

  static Pattern any(Pattern... choices) {
    return Pattern.any(either(choices));
  }

  static Pattern child(Rule rule) {
    return new Pattern.Child(rule);
  }

  static Pattern needs(String attribute) {
    return needs(attribute, ValueType.TEXT);
  }

  static Pattern needs(String attribute, ValueType type) {
    return new Pattern.Attribute(attribute, type);
  }

  /// Optional attributes of any value.
  static Pattern has(String... attributes) {
    var result = Pattern.EMPTY;
    for (var at = attributes.length - 1; at >= 0; at--) {
      result = Pattern.sequence(maybe(needs(attributes[at])), result);
    }
    return result;
  }

  static Pattern has(String attribute, ValueType type) {
    return maybe(needs(attribute, type));
  }

  static Pattern id() {
    return needs("id", Plain.ID);
  }

  static Pattern score() {
    return needs("score", Plain.SCORE);
  }

  static Pattern description() {
    return has("description");
  }
}
