package org.systole.common.options;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One option: its name, values and meaning.
///
/// @param oldName what it was called before, still understood; null if it had no other name
/// @param type such as `boolean`, `duration`, `select`
/// @param values the allowed ones of a `select`, else empty
/// @param defaultValue null if there is none
/// @param brief one line
/// @param detail more to know, empty for nothing
public record OptionSpec(
    String name,
    @Nullable String oldName,
    String type,
    List<String> values,
    @Nullable String defaultValue,
    Set<Trait> traits,
    String brief,
    String detail) {

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
        oldName, null, type, values, defaultValue, old, "Deprecated alias for " + name, "");
  }
}
