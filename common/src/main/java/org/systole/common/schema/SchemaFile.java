package org.systole.common.schema;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import org.systole.common.schema.ValueType.Plain;

/// A schema as a file in RELAX NG, for programs that read such files (crmsh, editors). It is written
/// from the grammar the cluster itself checks by, and says the same; dangling references and what is
/// in the status section are for others to judge.
public final class SchemaFile {
  private static final String HEAD =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <grammar xmlns="http://relaxng.org/ns/structure/1.0"
               datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
      """;
  private static final String ANYTHING =
      """
        <define name="anything">
          <zeroOrMore>
            <choice>
              <attribute><anyName/></attribute>
              <text/>
              <element><anyName/><ref name="anything"/></element>
            </choice>
          </zeroOrMore>
        </define>
      """;

  private final CibGrammar grammar;
  private final StringBuilder text = new StringBuilder(HEAD);
  private final EnumSet<Rule> named = EnumSet.noneOf(Rule.class);
  private int depth;

  private SchemaFile(CibGrammar grammar) {
    this.grammar = grammar;
  }

  /// @param schema its name, such as `pacemaker-4.0`
  /// @throws IllegalArgumentException if there is no schema of that name
  public static String of(String schema) {
    return new SchemaFile(CibSchema.grammar(schema)).write();
  }

  /// The schema of the XML results of commands. It holds their frame only: what is inside differs
  /// from command to command, and is not described.
  public static String ofResults() {
    return HEAD
        + """
          <start>
            <element name="pacemaker-result">
              <attribute name="api-version"/>
              <attribute name="request"/>
              <zeroOrMore>
                <element>
                  <anyName><except><name>status</name></except></anyName>
                  <ref name="anything"/>
                </element>
              </zeroOrMore>
              <element name="status">
                <attribute name="code"><data type="nonNegativeInteger"/></attribute>
                <attribute name="message"/>
                <ref name="anything-inside"/>
              </element>
            </element>
          </start>
          <define name="anything-inside">
            <zeroOrMore>
              <element><anyName/><ref name="anything"/></element>
            </zeroOrMore>
          </define>
        """
        + ANYTHING
        + "</grammar>\n";
  }

  private String write() {
    depth = 1;
    open("start");
    ref(Rule.CIB);
    close("start");
    // What is named while an element is written is written after it.
    var written = EnumSet.noneOf(Rule.class);
    while (!written.containsAll(named)) {
      for (var rule : Rule.values()) {
        if (named.contains(rule) && written.add(rule)) {
          define(rule);
        }
      }
    }
    return text.append(ANYTHING).append("</grammar>\n").toString();
  }

  private void define(Rule rule) {
    open("define name=\"" + name(rule) + "\"");
    open("element name=\"" + rule.element() + "\"");
    var content = grammar.content(rule);
    if (rule == Rule.STATUS) {
      line("<ref name=\"anything\"/>");
    } else if (content == Pattern.EMPTY) {
      line("<empty/>");
    } else {
      pattern(content);
    }
    close("element");
    close("define");
  }

  private void ref(Rule rule) {
    named.add(rule);
    line("<ref name=\"" + name(rule) + "\"/>");
  }

  private static String name(Rule rule) {
    return "element-" + rule.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private void pattern(Pattern pattern) {
    switch (pattern) {
      case Pattern.Nothing it -> line(it.mayEnd() ? "<empty/>" : "<notAllowed/>");
      case Pattern.Attribute(var name, var type) -> attribute(name, type);
      case Pattern.Child(var rule) -> ref(rule);
      case Pattern.Choice it -> choice(it);
      case Pattern.Sequence it -> {
        open("group");
        inSequence(it);
        close("group");
      }
      case Pattern.Mixture it -> {
        open("interleave");
        inMixture(it);
        close("interleave");
      }
      case Pattern.Repeated it -> within("oneOrMore", it.of);
    }
  }

  private void within(String element, Pattern pattern) {
    open(element);
    pattern(pattern);
    close(element);
  }

  private void choice(Pattern.Choice choice) {
    if (choice.other() != Pattern.EMPTY) {
      open("choice");
      inChoice(choice);
      close("choice");
    } else if (choice.one() instanceof Pattern.Repeated repeated) {
      within("zeroOrMore", repeated.of);
    } else {
      within("optional", choice.one());
    }
  }

  // Of choices, sequences and mixtures within their like only the parts are of interest.
  private void inChoice(Pattern pattern) {
    if (pattern instanceof Pattern.Choice it && it.other() != Pattern.EMPTY) {
      inChoice(it.one());
      inChoice(it.other());
    } else {
      pattern(pattern);
    }
  }

  private void inSequence(Pattern pattern) {
    if (pattern instanceof Pattern.Sequence it) {
      inSequence(it.first());
      inSequence(it.then());
    } else {
      pattern(pattern);
    }
  }

  private void inMixture(Pattern pattern) {
    if (pattern instanceof Pattern.Mixture it) {
      inMixture(it.one());
      inMixture(it.other());
    } else {
      pattern(pattern);
    }
  }

  private void attribute(String name, ValueType type) {
    if (type == Plain.TEXT) {
      line("<attribute name=\"" + name + "\"><text/></attribute>");
      return;
    }
    open("attribute name=\"" + name + "\"");
    switch (type) {
      case Plain plain -> plain(plain);
      case ValueType.OneOf(var words) -> words(words);
      case ValueType.Exactly(var exact) ->
          line("<value type=\"string\">" + escaped(exact) + "</value>");
      case ValueType.NoneOf(var words) -> {
        open("data type=\"token\"");
        open("except");
        words(words);
        close("except");
        close("data");
      }
    }
    close("attribute");
  }

  private void plain(Plain type) {
    switch (type) {
      case TEXT -> line("<text/>");
      case ID -> line("<data type=\"ID\"/>");
      case IDREF -> line("<data type=\"IDREF\"/>");
      case BOOLEAN -> line("<data type=\"boolean\"/>");
      case INTEGER -> line("<data type=\"integer\"/>");
      case NOT_NEGATIVE -> line("<data type=\"nonNegativeInteger\"/>");
      case POSITIVE -> line("<data type=\"positiveInteger\"/>");
      case LEVEL -> {
        open("data type=\"positiveInteger\"");
        line("<param name=\"maxInclusive\">9</param>");
        close("data");
      }
      case SCORE -> {
        open("choice");
        line("<data type=\"integer\"/>");
        for (var word : List.of("INFINITY", "+INFINITY", "-INFINITY")) {
          line("<value>" + word + "</value>");
        }
        close("choice");
      }
      case DEVICES -> ofForm("([a-zA-Z0-9_.\\-]+)(,[a-zA-Z0-9_.\\-]+)*");
      case PORTS -> ofForm("[0-9\\-]+");
    }
  }

  private void ofForm(String form) {
    open("data type=\"string\"");
    line("<param name=\"pattern\">" + form + "</param>");
    close("data");
  }

  private void words(List<String> words) {
    open("choice");
    for (var word : words) {
      line("<value>" + escaped(word) + "</value>");
    }
    close("choice");
  }

  private static String escaped(String value) {
    return value.replace("&", "&amp;").replace("<", "&lt;");
  }

  private void open(String element) {
    line("<" + element + ">");
    depth++;
  }

  private void close(String element) {
    depth--;
    line("</" + element + ">");
  }

  private void line(String line) {
    text.append("  ".repeat(depth)).append(line).append('\n');
  }
}
