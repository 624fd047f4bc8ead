package org.systole.tools.results;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.systole.common.output.Product;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// The schemas of XML results in RELAX NG, for programs that check what they read, such as pcs.
///
/// They are open: an attribute or element that is not in the table passes, so that a program that
/// checks does not fail over what a later version adds. What is in the table has to be as it says.
public final class ResultSchemas {
  private static final String ANYTHING = "anything";
  private static final String MAIN = "api-result.rng";

  /// Before the names of definitions: libxml2 confuses those of one file with those of another.
  private final String prefix;

  private ResultSchemas(String prefix) {
    this.prefix = prefix;
  }

  /// The files by name: the frame, which refers to one file for each command.
  public static Map<String, String> files() {
    var files = new TreeMap<String, String>();
    var commands = new ArrayList<Element>();
    for (var command : ResultTable.names()) {
      var file = "%s-%s.rng".formatted(command, Product.API_VERSION);
      files.put(file, text(new ResultSchemas(command + ".").command(command)));
      commands.add(of("group", request(command), Element.of("externalRef", "href", file)));
    }
    files.put(MAIN, text(new ResultSchemas("").frame(commands)));
    return files;
  }

  private Element frame(List<Element> commands) {
    var inside = repeated(of("element", Element.of("anyName"), anythingRef()));
    var status =
        named(
            "element",
            "status",
            named("attribute", "code", Element.of("data", "type", "nonNegativeInteger")),
            named("attribute", "message", Element.of("text")),
            inside);
    var result =
        named(
            "element",
            "pacemaker-result",
            named("attribute", "api-version", Element.of("text")),
            of("choice", commands.toArray(Element[]::new)),
            status);
    return grammar(List.of(of("start", result), anything()));
  }

  /// The command line that a result repeats says whose it is.
  private static Element request(String command) {
    var pattern = named("param", "pattern").withText("([^ ]*/)?" + command + "( (.|\\n|\\r)*)?");
    return named("attribute", "request", of("data", pattern).with("type", "string"));
  }

  private Element command(String command) {
    var types = new LinkedHashMap<String, ResultTable.Type>();
    var tops = ResultTable.of(command);
    var choices = new ArrayList<Element>();
    for (var type : tops == null ? List.<String>of() : tops.values()) {
      choices.add(Element.of("ref", "name", prefix + type));
      collect(type, types);
    }
    var known = new TreeSet<>(tops == null ? Set.of() : tops.keySet());
    known.add("status");
    choices.add(other(known));
    var parts = new ArrayList<Element>();
    parts.add(of("start", repeated(of("choice", choices.toArray(Element[]::new)))));
    types.forEach((name, type) -> parts.add(named("define", prefix + name, element(type))));
    parts.add(anything());
    return grammar(parts);
  }

  private static void collect(String name, Map<String, ResultTable.Type> into) {
    var type = ResultTable.type(name);
    if (into.putIfAbsent(name, type) == null) {
      type.children().values().forEach(it -> collect(it, into));
    }
  }

  private Element element(ResultTable.Type type) {
    var parts = new ArrayList<Element>();
    for (var attribute : type.attributes().values()) {
      var one = named("attribute", attribute.name(), value(attribute.value()));
      parts.add(attribute.required() ? one : of("optional", one));
    }
    parts.add(
        repeated(of("attribute", except(type.attributes().keySet()), Element.of("text"))));
    var choices = new ArrayList<Element>();
    type.children().values().forEach(it -> choices.add(Element.of("ref", "name", prefix + it)));
    choices.add(other(type.children().keySet()));
    if (type.text() || type.anything()) {
      choices.add(Element.of("text"));
    }
    parts.add(repeated(of("choice", choices.toArray(Element[]::new))));
    return named("element", type.element(), parts.toArray(Element[]::new));
  }

  private static Element value(ResultTable.Value value) {
    return switch (value) {
      case TEXT -> Element.of("text");
      case NUMBER -> Element.of("data", "type", "integer");
      case BOOLEAN -> of("choice", word("true"), word("false"));
    };
  }

  private static Element word(String text) {
    return Element.of("value").withText(text);
  }

  private Element other(Collection<String> known) {
    return of("element", except(known), anythingRef());
  }

  private static Element except(Collection<String> names) {
    if (names.isEmpty()) {
      return Element.of("anyName");
    }
    var all = names.stream().map(it -> Element.of("name").withText(it)).toArray(Element[]::new);
    return of("anyName", of("except", all));
  }

  private Element anything() {
    var attribute = of("attribute", Element.of("anyName"), Element.of("text"));
    var element = of("element", Element.of("anyName"), anythingRef());
    return named(
        "define", prefix + ANYTHING, repeated(of("choice", Element.of("text"), attribute, element)));
  }

  private Element anythingRef() {
    return Element.of("ref", "name", prefix + ANYTHING);
  }

  private static Element grammar(List<Element> parts) {
    return Element.of("grammar")
        .withChildren(parts)
        .with("xmlns", "http://relaxng.org/ns/structure/1.0")
        .with("datatypeLibrary", "http://www.w3.org/2001/XMLSchema-datatypes");
  }

  private static Element repeated(Element part) {
    return of("zeroOrMore", part);
  }

  private static Element of(String kind, Element... parts) {
    return Element.of(kind).withChildren(List.of(parts));
  }

  private static Element named(String kind, String name, Element... parts) {
    return of(kind, parts).with("name", name);
  }

  private static String text(Element grammar) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + XmlWriter.pretty(grammar);
  }
}
