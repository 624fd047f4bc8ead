package org.systole.common.schema;

/// What the elements of a kind of document may hold.
interface Grammar {
  /// The outermost element.
  Rule start();

  /// What an element may hold.
  Pattern content(Rule rule);
}
