package org.systole.common.values;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Boolean words of the configuration, in any case.
public final class Bool {
  private Bool() {}

  /// What the word stands for, null if there is none or it is no boolean.
  public static @Nullable Boolean parse(@Nullable String text) {
    if (text == null) {
      return null;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "yes", "y", "1" -> true;
      case "false", "off", "no", "n", "0" -> false;
      default -> null;
    };
  }

  public static boolean parse(@Nullable String text, boolean otherwise) {
    var value = parse(text);
    return value != null ? value : otherwise;
  }

  /// Whether the text is one of the words for true.
  public static boolean isTrue(@Nullable String text) {
    return parse(text, false);
  }
}
