package org.systole.tools.results;

import java.util.ArrayList;
import java.util.List;
import org.systole.common.xml.Element;

/// Holds a result to the table to the letter: what is not named there is a fault, too.
public final class ResultCheck {
  private final List<String> faults = new ArrayList<>();

  private ResultCheck() {}

  /// @param result a `pacemaker-result`
  /// @return a line for each fault
  public static List<String> faults(Element result) {
    var check = new ResultCheck();
    var command = command(result.get("request", ""));
    var known = ResultTable.of(command);
    if (known == null) {
      return List.of(command + " is not in the table");
    }
    for (var child : result.children()) {
      var type = known.get(child.name());
      if (type != null) {
        check.element(child, ResultTable.type(type), command + "/" + child.name());
      } else if (!child.is("status") && !ResultTable.isOpen(command)) {
        check.faults.add(command + " has " + child.name());
      }
    }
    return check.faults;
  }

  private static String command(String request) {
    var program = request.split(" ", 2)[0];
    return program.substring(program.lastIndexOf('/') + 1);
  }

  private void element(Element element, ResultTable.Type type, String where) {
    for (var attribute : type.attributes().values()) {
      if (attribute.required() && !element.has(attribute.name())) {
        faults.add(where + " lacks " + attribute.name());
      }
    }
    for (var at = 0; at < element.attributeCount(); at++) {
      var name = element.attributeName(at);
      var attribute = type.attributes().get(name);
      if (attribute == null && !type.anything()) {
        faults.add(where + " has attribute " + name);
      } else if (attribute != null && !fits(element.attributeValue(at), attribute.value())) {
        faults.add(where + " has " + name + "=" + element.attributeValue(at));
      }
    }
    for (var child : type.anything() ? List.<Element>of() : element.children()) {
      var inside = type.children().get(child.name());
      if (inside == null) {
        faults.add(where + " has " + child.name());
      } else {
        element(child, ResultTable.type(inside), where + "/" + child.name());
      }
    }
  }

  private static boolean fits(String text, ResultTable.Value value) {
    return switch (value) {
      case TEXT -> true;
      case BOOLEAN -> text.equals("true") || text.equals("false");
      case NUMBER -> text.matches("-?\\d+");
    };
  }
}
