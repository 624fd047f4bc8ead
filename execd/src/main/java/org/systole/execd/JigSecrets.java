package org.systole.execd;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.systole.common.secrets.Secrets;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// The secrets of a role while its jig runs. In a role's own settings, what stands in its attributes
/// under its name, a text `lrm://` stands for a value in a file of the node, as in the CIB. The jig
/// alone is told the value: neither a log, nor a cause, nor the answer that is replicated has it.
final class JigSecrets {
  static final JigSecrets NONE = new JigSecrets(Map.of());

  private static final String HOLDER = "role-";
  private static final int BEGUN_MIN = 3;
  private static final int LENGTH_MIN = 4;
  private final SortedMap<String, String> values;

  /// @param values by their paths in the role's settings
  JigSecrets(Map<String, String> values) {
    this.values = new TreeMap<>(values);
  }

  /// What the secrets of a role are kept under.
  static String holder(String role) {
    return HOLDER + role;
  }

  /// The paths of what is to be filled in, with what stands there.
  static Map<String, String> wanted(String given, String role) {
    var found = new TreeMap<String, String>();
    if (given.contains(Secrets.STANDS_FOR)) {
      find("", own(given, role), found);
    }
    return found;
  }

  private static Json own(String given, String role) {
    try {
      return JsonText.readObject(given).entries().getOrDefault(role, Json.Obj.EMPTY);
    } catch (JsonFault e) {
      return Json.Obj.EMPTY;
    }
  }

  private static void find(String path, Json at, Map<String, String> found) {
    switch (at) {
      case Json.Obj(var entries) -> entries.forEach((name, it) -> find(under(path, name), it, found));
      case Json.Arr(var items) -> {
        for (var number = 0; number < items.size(); number++) {
          find(under(path, "" + number), items.get(number), found);
        }
      }
      case Json.Text(var text) when text.equals(Secrets.STANDS_FOR) && !path.isEmpty() ->
          found.put(path, text);
      default -> {}
    }
  }

  private static String under(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  /// The attributes with the values in their places.
  String filled(String given, String role) {
    if (values.isEmpty()) {
      return given;
    }
    try {
      var all = new TreeMap<>(JsonText.readObject(given).entries());
      all.computeIfPresent(role, (_, it) -> filled("", it));
      return new Json.Obj(all).toString();
    } catch (JsonFault e) {
      return given;
    }
  }

  private Json filled(String path, Json at) {
    return switch (at) {
      case Json.Obj(var entries) -> {
        var all = new TreeMap<String, Json>();
        entries.forEach((name, it) -> all.put(name, filled(under(path, name), it)));
        yield new Json.Obj(all);
      }
      case Json.Arr(var items) -> {
        var all = new ArrayList<Json>();
        for (var number = 0; number < items.size(); number++) {
          all.add(filled(under(path, "" + number), items.get(number)));
        }
        yield new Json.Arr(all);
      }
      case Json.Text(var text) when text.equals(Secrets.STANDS_FOR) && values.containsKey(path) ->
          new Json.Text(values.getOrDefault(path, text));
      default -> at;
    };
  }

  /// A text of the jig without the values: what stands for them is there instead.
  String masked(String text) {
    var clean = text;
    for (var value : longestFirst()) {
      for (var written : SecretWays.of(value)) {
        clean = clean.replace(written, Secrets.STANDS_FOR);
      }
    }
    return clean;
  }

  /// The same of what a program wrote until it was ended, or as far as it was kept: at its end there may
  /// be the beginning of a value.
  String maskedToItsEnd(String text) {
    var clean = masked(text).replaceFirst("\uFFFD+$", "");
    var begun = 0;
    for (var value : longestFirst()) {
      for (var written : SecretWays.of(value)) {
        begun = Math.max(begun, begun(written, clean));
      }
    }
    return begun == 0 ? clean : clean.substring(0, clean.length() - begun) + Secrets.STANDS_FOR;
  }

  /// How much of a value a text ends with; less than a few characters does not count.
  private static int begun(String value, String text) {
    for (var length = Math.min(value.length() - 1, text.length()); length >= BEGUN_MIN; length--) {
      if (text.endsWith(value.substring(0, length))) {
        return length;
      }
    }
    return 0;
  }

  /// Why a run may not have them: what is so short stands in other words too, so that what is put in its place
  /// would tell it.
  ///
  /// @return empty if it may
  String tooShort() {
    return values.entrySet().stream()
        .filter(it -> !it.getValue().isBlank() && it.getValue().length() < LENGTH_MIN)
        .map(
            it ->
                "the secret %s has less than %d characters: it could not be kept out of what is told"
                    .formatted(it.getKey(), LENGTH_MIN))
        .findFirst()
        .orElse("");
  }

  /// An object that a jig wrote, without the values. It is read before they are looked for: JSON has
  /// several ways to write one text, and what stands for a value may not stand everywhere.
  ///
  /// @throws JsonFault if it is none; the message does not have them either
  Json.Obj read(String text) throws JsonFault {
    if (values.isEmpty()) {
      return JsonText.readObject(text);
    }
    Json.Obj read;
    try {
      read = JsonText.readObject(text);
    } catch (JsonFault e) {
      read = JsonText.readObject(masked(text));
    }
    return masked(read);
  }

  private Json.Obj masked(Json.Obj all) {
    var clean = new TreeMap<String, Json>();
    all.entries().forEach((name, it) -> clean.put(masked(name), masked(it)));
    return new Json.Obj(clean);
  }

  private Json masked(Json at) {
    return switch (at) {
      case Json.Obj it -> masked(it);
      case Json.Arr(var items) -> new Json.Arr(items.stream().map(this::masked).toList());
      case Json.Text(var text) -> new Json.Text(masked(text));
      case Json.Num it when values.containsValue(it.toString()) -> new Json.Text(Secrets.STANDS_FOR);
      default -> at;
    };
  }

  private List<String> longestFirst() {
    return values.values().stream()
        .filter(it -> !it.isBlank())
        .distinct()
        .sorted(Comparator.comparingInt(String::length).reversed().thenComparing(it -> it))
        .toList();
  }

  /// It does not show what it holds.
  @Override
  public String toString() {
    return "JigSecrets" + values.keySet();
  }
}
