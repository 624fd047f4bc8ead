package org.systole.common.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.systole.common.cib.CibValidation;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

class CibSchemaTest {
  private static final String HEAD =
      "<cib admin_epoch='0' epoch='1' num_updates='0' validate-with='pacemaker-3.9'>\n"
          + "<configuration><crm_config/><nodes/>\n<resources>\n";
  private static final String TAIL = "</resources><constraints/></configuration></cib>";

  private static List<String> problems(String resources) throws XmlException {
    return CibValidation.problems((HEAD + resources + TAIL).getBytes(StandardCharsets.UTF_8));
  }

  private static List<String> messages(List<SchemaFault> faults) {
    return faults.stream().map(SchemaFault::message).toList();
  }

  @Test
  void everyVersionAcceptsWhatItShouldAndNothingElse() {
    var wrong = new ArrayList<String>();
    for (var document : Documents.all()) {
      for (var schema : CibSchemas.names()) {
        var faults = CibSchema.check(document.cib(), schema);
        if (faults.isEmpty() != document.isFor(schema)) {
          wrong.add(schema + ", " + document.reason() + ": " + messages(faults));
        }
      }
    }
    assertEquals(List.of(), wrong);
  }

  @Test
  void noSchemaAcceptsEverything() {
    assertEquals(List.of(), CibSchema.check(Element.of("nonsense"), "none"));
    var nonsense = Element.of("cib");
    assertThrows(IllegalArgumentException.class, () -> CibSchema.check(nonsense, "pacemaker-1.1"));
  }

  @Test
  void anUnknownAttributeIsNamedWithTheLineAndWhatCouldBeThere() throws XmlException {
    assertEquals(
        List.of("line 4: <primitive id=\"p\">: there is no attribute color; possible: description"),
        problems("<primitive id='p' class='lsb' type='T' color='red'/>"));
  }

  @Test
  void aValueThatIsNotAcceptedIsNamedWithThoseThatAre() throws XmlException {
    assertEquals(
        List.of(
            "line 5: <op id=\"o\">: role=\"Boss\": expected Stopped, Started, Slave, Master,"
                + " Promoted, Unpromoted"),
        problems(
            "<primitive id='p' class='lsb' type='T'><operations>\n"
                + "<op id='o' name='monitor' interval='1' role='Boss'/></operations></primitive>"));
  }

  @Test
  void whatIsMissingIsNamed() throws XmlException {
    assertEquals(
        List.of("line 4: <primitive id=\"p\">: lacks class and type or template"),
        problems("<primitive id='p'/>"));
    assertEquals(
        List.of("line 4: <clone id=\"c\">: lacks <primitive> or <group>"),
        problems("<clone id='c'/>"));
  }

  @Test
  void aChildInTheWrongPlaceIsNamedWithItsParent() throws XmlException {
    assertEquals(
        List.of(
            "line 5: <op id=\"o\">: must not be in <primitive id=\"p\">; expected"
                + " <meta_attributes>, <instance_attributes>, <utilization>, <operations>"),
        problems(
            "<primitive id='p' class='lsb' type='T'>\n"
                + "<op id='o' name='monitor' interval='1'/></primitive>"));
  }

  @Test
  void theSecondOfTwoEqualIdsIsNamedWithTheLineOfTheFirst() throws XmlException {
    assertEquals(
        List.of("line 5: <group id=\"p\">: its id is also that of another <primitive> (line 4)"),
        problems(
            "<primitive id='p' class='lsb' type='T'/>\n"
                + "<group id='p'><primitive id='q' class='lsb' type='T'/></group>"));
  }

  @Test
  void allFaultsAreReportedUpToALimit() throws XmlException {
    assertEquals(2, problems("<clone id='c'/><clone id='d'/>").size());
    assertEquals(20, problems("<clone id='c'/>".repeat(100)).size());
  }

  @Test
  void aCibWithoutAKnownSchemaIsNoValidOne() throws XmlException {
    assertTrue(CibValidation.problems(Element.of("cib")).getFirst().contains("missing"));
    var unknown = XmlReader.parse("<cib validate-with='pacemaker-1.1'/>");
    assertTrue(CibValidation.problems(unknown).getFirst().contains("unknown"));
  }
}
