package org.systole.common.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

/// Documents changed at random, and those of the reference's own tests.
class ChangedDocumentsTest {
  private static final int CHANGES = 20_000;

  private final Random random = new Random(11);
  private final List<Element> parts = new ArrayList<>();

  private void collect(Element element) {
    parts.add(element);
    element.children().forEach(this::collect);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private Element changed(Element element) {
    if (element.childCount() > 0 && random.nextInt(4) > 0) {
      var at = random.nextInt(element.childCount());
      return element.replace(at, changed(element.child(at)));
    }
    var other = pick(parts);
    return switch (random.nextInt(6)) {
      case 0 -> other;
      case 1 -> element.plus(other);
      case 2 -> element.childCount() == 0 ? element : element.remove(0);
      case 3 -> element.withName(other.name());
      case 4 ->
          element.attributeCount() == 0
              ? element
              : element.without(element.attributeName(random.nextInt(element.attributeCount())));
      default -> {
        if (other.attributeCount() == 0) {
          yield element;
        }
        var at = random.nextInt(other.attributeCount());
        yield element.with(other.attributeName(at), other.attributeValue(at));
      }
    };
  }

  /// Upgrades rest on this: they look at the first and the last schema of a series only.
  @Test
  void whatASchemaAcceptsTheLaterOnesOfItsSeriesAccept() {
    var documents = Documents.all().stream().map(Documents.Document::cib).toList();
    documents.forEach(this::collect);
    var accepted = 0;
    for (var round = 0; round < CHANGES; round++) {
      var cib = changed(pick(documents));
      var series = ' ';
      var before = false;
      for (var schema : CibSchemas.names()) {
        var number = schema.charAt("pacemaker-".length());
        var valid = CibSchema.check(cib, schema).isEmpty();
        assertTrue(valid || !before || number != series, () -> schema + " refuses " + cib);
        series = number;
        before = valid;
        accepted += valid ? 1 : 0;
      }
    }
    assertTrue(accepted > CHANGES, "only " + accepted + " of the changed documents are accepted");
  }

  /// One change after the other, most of them of what conforms.
  @Test
  void aRepeatedCheckFindsWhatACheckOfTheWholeFinds() {
    var documents = Documents.all().stream().map(Documents.Document::cib).toList();
    documents.forEach(this::collect);
    var repeated = new RepeatedCheck();
    var schema = pick(CibSchemas.names());
    var cib = pick(documents);
    var accepted = 0;
    for (var round = 0; round < CHANGES; round++) {
      if (random.nextInt(40) == 0) {
        schema = pick(CibSchemas.names());
        cib = pick(documents);
      }
      var next = changed(cib);
      var whole = CibSchema.check(next, schema);
      var again = repeated.check(next, schema);
      assertEquals(whole, again, next::toString);
      if (whole.isEmpty()) {
        accepted++;
        cib = next;
      }
    }
    assertTrue(accepted > CHANGES / 10, "only " + accepted + " changes are accepted");
  }

  private static Path recorded() {
    for (var at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      for (var place : List.of("shared", "../shared")) {
        var corpus = at.resolve(place).resolve("reference").normalize();
        if (Files.isDirectory(corpus)) {
          return corpus;
        }
      }
    }
    return Path.of("none");
  }

  @Test
  void theReferencesOwnInputsConformToTheirSchemaOrALaterOne() throws IOException, XmlException {
    var corpus = recorded();
    Assumptions.assumeTrue(Files.isDirectory(corpus), "no recorded inputs beside this project");
    var refused = new ArrayList<String>();
    var count = 0;
    for (var name : List.of("scheduler", "scheduler-mutated")) {
      try (var files = Files.newDirectoryStream(corpus.resolve(name).resolve("xml"), "*.xml")) {
        for (var file : files) {
          count++;
          var cib = XmlReader.parse(Files.readAllBytes(file));
          var named = CibSchemas.names().indexOf(cib.get("validate-with", ""));
          if (named >= 0
              && CibSchemas.names().subList(named, CibSchemas.names().size()).stream()
                  .noneMatch(schema -> CibSchema.check(cib, schema).isEmpty())) {
            refused.add(file.getFileName().toString());
          }
        }
      }
    }
    assertEquals(List.of(), refused);
    assertTrue(count > 1000, "only " + count + " inputs were there");
  }
}
