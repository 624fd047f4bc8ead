package org.systole.common.logging;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whose debugging messages are kept although the daemon's others are not: `PCMK_trace_functions`,
/// `_files`, `_formats` and `_tags`, each a list separated by commas.
///
/// @param functions methods
/// @param files classes by their simple names, with or without `.java`
/// @param formats parts of messages
/// @param tags ids of resources, nodes and the like: words of messages
record Traces(List<String> functions, List<String> files, List<String> formats, List<String> tags) {
  static final Traces NONE = new Traces(List.of(), List.of(), List.of(), List.of());

  static Traces of(Map<String, String> environment) {
    return new Traces(
        list(environment.get("PCMK_trace_functions")),
        list(environment.get("PCMK_trace_files")),
        list(environment.get("PCMK_trace_formats")),
        list(environment.get("PCMK_trace_tags")));
  }

  private static List<String> list(@Nullable String value) {
    return value == null
        ? List.of()
        : Arrays.stream(value.split(",")).map(String::strip).filter(it -> !it.isEmpty()).toList();
  }

  boolean any() {
    return !(functions.isEmpty() && files.isEmpty() && formats.isEmpty() && tags.isEmpty());
  }

  /// @param part the simple name of the class that says it
  boolean want(String part, String method, String message) {
    return functions.contains(method)
        || files.contains(part)
        || files.contains(part + ".java")
        || formats.stream().anyMatch(message::contains)
        || tags.stream().anyMatch(it -> hasWord(message, it));
  }

  /// A resource `ip` is not meant where `ip2` or `my-ip` is, but is in `ip_start_0` and `ip:1`.
  private static boolean hasWord(String message, String word) {
    for (var at = message.indexOf(word); at >= 0; at = message.indexOf(word, at + 1)) {
      var end = at + word.length();
      if ((at == 0 || !isOfId(message.charAt(at - 1)))
          && (end == message.length() || !isOfId(message.charAt(end)) || message.charAt(end) == '_')) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfId(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '.';
  }
}
