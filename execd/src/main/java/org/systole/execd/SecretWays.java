package org.systole.execd;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.systole.roles.data.Json;

/// The ways in which programs write a text: as it is, in JSON as several libraries do it, in words of a
/// shell, in XML, in URLs.
final class SecretWays {
  private static final String SHELL_SAFE = "_@%+=:,./-";

  private SecretWays() {}

  /// @return the longest first: one may be a part of another
  static List<String> of(String value) {
    var ways = new LinkedHashSet<String>();
    ways.add(value);
    json(value, ways);
    ways.add(value.replace("'", "'\\''")); // set -x of bash
    ways.add(value.replace("'", "'\"'\"'")); // of dash; Python's shlex
    ways.add(value.replace("'", "''")); // YAML, SQL
    ways.add(value.replace("\\", "\\\\").replace("'", "\\'")); // Python's repr
    ways.add(bare(value));
    xml(value, ways);
    url(value, ways);
    return ways.stream()
        .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(it -> it))
        .toList();
  }

  private static void json(String value, Set<String> ways) {
    var quoted = new Json.Text(value).toString();
    quoted = quoted.substring(1, quoted.length() - 1);
    for (var it : List.of(quoted, quoted.replace("/", "\\/"))) {
      ways.add(it);
      for (var form : List.of("\\u%04x", "\\u%04X")) {
        ways.add(escaped(it, form, ""));
        ways.add(escaped(it, form, "<>&'="));
      }
    }
  }

  /// What is not ASCII is escaped, and what some take for dangerous in a web page.
  private static String escaped(String quoted, String form, String further) {
    var text = new StringBuilder();
    for (var at = 0; at < quoted.length(); at++) {
      var one = quoted.charAt(at);
      text.append(
          one < 128 && further.indexOf(one) < 0
              ? String.valueOf(one)
              : String.format(Locale.ROOT, form, (int) one));
    }
    return text.toString();
  }

  /// A word without quotes, as `printf %q` writes it.
  private static String bare(String value) {
    var text = new StringBuilder();
    for (var at = 0; at < value.length(); at++) {
      var one = value.charAt(at);
      var isPlain = Character.isLetterOrDigit(one) || SHELL_SAFE.indexOf(one) >= 0 || one < ' ';
      text.append(isPlain ? "" : "\\").append(one);
    }
    return text.toString();
  }

  private static void xml(String value, Set<String> ways) {
    var text = value.replace("&", "&amp;").replace("<", "&lt;");
    ways.add(text);
    text = text.replace(">", "&gt;");
    ways.add(text);
    text = text.replace("\"", "&quot;");
    ways.add(text);
    ways.add(text.replace("'", "&apos;"));
    ways.add(text.replace("'", "&#39;"));
    ways.add(text.replace("'", "&#x27;"));
  }

  private static void url(String value, Set<String> ways) {
    var form = URLEncoder.encode(value, StandardCharsets.UTF_8);
    var path = form.replace("+", "%20");
    for (var it : List.of(form, path, path.replace("%2F", "/"), path.replace("%7E", "~"))) {
      ways.add(it);
      ways.add(lower(it));
    }
  }

  private static String lower(String encoded) {
    var text = new StringBuilder(encoded);
    for (var at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at + 1)) {
      text.replace(at, at + 3, text.substring(at, at + 3).toLowerCase(Locale.ROOT));
    }
    return text.toString();
  }
}
