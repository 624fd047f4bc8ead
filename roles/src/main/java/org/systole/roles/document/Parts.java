package org.systole.roles.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.xml.Element;
import org.systole.roles.data.Json;
import org.systole.roles.data.JsonFault;
import org.systole.roles.data.JsonText;

/// Reads values out of elements that conform to the grammar, and keeps the faults it meets with
/// their places.
final class Parts {
  private static final int FAULTS_MAX = 20;

  private final Function<Element, String> places;
  private final List<String> faults = new ArrayList<>();

  Parts(Map<Element, Integer> lines) {
    this(it -> line(it, lines));
  }

  /// @param places where an element stands, as a fault begins; empty if nobody knows
  Parts(Function<Element, String> places) {
    this.places = places;
  }

  /// Where an element stands in its file, as a fault begins.
  static String line(Element at, Map<Element, Integer> lines) {
    var line = lines.get(at);
    return line == null ? "" : "line " + line + ": ";
  }

  void fault(Element at, String text) {
    if (faults.size() < FAULTS_MAX) {
      faults.add(places.apply(at) + text);
    }
  }

  List<String> faults() {
    return faults;
  }

  void check() throws DocumentFault {
    if (!faults.isEmpty()) {
      throw new DocumentFault(faults);
    }
  }

  /// An id in an attribute; null, and a fault, if the value can be none.
  <T> @Nullable T id(Element of, String attribute, Function<@Nullable String, @Nullable T> reader) {
    var text = of.get(attribute, "");
    var id = reader.apply(text);
    if (id == null) {
      fault(of, "<" + of.name() + "> has " + attribute + "=\"" + text + "\", which can be no name");
    }
    return id;
  }

  static boolean yes(Element of, String attribute, boolean otherwise) {
    var value = of.get(attribute);
    return value == null ? otherwise : value.strip().equals("true") || value.strip().equals("1");
  }

  /// The object that an element holds as text; the empty one if there is no element or no text.
  Json.Obj data(@Nullable Element of, String where) {
    var text = of == null ? null : of.text();
    if (of == null || text == null || text.isBlank()) {
      return Json.Obj.EMPTY;
    }
    try {
      return JsonText.readObject(text.strip());
    } catch (JsonFault e) {
      fault(of, where + ": <" + of.name() + ">: " + e.getMessage());
      return Json.Obj.EMPTY;
    }
  }
}
