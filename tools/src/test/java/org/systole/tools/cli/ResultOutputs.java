package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.results.ResultCheck;

/// Holds what commands print in tests to the table from which the schemas of results are made.
public final class ResultOutputs {
  private static final String BEGIN = "<pacemaker-result";
  private static final String END = "</pacemaker-result>";

  private ResultOutputs() {}

  /// What is no result, or only a part of one, is left alone.
  public static void check(String output) {
    assertEquals(List.of(), faults(output), output);
  }

  public static List<String> faults(String output) {
    var from = output.indexOf(BEGIN);
    var to = output.lastIndexOf(END);
    if (from < 0 || to < from) {
      return List.of();
    }
    try {
      return ResultCheck.faults(XmlReader.parse(output.substring(from, to + END.length())));
    } catch (XmlException e) {
      return List.of("no XML: " + e.getMessage());
    }
  }
}
