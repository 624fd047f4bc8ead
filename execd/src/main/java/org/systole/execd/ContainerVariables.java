package org.systole.execd;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The file by which a host sets variables in a container: a line `NAME=value` each, the value as a
/// shell would read it. No shell reads it.
final class ContainerVariables {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private ContainerVariables() {}

  /// The variables of the file, where they are not set yet. Lines that are none are left out.
  static LinkedHashMap<String, String> add(String file, Map<String, String> environment) {
    var all = new LinkedHashMap<>(environment);
    for (var line : file.lines().toList()) {
      var at = line.indexOf('=');
      var name = at < 0 ? "" : line.substring(0, at).stripLeading();
      var value = at < 0 ? null : value(line.substring(at + 1));
      if (NAME.matcher(name).matches() && value != null) {
        all.putIfAbsent(name, value);
      }
    }
    return all;
  }

  /// One word of a shell; null if it is more, or does not end.
  private static @Nullable String value(String text) {
    var value = new StringBuilder();
    var quote = '\0';
    for (var at = 0; at < text.length(); at++) {
      var c = text.charAt(at);
      if (c == '\\' && quote != '\'') {
        if (++at == text.length()) {
          return null;
        }
        value.append(text.charAt(at));
      } else if (c == quote) {
        quote = '\0';
      } else if (quote != '\0') {
        value.append(c);
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == ' ' || c == '\t') {
        var rest = text.substring(at).strip();
        return rest.isEmpty() || rest.startsWith("#") ? value.toString() : null;
      } else {
        value.append(c);
      }
    }
    return quote == '\0' ? value.toString() : null;
  }
}
