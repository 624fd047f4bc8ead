package org.systole.attrd;

import org.systole.attrd.client.AttrMessage;
import org.systole.common.operation.FailureAttribute;
import org.systole.common.values.ExtendedRegex;

/// The regular expressions by which attributes are found.
final class Patterns {
  private Patterns() {}

  /// A regular expression for the attributes that hold these failures.
  static String failures(AttrMessage.ClearFailures failures) {
    var all = "^(%s|%s)-".formatted(FailureAttribute.COUNT, FailureAttribute.LAST);
    if (failures.resource() == null) {
      return all;
    }
    var one = all + ExtendedRegex.quote(failures.resource().text()) + "#";
    return failures.operation().isEmpty()
        ? one + ".+_[0-9]+$"
        : one + ExtendedRegex.quote(failures.operation()) + "_" + failures.intervalMillis() + "$";
  }
}
