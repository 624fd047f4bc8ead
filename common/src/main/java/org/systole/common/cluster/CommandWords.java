package org.systole.common.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The words of a command line, without a shell: spaces divide, quotation marks and backslashes
/// hold together.
final class CommandWords {
  private CommandWords() {}

  /// @return null if a quotation mark is not closed
  static @Nullable List<String> split(String line) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    var inWord = false;
    var quote = '\0';
    for (var at = 0; at < line.length(); at++) {
      var it = line.charAt(at);
      if (quote != '\0' && it == quote) {
        quote = '\0';
      } else if (quote == '\0' && (it == '"' || it == '\'')) {
        quote = it;
        inWord = true;
      } else if (it == '\\' && quote != '\'' && at + 1 < line.length()) {
        word.append(line.charAt(++at));
        inWord = true;
      } else if (quote == '\0' && Character.isWhitespace(it)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
      } else {
        word.append(it);
        inWord = true;
      }
    }
    if (inWord) {
      words.add(word.toString());
    }
    return quote == '\0' ? words : null;
  }
}
