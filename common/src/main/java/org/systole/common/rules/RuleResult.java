package org.systole.common.rules;

/// What came of a rule or one of its conditions.
public enum RuleResult {
  SATISFIED,
  /// Satisfied by a date that lies within a range with a beginning or an end.
  WITHIN_RANGE,
  UNSATISFIED,
  /// Not satisfied, because a date or value lies before the range asked for.
  BEFORE_RANGE,
  /// Not satisfied, because a date or value lies after the range asked for.
  AFTER_RANGE,
  /// Not satisfied, because the rule itself is invalid.
  INVALID;

  public boolean passes() {
    return this == SATISFIED || this == WITHIN_RANGE;
  }
}
