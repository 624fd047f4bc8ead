package org.systole.common.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.systole.common.schema.ValueType.Plain;
import org.systole.common.xml.Element;

/// One check of one CIB, or of another document that has a grammar. Its cost is linear in the size of the configuration.
final class Validation {
  private static final int FAULTS_MAX = 20;

  private record Reference(Element element, String attribute, String id) {}

  private final Grammar grammar;
  private final Map<Element, Integer> lines;
  private final Derivative derivative = new Derivative();
  private final List<SchemaFault> faults = new ArrayList<>();
  private final Map<String, Element> ids = new HashMap<>();
  private final List<Reference> references = new ArrayList<>();
  private final @Nullable CheckedParts parts;

  Validation(Grammar grammar, Map<Element, Integer> lines) {
    this(grammar, lines, null);
  }

  /// @param parts takes ids and references in place of the maps, and knows what need not be checked
  Validation(Grammar grammar, Map<Element, Integer> lines, @Nullable CheckedParts parts) {
    this.grammar = grammar;
    this.lines = lines;
    this.parts = parts;
  }

  List<SchemaFault> check(Element cib) {
    if (cib.is(grammar.start().element())) {
      element(cib, grammar.start());
    } else {
      fault(cib, "the outermost element must be <" + grammar.start().element() + ">");
    }
    for (var reference : references) {
      if (!ids.containsKey(reference.id())) {
        fault(
            reference.element(),
            reference.attribute() + " refers to \"" + reference.id() + "\", which does not exist",
            true);
      }
    }
    return faults;
  }

  private void fault(Element element, String text) {
    fault(element, text, false);
  }

  private void fault(Element element, String text, boolean dangling) {
    if (faults.size() < FAULTS_MAX) {
      faults.add(new SchemaFault(element, line(element), text, dangling));
    }
  }

  private int line(Element element) {
    var line = lines.get(element);
    return line == null ? 0 : line;
  }

  private void element(Element element, Rule rule) {
    if (rule == Rule.STATUS) {
      if (!element.get("xmlns", "").isEmpty()) {
        namespaced(element);
      }
      return;
    }
    if (parts == null) {
      children(element, attributes(element, grammar.content(rule)));
    } else if (!parts.isKnown(element, rule)) {
      parts.begin(element, rule);
      children(element, attributes(element, grammar.content(rule)));
      parts.end();
    }
  }

  private void namespaced(Element element) {
    fault(element, "a CIB's elements belong to no namespace");
  }

  /// @return what the children must be
  private Pattern attributes(Element element, Pattern content) {
    var rest = content;
    for (var at = 0; at < element.attributeCount(); at++) {
      var name = element.attributeName(at);
      if (name.startsWith("xmlns") && isDeclaration(element, name, element.attributeValue(at))) {
        continue;
      }
      var value = element.attributeValue(at);
      var next = derivative.byAttribute(rest, name, value);
      var type = derivative.type();
      if (type == Plain.ID && parts != null) {
        parts.identified(Values.trim(value));
      } else if (type == Plain.IDREF && parts != null) {
        parts.referred(Values.trim(value));
      } else if (type == Plain.ID) {
        identify(element, Values.trim(value));
      } else if (type == Plain.IDREF) {
        references.add(new Reference(element, name, Values.trim(value)));
      }
      if (next == Pattern.REFUSED) {
        wrongAttribute(element, name, value, rest, content);
        return Derivative.children(content);
      }
      rest = next;
    }
    var closed = Derivative.withoutMoreAttributes(rest);
    if (closed == Pattern.REFUSED) {
      fault(element, "lacks " + Expected.missingAttributes(rest));
      return Derivative.children(content);
    }
    return closed;
  }

  private boolean isDeclaration(Element element, String name, String value) {
    if (name.equals("xmlns")) {
      if (!value.isEmpty()) {
        namespaced(element);
      }
      return true;
    }
    return name.startsWith("xmlns:");
  }

  private void identify(Element element, String id) {
    var other = ids.putIfAbsent(id, element);
    if (other != null) {
      var line = line(other);
      fault(
          element,
          "its id is also that of another <"
              + other.name()
              + ">"
              + (line > 0 ? " (line " + line + ")" : ""));
    }
  }

  private void wrongAttribute(
      Element element, String name, String value, Pattern rest, Pattern content) {
    var expected = Expected.values(rest, name);
    if (!expected.isEmpty()) {
      fault(
          element, "%s=\"%s\": expected %s".formatted(name, value, String.join(", or ", expected)));
    } else if (Expected.attributes(content).contains(name)) {
      fault(element, "attribute " + name + " does not go together with the others it has");
    } else {
      var possible = Expected.attributes(rest);
      fault(
          element,
          "there is no attribute "
              + name
              + (possible.isEmpty() ? "" : "; possible: " + String.join(", ", possible)));
    }
  }

  private void children(Element element, Pattern content) {
    var rest = content;
    var inOrder = true;
    for (var at = 0; at < element.childCount(); at++) {
      var child = element.child(at);
      if (child.isComment()) {
        continue;
      }
      if (inOrder) {
        var next = derivative.byChild(rest, child.name());
        if (next != Pattern.REFUSED) {
          rest = next;
          rule(child, derivative);
          continue;
        }
        wrongChild(element, child, rest, content);
        inOrder = false;
      }
      for (var rule : Expected.children(content)) {
        if (rule.element().equals(child.name())) {
          element(child, rule);
          break;
        }
      }
    }
    if (inOrder && !rest.mayEnd()) {
      fault(element, "lacks " + Expected.missingChildren(rest));
    }
  }

  private void rule(Element child, Derivative taken) {
    var rule = taken.rule();
    if (rule != null) {
      element(child, rule);
    }
  }

  private void wrongChild(Element parent, Element child, Pattern rest, Pattern content) {
    var known = false;
    for (var rule : Expected.children(content)) {
      known |= rule.element().equals(child.name());
    }
    var what = known ? "must not be here" : "must not be in " + SchemaFault.named(parent);
    var next = list(Expected.next(rest));
    var whole = known ? " in " + SchemaFault.named(parent) : "";
    fault(
        child,
        what + whole + (next.isEmpty() ? "; nothing more is expected" : "; expected " + next));
  }

  private static String list(Set<Rule> rules) {
    return rules.stream()
        .map(rule -> "<" + rule.element() + ">")
        .distinct()
        .collect(Collectors.joining(", "));
  }
}
