package org.systole.tools.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.xml.XmlReader;

class ResultSchemasTest {
  private static final String NODE =
      "<node name='a' id='1' online='%s' standby='false' standby_onfail='false' maintenance='false'"
          + " pending='false' unclean='false' health='green' shutdown='false' expected_up='true'"
          + " is_dc='true' resources_running='0' type='member'/>";

  @TempDir private Path directory;

  private static String result(String inside) {
    return "<pacemaker-result api-version='2.42' request='crm_mon'>%s</pacemaker-result>\n"
        .formatted(inside);
  }

  @Test
  void anotherCheckerTakesWhatTheTableSaysAndWhatALaterVersionAdds() throws Exception {
    assumeTrue(Checker.isThere(), Checker.WHY_NOT);
    var status = "<status code='0' message='OK'/>";
    var nodes = "<nodes>" + NODE + "</nodes>" + status;
    var cases = new LinkedHashMap<String, Boolean>();
    cases.put(result(status), true);
    cases.put(result(nodes.formatted("true")), true);
    cases.put(result(nodes.formatted("true").replace("health=", "mood='fine' health=")), true);
    cases.put(result("<horoscope><stars/></horoscope>" + status), true);
    cases.put(result("<status code='1' message='x'><errors><error>e</error></errors></status>"), true);
    cases.put(result(nodes.formatted("maybe")), false);
    cases.put(result(nodes.formatted("true").replace("name='a'", "")), false);
    cases.put(result("<nodes/>"), false);
    cases.put(result("<status code='-1' message='x'/>"), false);
    cases.put("<cib/>\n", false);
    var checker = new Checker(directory);
    for (var it : cases.entrySet()) {
      var file = Files.writeString(directory.resolve("result.xml"), it.getKey());
      assertEquals(it.getValue(), checker.refused(List.of(file)).isEmpty(), it.getKey());
    }
  }

  @Test
  void theTableIsKeptToTheLetterWithUs() throws Exception {
    var strange = result("<nodes>" + NODE.formatted("perhaps") + "<moon/></nodes><stars/>");
    assertEquals(
        List.of(
            "crm_mon/nodes/node has online=perhaps", "crm_mon/nodes has moon", "crm_mon has stars"),
        ResultCheck.faults(XmlReader.parse(strange)));
  }

  @Test
  void eachCommandHasAFileThatTheFrameRefersTo() {
    var files = ResultSchemas.files();
    var frame = files.get("api-result.rng");
    for (var name : files.keySet()) {
      assertTrue(name.equals("api-result.rng") || frame.contains("href=\"" + name + "\""), name);
    }
    assertTrue(files.keySet().containsAll(Map.of("crm_mon-2.42.rng", 1).keySet()));
  }
}
