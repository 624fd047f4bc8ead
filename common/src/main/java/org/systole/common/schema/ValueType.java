package org.systole.common.schema;

import java.util.List;

/// What the value of an attribute may be.
sealed interface ValueType {
  /// Any text.
  ValueType TEXT = Plain.TEXT;

  /// The kinds of value that are no list of words.
  enum Plain implements ValueType {
    TEXT("any text"),
    ID("an id (a letter or _, then letters, digits, _ - .)"),
    IDREF("the id of another element"),
    BOOLEAN("true, false, 1 or 0"),
    INTEGER("an integer"),
    NOT_NEGATIVE("an integer of at least 0"),
    POSITIVE("an integer of at least 1"),
    LEVEL("an integer from 1 to 9"),
    SCORE("an integer, INFINITY or -INFINITY"),
    DEVICES("ids of fence devices with commas between them"),
    PORTS("a range of ports");

    private final String expected;

    Plain(String expected) {
      this.expected = expected;
    }

    @Override
    public boolean accepts(String value) {
      return switch (this) {
        case TEXT -> true;
        case ID, IDREF -> Values.isName(Values.trim(value));
        case BOOLEAN -> Values.isBoolean(Values.trim(value));
        case INTEGER -> Values.isInteger(value, null, null);
        case NOT_NEGATIVE -> Values.isInteger(value, 0, null);
        case POSITIVE -> Values.isInteger(value, 1, null);
        case LEVEL -> Values.isInteger(value, 1, 9);
        case SCORE -> Values.isScore(value);
        case DEVICES -> Values.isDeviceList(value);
        case PORTS -> Values.isPortRange(value);
      };
    }

    @Override
    public String expected() {
      return expected;
    }
  }

  /// One of some words; white space around them does not count.
  record OneOf(List<String> words) implements ValueType {
    @Override
    public boolean accepts(String value) {
      return words.contains(value) || words.contains(Values.collapse(value));
    }

    @Override
    public String expected() {
      return String.join(", ", words);
    }
  }

  /// Exactly this text, white space and all.
  record Exactly(String text) implements ValueType {
    @Override
    public boolean accepts(String value) {
      return value.equals(text);
    }

    @Override
    public String expected() {
      return text;
    }
  }

  /// Any text but some words.
  record NoneOf(List<String> words) implements ValueType {
    @Override
    public boolean accepts(String value) {
      return !words.contains(Values.collapse(value));
    }

    @Override
    public String expected() {
      return "something else (this is not supported any more)";
    }
  }

  boolean accepts(String value);

  /// What is expected, for a message.
  String expected();
}
