package org.systole.execd;

import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// A role's own settings, what stands in its attributes under its name, in lines that a shell can
/// read: the path of a value with dots, a tab, the value. Items of a list are numbered from 0. In a
/// value a backslash, a line break and a tab are `\\`, `\n` and `\t`. An object with nothing in it is
/// `{}`: whether a list has an item is to be seen.
final class RoleSettings {
  private RoleSettings() {}

  /// @param given the attributes, a JSON object
  /// @return empty if there are none, or the attributes are no object
  static String lines(String given, String role) {
    try {
      var lines = new StringBuilder();
      if (JsonText.readObject(given).entries().get(role) instanceof Json.Obj own) {
        add("", own, lines);
      }
      return lines.toString();
    } catch (JsonFault e) {
      return "";
    }
  }

  private static void add(String path, Json value, StringBuilder lines) {
    switch (value) {
      case Json.Obj(var entries) when entries.isEmpty() && !path.isEmpty() ->
          line(path, value.toString(), lines);
      case Json.Obj(var entries) ->
          entries.forEach((name, it) -> add(path.isEmpty() ? name : path + "." + name, it, lines));
      case Json.Arr(var items) -> {
        for (var at = 0; at < items.size(); at++) {
          add(path + "." + at, items.get(at), lines);
        }
      }
      case Json.Text(var text) -> line(path, text, lines);
      case Json.Num _, Json.Bool _ -> line(path, value.toString(), lines);
      case Json.Null _ -> {}
    }
  }

  private static void line(String path, String value, StringBuilder lines) {
    lines.append(escaped(path)).append('\t').append(escaped(value)).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\n").replace("\t", "\\t");
  }
}
