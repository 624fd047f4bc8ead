package org.systole.execd;

import java.util.Locale;
import org.systole.roles.data.Json;

/// The attributes as variables of Ansible, in one line of YAML. Ansible takes each text of its
/// variables for a template, which may run programs; what is marked `!unsafe` it leaves as it is. All
/// texts are, names too: who may set data of roles is not to run anything by them.
final class AnsibleVariables {
  private AnsibleVariables() {}

  static String line(String name, Json attributes) {
    var text = new StringBuilder("{? ");
    quote(name, text);
    text.append(" : ");
    write(attributes, text);
    return text.append('}').toString();
  }

  private static void write(Json value, StringBuilder text) {
    switch (value) {
      case Json.Obj(var entries) -> {
        var separator = "{";
        for (var entry : entries.entrySet()) {
          text.append(separator).append("? "); // so that a name may have any length
          unsafe(entry.getKey(), text);
          text.append(" : ");
          write(entry.getValue(), text);
          separator = ", ";
        }
        text.append(entries.isEmpty() ? "{}" : "}");
      }
      case Json.Arr(var items) -> {
        var separator = "[";
        for (var item : items) {
          text.append(separator);
          write(item, text);
          separator = ", ";
        }
        text.append(items.isEmpty() ? "[]" : "]");
      }
      case Json.Text(var it) -> unsafe(it, text);
      case Json.Num it -> text.append(number(it.toString()));
      case Json.Bool it -> text.append(it);
      case Json.Null it -> text.append(it);
    }
  }

  /// YAML knows fewer ways to write a number.
  private static String number(String json) {
    var isInteger = json.chars().allMatch(it -> it == '-' || it >= '0' && it <= '9');
    return (isInteger ? "!!int \"" : "!!float \"") + json + "\"";
  }

  private static void unsafe(String value, StringBuilder text) {
    text.append("!unsafe ");
    quote(value, text);
  }

  /// What is not plain ASCII is escaped: YAML takes not all that JSON does.
  private static void quote(String value, StringBuilder text) {
    text.append('"');
    value
        .codePoints()
        .forEach(
            it -> {
              if (it == '"' || it == '\\') {
                text.append('\\').appendCodePoint(it);
              } else if (it >= ' ' && it < 127) {
                text.appendCodePoint(it);
              } else {
                text.append(String.format(Locale.ROOT, it <= 0xffff ? "\\u%04x" : "\\U%08x", it));
              }
            });
    text.append('"');
  }
}
