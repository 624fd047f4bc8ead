package org.systole.common.values;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes POSIX extended regular expressions in the syntax of RE2, as the C library reads them.
///
/// One pass of recursive descent: alternatives, of sequences, of repeated atoms. Each part knows
/// how many steps it takes, so that repetitions of repetitions do not sum up to more than the
/// limit.
final class PosixSyntax {
  private static final int MAX_DEPTH = 200;
  private static final int MAX_REPEAT = 1_000;
  private static final Map<String, String> CLASSES =
      Map.ofEntries(
          Map.entry("alpha", "a-zA-Z"),
          Map.entry("digit", "0-9"),
          Map.entry("alnum", "a-zA-Z0-9"),
          Map.entry("upper", "A-Z"),
          Map.entry("lower", "a-z"),
          Map.entry("space", " \\t\\n\\r\\f\\x0b"),
          Map.entry("blank", " \\t"),
          Map.entry("punct", "!-/:-@\\[-`{-~"),
          Map.entry("print", " -~"),
          Map.entry("graph", "!-~"),
          Map.entry("cntrl", "\\x00-\\x1f\\x7f"),
          Map.entry("xdigit", "0-9a-fA-F"));

  /// This is no expression, or one that is not supported.
  private static final class Invalid extends Exception {
    private static final long serialVersionUID = 1;

    Invalid() {
      super(null, null, false, false);
    }
  }

  private record Part(String text, long steps) {}

  private final String source;
  private int at;
  private int depth;

  private PosixSyntax(String source) {
    this.source = source;
  }

  /// The expression for RE2; null if this is none, needs more than [ExtendedRegex#MAX_STEPS], or
  /// refers back to what it matched.
  static @Nullable String translate(String extended) {
    try {
      return new PosixSyntax(extended).alternatives().text();
    } catch (Invalid e) {
      return null;
    }
  }

  private boolean ends() {
    return at >= source.length();
  }

  private boolean take(char wanted) {
    if (ends() || source.charAt(at) != wanted) {
      return false;
    }
    at++;
    return true;
  }

  private Part alternatives() throws Invalid {
    var text = new StringBuilder();
    long steps = 0;
    do {
      if (!text.isEmpty() || steps > 0) {
        text.append('|');
      }
      var sequence = sequence();
      text.append(sequence.text());
      steps += sequence.steps() + 1;
    } while (take('|'));
    return limited(text.toString(), steps);
  }

  private Part sequence() throws Invalid {
    var text = new StringBuilder();
    long steps = 0;
    while (!ends() && source.charAt(at) != '|' && !(source.charAt(at) == ')' && depth > 0)) {
      var part = repeated();
      text.append(part.text());
      steps += part.steps();
    }
    return limited(text.toString(), steps);
  }

  private static Part limited(String text, long steps) throws Invalid {
    if (steps > ExtendedRegex.MAX_STEPS) {
      throw new Invalid();
    }
    return new Part(text, steps);
  }

  private Part repeated() throws Invalid {
    if (take('^')) {
      return new Part("\\A", 1); // nothing after it repeats it: what follows would be a mistake
    }
    if (take('$')) {
      return new Part("\\z", 1);
    }
    var part = atom();
    while (!ends()) {
      var repetition = repetition();
      if (repetition == null) {
        break;
      }
      part =
          limited("(?:" + part.text() + ")" + repetition.text(), part.steps() * repetition.steps());
    }
    return part;
  }

  /// What repeats the atom before, and how often at most it does so by itself; null if nothing
  /// does.
  private @Nullable Part repetition() throws Invalid {
    if (take('*')) {
      return new Part("*", 1);
    }
    if (take('+')) {
      return new Part("+", 1);
    }
    if (take('?')) {
      return new Part("?", 1);
    }
    return take('{') ? interval() : null;
  }

  private Part interval() throws Invalid {
    var least = number();
    var most = least;
    var open = false;
    if (take(',')) {
      most = number();
      open = most < 0;
    } else if (least < 0) {
      throw new Invalid();
    }
    if (!take('}') || Math.max(least, most) > MAX_REPEAT || !open && most < least) {
      throw new Invalid();
    }
    var from = Math.max(least, 0);
    var text = open ? "{" + from + ",}" : "{" + from + "," + most + "}";
    return new Part(text, Math.max(1, open ? from + 1 : most));
  }

  /// The number here, -1 if there is none.
  private int number() throws Invalid {
    var from = at;
    while (!ends() && Character.digit(source.charAt(at), 10) >= 0) {
      at++;
    }
    if (at - from > 5) {
      throw new Invalid();
    }
    return at == from ? -1 : Integer.parseInt(source.substring(from, at));
  }

  private Part atom() throws Invalid {
    var next = source.codePointAt(at);
    at += Character.charCount(next);
    return switch (next) {
      case '(' -> group();
      case '[' -> bracket();
      case '.' -> new Part(".", 1);
      case '\\' -> escaped();
      case '*', '+', '?', '{' -> throw new Invalid();
      default -> new Part(literal(next), 1);
    };
  }

  private Part group() throws Invalid {
    if (++depth > MAX_DEPTH) {
      throw new Invalid();
    }
    var inner = alternatives();
    depth--;
    if (!take(')')) {
      throw new Invalid();
    }
    return new Part("(" + inner.text() + ")", inner.steps());
  }

  private Part escaped() throws Invalid {
    if (ends()) {
      throw new Invalid();
    }
    var next = source.codePointAt(at);
    at += Character.charCount(next);
    return switch (next) {
      case 'w' -> new Part("[0-9A-Za-z_]", 1);
      case 'W' -> new Part("[^0-9A-Za-z_]", 1);
      case 's' -> new Part("[" + CLASSES.get("space") + "]", 1);
      case 'S' -> new Part("[^" + CLASSES.get("space") + "]", 1);
      case 'b', '<', '>' -> new Part("\\b", 1); // RE2 does not tell the two ends of a word apart
      case 'B' -> new Part("\\B", 1);
      case '`' -> new Part("\\A", 1);
      case '\'' -> new Part("\\z", 1);
      case '1', '2', '3', '4', '5', '6', '7', '8', '9' -> throw new Invalid();
      default -> new Part(literal(next), 1);
    };
  }

  private Part bracket() throws Invalid {
    var set = new StringBuilder(take('^') ? "[^" : "[");
    var first = true;
    while (first || !take(']')) {
      first = false;
      if (ends()) {
        throw new Invalid();
      }
      if (source.startsWith("[:", at)) {
        set.append(named());
      } else {
        addRange(set);
      }
    }
    return new Part(set.append(']').toString(), 1);
  }

  private String named() throws Invalid {
    var end = source.indexOf(":]", at + 2);
    var members = end < 0 ? null : CLASSES.get(source.substring(at + 2, end));
    if (members == null) {
      throw new Invalid();
    }
    at = end + 2;
    return members;
  }

  private void addRange(StringBuilder set) throws Invalid {
    var from = member();
    set.append(literal(from));
    var range =
        at + 1 < source.length() && source.charAt(at) == '-' && source.charAt(at + 1) != ']';
    if (!range) {
      return;
    }
    at++;
    var to = member();
    if (to < from) {
      throw new Invalid();
    }
    set.append('-').append(literal(to));
  }

  /// One character of a set, which may be written `[.x.]` or `[=x=]`.
  private int member() throws Invalid {
    if (ends()) {
      throw new Invalid();
    }
    for (var mark : new String[] {".", "="}) {
      if (source.startsWith("[" + mark, at)) {
        var end = source.indexOf(mark + "]", at + 3);
        var name = end < 0 ? "" : source.substring(at + 2, end);
        if (name.isEmpty() || name.codePointCount(0, name.length()) != 1) {
          throw new Invalid();
        }
        at = end + 2;
        return name.codePointAt(0);
      }
    }
    var next = source.codePointAt(at);
    at += Character.charCount(next);
    return next;
  }

  private static String literal(int character) {
    return Character.isLetterOrDigit(character) || character > 127
        ? Character.toString(character)
        : "\\x{" + Integer.toHexString(character) + "}";
  }
}
