package org.systole.common.values;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A POSIX extended regular expression that a user or an administrator has written: in a
/// constraint, a topology level, a request.
///
/// What it takes to match is limited by the lengths of pattern and text, whatever the pattern:
/// nothing is tried twice, and a pattern that would need more than [#MAX_STEPS] at each character
/// is none. Back-references, which cannot be had for that, are not understood.
public final class ExtendedRegex {
  /// The longest pattern.
  public static final int MAX_CHARS = 8_192;

  /// How many places a pattern may have that match a character, repetitions counted as often as
  /// they are asked for.
  public static final int MAX_STEPS = 20_000;

  private final Pattern pattern;

  private ExtendedRegex(Pattern pattern) {
    this.pattern = pattern;
  }

  /// The expression, null if this is none or one beyond the limits.
  public static @Nullable ExtendedRegex compile(String extended) {
    return compile(extended, 0);
  }

  /// As [#compile(String)]; matches letters in either case.
  public static @Nullable ExtendedRegex compileIgnoringCase(String extended) {
    return compile(extended, Pattern.CASE_INSENSITIVE);
  }

  private static @Nullable ExtendedRegex compile(String extended, int flags) {
    if (extended.length() > MAX_CHARS) {
      return null;
    }
    var translated = PosixSyntax.translate(extended);
    if (translated == null) {
      return null;
    }
    try {
      return new ExtendedRegex(
          Pattern.compile(translated, flags | Pattern.DOTALL | Pattern.LONGEST_MATCH));
    } catch (PatternSyntaxException e) {
      return null;
    }
  }

  /// What matches just this text.
  public static String quote(String text) {
    return text.replaceAll("[\\\\^$.|?*+(){\\[]", "\\\\$0");
  }

  /// Whether the text has a part that matches.
  public boolean isIn(String text) {
    return pattern.matcher(text).find();
  }

  /// The first part that matches, then what each pair of parentheses matched (empty if it had no
  /// part in it); null if nothing matches.
  public @Nullable List<String> groups(String text) {
    var matcher = pattern.matcher(text);
    if (!matcher.find()) {
      return null;
    }
    var found = new ArrayList<String>();
    for (var at = 0; at <= matcher.groupCount(); at++) {
      var group = matcher.group(at);
      found.add(group == null ? "" : group);
    }
    return found;
  }
}
