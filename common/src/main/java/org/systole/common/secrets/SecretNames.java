package org.systole.common.secrets;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Which resources and parameters can have a secret: what can be the name of a directory or file
/// and never leads to another one.
public final class SecretNames {
  /// The suffix of the file with a value's digest.
  public static final String SIGN = ".sign";

  private static final int BYTES_MAX = 200;

  private SecretNames() {}

  /// What is wrong with the names of a secret; null if nothing.
  public static @Nullable String mistake(String holder, String parameter) {
    if (!isName(holder)) {
      return "a resource whose id is " + quoted(holder) + " cannot have secrets";
    }
    if (!isParameter(parameter)) {
      return "a parameter whose name is " + quoted(parameter) + " cannot be secret";
    }
    return null;
  }

  /// Whether text can be the name of a directory or file of secrets. A dot in front is for files
  /// that are being made.
  public static boolean isName(String text) {
    return !text.isEmpty()
        && text.charAt(0) != '.'
        && text.indexOf('/') < 0
        && text.chars().noneMatch(Character::isISOControl)
        && text.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX;
  }

  /// A parameter's file must not be taken for the digest of another one's.
  public static boolean isParameter(String text) {
    return isName(text) && !text.endsWith(SIGN);
  }

  private static String quoted(String text) {
    var shown = new StringBuilder("\"");
    text.chars().limit(60).forEach(it -> shown.append(Character.isISOControl(it) ? '?' : (char) it));
    return shown.append(text.length() > 60 ? "...\"" : "\"").toString();
  }
}
