package org.systole.common.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

class RelaxNgTest {
  private static final Path CHECKER = Path.of("/usr/bin/xmllint");
  private static final int PATIENCE_S = 120;

  private static Element grammar(String schema) throws XmlException {
    return XmlReader.parse(RelaxNg.of(schema));
  }

  private static void collect(Element from, String kind, List<Element> into) {
    if (from.name().equals(kind)) {
      into.add(from);
    }
    for (var child : from.children()) {
      collect(child, kind, into);
    }
  }

  private static List<Element> all(Element from, String kind) {
    var found = new ArrayList<Element>();
    collect(from, kind, found);
    return found;
  }

  private static boolean isAttribute(Element element) {
    return element.name().equals("attribute");
  }

  private static Set<String> names(List<Element> elements) {
    var names = new TreeSet<String>();
    for (var element : elements) {
      if (element.get("name") != null) {
        names.add(element.get("name"));
      }
    }
    return names;
  }

  private static Element first(Element from, String element) {
    return all(from, "element").stream()
        .filter(e -> element.equals(e.get("name")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void whatIsReferredToIsDefinedAndWhatIsDefinedIsReferredTo() throws XmlException {
    for (var schema : CibSchemas.names()) {
      var grammar = grammar(schema);
      assertEquals(names(all(grammar, "ref")), names(all(grammar, "define")), schema);
      assertEquals(1, all(grammar, "start").size(), schema);
    }
  }

  @Test
  void aSchemaHasTheElementsOfItsVersion() throws XmlException {
    assertTrue(names(all(grammar("pacemaker-3.9"), "element")).contains("master"));
    assertFalse(names(all(grammar("pacemaker-4.0"), "element")).contains("master"));
    assertTrue(names(all(grammar("pacemaker-4.0"), "element")).contains("podman"));
    assertFalse(names(all(grammar("pacemaker-3.1"), "element")).contains("podman"));
  }

  @Test
  void anElementWithOnePlaceStandsThereAndOptionalAttributesAreMarked() throws XmlException {
    var node = first(first(grammar("pacemaker-3.9"), "nodes"), "node");
    var optional = new TreeSet<String>();
    for (var part : all(node, "optional")) {
      optional.addAll(names(part.children().stream().filter(RelaxNgTest::isAttribute).toList()));
    }
    assertEquals(Set.of("description", "score", "type"), optional);
    assertTrue(names(all(node, "attribute")).contains("uname"));
  }

  @Test
  void theSchemasThereAreAreTheWordsOfOneAttribute() throws XmlException {
    var grammar = XmlReader.parse(RelaxNg.ofVersions());
    var attributes = all(grammar, "attribute");
    assertEquals(
        Set.of("validate-with", "admin_epoch", "epoch", "num_updates"), names(attributes));
    var words = all(attributes.getFirst(), "value").stream().map(Element::text).toList();
    assertEquals("none", words.getFirst());
    assertEquals(CibSchemas.names(), words.subList(1, words.size()));
  }

  /// The files accept and refuse just what the built-in check does.
  @Test
  void anotherCheckerComesToTheSameResult(@TempDir Path directory) throws Exception {
    assumeTrue(Files.isExecutable(CHECKER), CHECKER + " is not installed");
    var documents = Documents.all();
    var files = new ArrayList<String>();
    for (var document : documents) {
      var file = directory.resolve("cib-" + files.size() + ".xml");
      Files.writeString(file, XmlWriter.pretty(document.cib()));
      files.add(file.toString());
    }
    var wrong = new ArrayList<String>();
    for (var schema : CibSchemas.names()) {
      var answer = check(directory, schema, RelaxNg.of(schema), files);
      for (var at = 0; at < files.size(); at++) {
        var accepted = answer.contains(files.get(at) + " validates");
        var refused = answer.contains(files.get(at) + " fails to validate");
        var document = documents.get(at);
        if (accepted == refused || accepted != document.isFor(schema)) {
          wrong.add(schema + ", " + document.reason() + ": " + document.xml());
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  private static String check(Path directory, String name, String text, List<String> files)
      throws IOException, InterruptedException {
    var grammar = Files.writeString(directory.resolve(name + ".rng"), text);
    var said = directory.resolve("said");
    var words = new ArrayList<>(List.of(CHECKER.toString(), "--noout", "--relaxng"));
    words.add(grammar.toString());
    words.addAll(files);
    var program =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertTrue(program.waitFor(PATIENCE_S, TimeUnit.SECONDS), "the checker hangs");
    return Files.readString(said, StandardCharsets.UTF_8);
  }
}
