package org.systole.common.schema;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.systole.common.schema.Pattern.Attribute;
import org.systole.common.schema.Pattern.Child;
import org.systole.common.schema.Pattern.Choice;
import org.systole.common.schema.Pattern.Mixture;
import org.systole.common.schema.Pattern.Nothing;
import org.systole.common.schema.Pattern.Repeated;
import org.systole.common.schema.Pattern.Sequence;
import org.systole.common.schema.ValueType.Exactly;
import org.systole.common.schema.ValueType.NoneOf;
import org.systole.common.schema.ValueType.OneOf;
import org.systole.common.schema.ValueType.Plain;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlWriter;

/// Writes the schema of a version in RELAX NG, for programs that read schemas themselves: crmsh
/// learns from them which attributes there are and which words they take.
///
/// An element that has one place stands where it belongs, any other is a definition of its own:
/// crmsh looks for `node` inside of `nodes`.
public final class RelaxNg {
  private static final String DEVICE = "[a-zA-Z0-9_.\\-]+";
  private static final String ANYTHING = "anything";

  private final Grammar grammar;
  private final Map<Rule, Integer> places = new EnumMap<>(Rule.class);
  private final Set<Rule> toDefine = EnumSet.noneOf(Rule.class);
  private final Set<Rule> recursive = EnumSet.noneOf(Rule.class);

  private RelaxNg(Grammar grammar) {
    this.grammar = grammar;
  }

  /// The text of a schema file.
  ///
  /// @param schema its name, such as `pacemaker-3.9`
  /// @throws IllegalArgumentException if there is no schema of that name
  public static String of(String schema) {
    return file(new RelaxNg(CibSchema.grammar(schema)).write());
  }

  /// The text of the schema file of roles documents, or of role packages.
  public static String of(RolesSchema kind) {
    return file(new RelaxNg(kind.grammar()).write());
  }

  /// The text of `versions.rng`, by which programs learn which schemas there are: the attributes of a
  /// CIB that name its schema and its version.
  public static String ofVersions() {
    var names = new ArrayList<>(List.of("none"));
    names.addAll(CibSchemas.names());
    var version =
        Stream.of("admin_epoch", "epoch", "num_updates")
            .map(it -> named("attribute", it, data("nonNegativeInteger")));
    var attributes =
        Stream.concat(Stream.of(named("attribute", "validate-with", oneOf(names))), version);
    var start = of("start", List.of(of("group", attributes.toList())));
    return file(grammar(List.of(start)));
  }

  private static String file(Element grammar) {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + XmlWriter.pretty(grammar);
  }

  private Element write() {
    count(grammar.start(), EnumSet.noneOf(Rule.class));
    var parts = new ArrayList<Element>();
    parts.add(of("start", List.of(element(grammar.start()))));
    var defined = EnumSet.noneOf(Rule.class);
    while (!defined.containsAll(toDefine)) {
      for (var rule : List.copyOf(toDefine)) {
        if (defined.add(rule)) {
          parts.add(named("define", name(rule), element(rule)));
        }
      }
    }
    parts.add(anything());
    return grammar(parts);
  }

  private static Element grammar(List<Element> parts) {
    return of("grammar", parts)
        .with("xmlns", "http://relaxng.org/ns/structure/1.0")
        .with("datatypeLibrary", "http://www.w3.org/2001/XMLSchema-datatypes");
  }

  /// Finds out in how many places each element may stand.
  private void count(Rule rule, Set<Rule> outside) {
    if (outside.contains(rule)) {
      recursive.add(rule);
    }
    if (places.merge(rule, 1, Integer::sum) == 1) {
      var within = EnumSet.copyOf(outside);
      within.add(rule);
      for (var child : children(grammar.content(rule), new ArrayList<>())) {
        count(child, within);
      }
    }
  }

  private static List<Rule> children(Pattern pattern, List<Rule> found) {
    switch (pattern) {
      case Child child -> found.add(child.rule());
      case Choice choice -> children(choice.other(), children(choice.one(), found));
      case Sequence sequence -> children(sequence.then(), children(sequence.first(), found));
      case Mixture mixture -> children(mixture.other(), children(mixture.one(), found));
      case Repeated repeated -> children(repeated.of, found);
      case Attribute _, Nothing _ -> {}
    }
    return found;
  }

  private static Element of(String kind, List<Element> parts) {
    return Element.of(kind).withChildren(parts);
  }

  private static String name(Rule rule) {
    return rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Element named(String kind, String name, Element... parts) {
    return of(kind, List.of(parts)).with("name", name);
  }

  private Element element(Rule rule) {
    if (rule == Rule.STATUS) {
      return named("element", rule.element(), anythingRef());
    }
    var content = new ArrayList<Element>();
    parts(grammar.content(rule), content);
    if (rule.holdsText()) {
      content.add(Element.of("text"));
    } else if (content.isEmpty()) {
      content.add(Element.of("empty"));
    }
    return of("element", content).with("name", rule.element());
  }

  private static Element anything() {
    var any = Element.of("anyName");
    var attribute = of("attribute", List.of(any, Element.of("text")));
    var element = of("element", List.of(any, anythingRef()));
    var one = of("choice", List.of(Element.of("text"), attribute, element));
    return named("define", ANYTHING, of("zeroOrMore", List.of(one)));
  }

  private static Element anythingRef() {
    return Element.of("ref").with("name", ANYTHING);
  }

  /// What stands one after the other.
  private void parts(Pattern pattern, List<Element> into) {
    if (pattern instanceof Sequence sequence) {
      parts(sequence.first(), into);
      parts(sequence.then(), into);
    } else if (pattern != Pattern.EMPTY) {
      into.add(one(pattern));
    }
  }

  private Element one(Pattern pattern) {
    return switch (pattern) {
      case Attribute attribute ->
          of("attribute", List.of(value(attribute.type()))).with("name", attribute.name());
      case Child child -> child(child.rule());
      case Choice choice -> choice(choice);
      case Mixture mixture -> of("interleave", mixed(mixture, new ArrayList<>()));
      case Repeated repeated -> around("oneOrMore", repeated.of);
      case Sequence _ -> around("group", pattern);
      case Nothing nothing -> Element.of(nothing.mayEnd() ? "empty" : "notAllowed");
    };
  }

  private Element child(Rule rule) {
    if (places.getOrDefault(rule, 0) == 1 && !recursive.contains(rule)) {
      return element(rule);
    }
    toDefine.add(rule);
    return Element.of("ref").with("name", name(rule));
  }

  private Element around(String kind, Pattern pattern) {
    var content = new ArrayList<Element>();
    parts(pattern, content);
    return of(kind, content);
  }

  private List<Element> mixed(Pattern pattern, List<Element> into) {
    if (pattern instanceof Mixture mixture) {
      return mixed(mixture.other(), mixed(mixture.one(), into));
    }
    into.add(one(pattern));
    return into;
  }

  private Element choice(Choice choice) {
    var choices = new ArrayList<Pattern>();
    flatten(choice, choices);
    var optional = choices.remove(Pattern.EMPTY);
    if (optional && choices.size() == 1) {
      return choices.getFirst() instanceof Repeated repeated
          ? around("zeroOrMore", repeated.of)
          : around("optional", choices.getFirst());
    }
    var all = of("choice", choices.stream().map(this::one).toList());
    return optional ? of("optional", List.of(all)) : all;
  }

  private static void flatten(Pattern pattern, List<Pattern> into) {
    if (pattern instanceof Choice choice) {
      flatten(choice.one(), into);
      flatten(choice.other(), into);
    } else {
      into.add(pattern);
    }
  }

  private static Element value(ValueType type) {
    return switch (type) {
      case OneOf of -> oneOf(of.words());
      case Exactly exactly -> text(exactly.text());
      case NoneOf not ->
          data("string")
              .withChildren(
                  List.of(

                      of(
                          "except",
                          not.words().size() == 1
                              ? List.of(word(not.words().getFirst()))
                              : List.of(oneOf(not.words())))));
      case Plain plain -> plain(plain);
    };
  }

  private static Element plain(Plain plain) {
    return switch (plain) {
      case TEXT -> Element.of("text");
      case ID -> data("ID");
      case IDREF -> data("IDREF");
      case BOOLEAN -> data("boolean");
      case INTEGER -> data("integer");
      case NOT_NEGATIVE -> data("nonNegativeInteger");
      case POSITIVE -> data("positiveInteger");
      case LEVEL -> data("positiveInteger").withChildren(List.of(limit("maxInclusive", "9")));
      case SCORE ->
          of(
              "choice",
              List.of(data("integer"), word("INFINITY"), word("+INFINITY"), word("-INFINITY")));
      case DEVICES -> matching(DEVICE + "(," + DEVICE + ")*");
      case PORTS -> matching("[0-9\\-]+");
    };
  }

  private static Element data(String type) {
    return Element.of("data").with("type", type);
  }

  private static Element limit(String name, String value) {
    return Element.of("param").with("name", name).withText(value);
  }

  private static Element matching(String pattern) {
    return data("string").withChildren(List.of(limit("pattern", pattern)));
  }

  private static Element oneOf(List<String> words) {
    return words.size() == 1
        ? word(words.getFirst())
        : of("choice", words.stream().map(RelaxNg::word).toList());
  }

  /// White space around it does not count.
  private static Element word(String word) {
    return Element.of("value").withText(word);
  }

  private static Element text(String text) {
    return Element.of("value").with("type", "string").withText(text);
  }
}
