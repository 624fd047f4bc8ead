package org.systole.common.options;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Bool;
import org.systole.common.values.Interval;
import org.systole.common.values.Numbers;
import org.systole.common.values.Score;

/// One option: its name, values and meaning.
///
/// @param oldName what it was called before, still understood; null if it had no other name
/// @param type such as `boolean`, `duration`, `select`
/// @param values the allowed ones of a `select`, else empty
/// @param defaultValue null if there is none
/// @param brief one line
/// @param detail more to know, empty for nothing
/// @param check how its values are checked
public record OptionSpec(
    String name,
    @Nullable String oldName,
    String type,
    List<String> values,
    @Nullable String defaultValue,
    Set<Trait> traits,
    String brief,
    String detail,
    Check check) {
  private static final String PERCENTAGE = "percentage";

  /// How a value is checked.
  public enum Check {
    /// As the type says; words in any case.
    TYPE,
    /// As one of the words, written just so.
    EXACT,
    /// As a number above zero.
    POSITIVE,
    /// Not at all: who reads it takes what it does not know for the default.
    NONE
  }

  /// Who reads it, and for whom it is.
  public enum Trait {
    CIB_MANAGER,
    CONTROLLER,
    SCHEDULER,
    ADVANCED,
    /// The cluster sets it itself.
    GENERATED,
    DEPRECATED
  }

  public boolean is(Trait trait) {
    return traits.contains(trait);
  }

  /// Whether a value is one the option can have.
  public boolean accepts(String value) {
    return switch (check) {
      case TYPE -> isOfType(value);
      case EXACT -> values.contains(value);
      case POSITIVE ->
          Numbers.isNumber(value) ? Numbers.parse(value, 0) > 0 : Score.parse(value, 0) > 0;
      case NONE -> true;
    };
  }

  /// What more there is to say of a value that is not accepted; may be empty.
  String hint(String value) {
    return type.equals(PERCENTAGE) && Numbers.percentage(value + "%") != null && !value.isEmpty()
        ? ": a percent sign is missing, as in '" + value + "%'"
        : "";
  }

  private boolean isOfType(String value) {
    return switch (type) {
      case "boolean" -> Bool.parse(value) != null;
      case "duration" -> Interval.read(value) != null;
      case "integer", "score" -> isInfinite(value) || Numbers.isNumber(value);
      case PERCENTAGE -> Numbers.percentage(value) != null;
      case "select" -> values.stream().anyMatch(value::equalsIgnoreCase);
      default -> true;
    };
  }

  private static boolean isInfinite(String value) {
    return Math.abs(Score.parse(value, 0)) == Score.INFINITY && !Numbers.scan(value, 0).valid();
  }

  /// The same under its former name.
  ///
  /// @throws IllegalStateException if it has none
  OptionSpec asOld() {
    if (oldName == null) {
      throw new IllegalStateException(name + " has no former name");
    }
    var old = EnumSet.of(Trait.DEPRECATED);
    old.addAll(traits);
    return new OptionSpec(
        oldName, null, type, values, defaultValue, old, "Deprecated alias for " + name, "", check);
  }
}
