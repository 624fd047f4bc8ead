package org.systole.common.schema;

/// Letters and digits beyond ASCII, as XML's names have them. Kept apart since hardly any CIB needs
/// them.
final class NameChars {
  private NameChars() {}

  static boolean start(int c) {
    return Character.isLetter(c);
  }

  static boolean part(int c) {
    return Character.isDigit(c)
        || c == 0xB7
        || switch (Character.getType(c)) {
          case Character.NON_SPACING_MARK,
              Character.COMBINING_SPACING_MARK,
              Character.ENCLOSING_MARK,
              Character.MODIFIER_LETTER ->
              true;
          default -> false;
        };
  }
}
