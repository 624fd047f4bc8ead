package org.systole.common.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

final class SchemaFileTest {
  @Test
  void allThatIsReferredToIsDefinedOnceInEverySchema() throws XmlException {
    for (var schema : CibSchemas.names()) {
      var defined = new TreeSet<String>();
      var referred = new TreeSet<String>();
      visit(
          XmlReader.parse(SchemaFile.of(schema)),
          element -> {
            if (element.is("define")) {
              assertTrue(defined.add(element.get("name", "")), schema);
            } else if (element.is("ref")) {
              referred.add(element.get("name", ""));
            }
          });
      assertEquals(defined, referred, schema);
    }
  }

  @Test
  void aSchemaHasWhatItsVersionHas() {
    assertTrue(SchemaFile.of("pacemaker-4.0").contains("<element name=\"alert\">"));
    assertFalse(SchemaFile.of("pacemaker-2.4").contains("<element name=\"alert\">"));
    assertTrue(SchemaFile.of("pacemaker-3.10").contains("<element name=\"master\">"));
    assertFalse(SchemaFile.of("pacemaker-4.0").contains("<element name=\"master\">"));
  }

  @Test
  void anOptionalAttributeIsWrittenAsOne() {
    assertTrue(
        SchemaFile.of("pacemaker-4.0")
            .contains(
                """
                <optional>
                          <attribute name="have-quorum">
                            <data type="boolean"/>
                          </attribute>
                        </optional>
                """),
        SchemaFile.of("pacemaker-4.0").substring(0, 2000));
  }

  @Test
  void theSchemaOfResultsHasTheirFrame() throws XmlException {
    var root = XmlReader.parse(SchemaFile.ofResults());
    assertTrue(root.is("grammar"));
  }

  private static void visit(Element element, Consumer<Element> with) {
    with.accept(element);
    for (var child : element.children()) {
      visit(child, with);
    }
  }
}
