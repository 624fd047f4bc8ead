package org.systole.common.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.systole.common.values.Diagnostics;
import org.systole.common.values.IsoTime;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;

class RulesTest {
  private static final RuleContext CONTEXT =
      RuleContext.at(IsoTime.ofEpochSecond(1_600_000_000)) // 2020-09-13 12:26:40, a Sunday
          .withNodeAttributes(Map.of("ram", "16", "site", "East", "os", "9.10"));

  private static Element xml(String text) {
    try {
      return XmlReader.parse(text);
    } catch (XmlException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static RuleResult rule(String conditions) {
    var rule = xml("<rule id='r' boolean-op='or'>" + conditions + "</rule>");
    return new Rules(rule, Diagnostics.NONE).evaluate(rule, CONTEXT, null);
  }

  @Test
  void attributesCompareByTheTypeTheyCallFor() {
    assertEquals(
        RuleResult.SATISFIED,
        rule("<expression id='e' attribute='ram' operation='gt' value='9'/>"));
    assertEquals(
        RuleResult.SATISFIED,
        rule("<expression id='e' attribute='site' operation='eq' value='east'/>"));
    assertEquals(
        RuleResult.UNSATISFIED,
        rule("<expression id='e' attribute='os' operation='lt' type='version' value='9.9'/>"));
    assertEquals(
        RuleResult.UNSATISFIED,
        rule("<expression id='e' attribute='none' operation='lt' value='9'/>"));
  }

  @Test
  void aDateRangeTellsWhenItChanges() {
    var rule =
        xml(
            "<rule id='r'><date_expression id='d' operation='in_range' start='2020-01-01'>"
                + "<duration id='l' years='1'/></date_expression></rule>");
    var next = new NextChange();
    assertEquals(
        RuleResult.SATISFIED, new Rules(rule, Diagnostics.NONE).evaluate(rule, CONTEXT, next));
    var change = next.earliest();
    assertNotNull(change);
    assertEquals("2021-01-01 00:00:01Z", change.toString());
  }

  @Test
  void aDateSpecificationTakesRangesOfWeekdays() {
    assertEquals(
        RuleResult.SATISFIED,
        rule(
            "<date_expression id='d' operation='date_spec'>"
                + "<date_spec id='s' weekdays='6-7' hours='-12'/></date_expression>"));
    assertEquals(
        RuleResult.UNSATISFIED,
        rule(
            "<date_expression id='d' operation='date_spec'>"
                + "<date_spec id='s' weekdays='1-5'/></date_expression>"));
  }

  @Test
  void theBlockWithTheHighestScoreWins() {
    var parent =
        xml(
            "<op><meta_attributes id='low'><nvpair id='1' name='a' value='low'/>"
                + "<nvpair id='2' name='b' value='low'/></meta_attributes>"
                + "<meta_attributes id='high' score='10'><nvpair id='3' name='a' value='high'/>"
                + "</meta_attributes><meta_attributes id='never' score='99'><rule id='r'>"
                + "<expression id='e' attribute='x' operation='defined'/></rule>"
                + "<nvpair id='4' name='a' value='never'/></meta_attributes></op>");
    var into = new LinkedHashMap<String, String>();
    new NameValues(new Rules(parent, Diagnostics.NONE))
        .unpack(parent, "meta_attributes", CONTEXT, into);
    assertEquals(Map.of("a", "high", "b", "low"), into);
  }

  @Test
  void aBlockCanBeNamedByReference() {
    var root =
        xml(
            "<r><p><utilization id-ref='u'/></p><q><utilization id='u'>"
                + "<nvpair id='n' name='cpu' value='2'/></utilization></q></r>");
    var into = new LinkedHashMap<String, String>();
    new NameValues(new Rules(root, Diagnostics.NONE))
        .unpack(root.child(0), "utilization", CONTEXT, into);
    assertEquals(Map.of("cpu", "2"), into);
  }
}
