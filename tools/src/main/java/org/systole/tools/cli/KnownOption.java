package org.systole.tools.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// An option of a command, as far as reading a command line needs it.
///
/// @param names all its names, dashes included
/// @param least how many values it takes at least
/// @param most how many values it takes at most
/// @param otherwise the value if it is given without one, null if there is none
/// @param owner the class that declares what takes the value
/// @param member the field, or with `()` behind it the method
/// @param holder the field of the command that holds the owner, empty if the command is it
/// @param type the type of the value
record KnownOption(
    List<String> names,
    int least,
    int most,
    @Nullable String otherwise,
    String owner,
    String member,
    String holder,
    String type) {
  /// The name with the fewest characters, the first of them.
  String shortestName() {
    var shortest = names.getFirst();
    for (var name : names) {
      if (name.length() < shortest.length()) {
        shortest = name;
      }
    }
    return shortest;
  }
}
