package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// What comes from outside stands in an XPath as [org.systole.common.cib.CibXPath#literal] writes it.
/// A name with quotes in it, put between quotes, would be read as part of the path, and match what is
/// called otherwise.
final class XPathTexts {
  private static final String COMPARED = "(?:@[\\w:.-]+\\s*(?:!?=|,)|\\bid\\()\\s*";

  /// `@id='%s'`, `"@id='" + id`, `.append("[@id=\"")`: the quote is still open where the text of the
  /// path ends or something is filled in.
  private static final Pattern QUOTED =
      Pattern.compile(COMPARED + "(?:'[^'\"]*(?:\"|%)|\\\\\"[^\"\\\\]*(?:\"|%))");

  /// `@id=%s`, `"@id=" + id`: it has to be a literal that is filled in.
  private static final Pattern BARE = Pattern.compile(COMPARED + "(?:%|\"\\s*(?:[+).,]|$))");

  private static final String LITERAL = "literal(";

  /// How far from such a path, in lines, the literals are made that it gets.
  private static final int NEAR = 6;

  /// Where it is no XPath that is evaluated, or no quote can be, and why.
  static final Map<String, String> PATHS =
      Map.of(
          "CibXPath", "the paths in patches, whose form is Pacemaker's",
          "CibPatch", "reads the paths in patches",
          "SeenCib", "compares the paths in patches",
          "ConstraintUpgrade", "XML ids; CibXPath's package rests on its own");

  private XPathTexts() {}

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    var unneeded = new TreeSet<>(PATHS.keySet());
    for (var file : files) {
      for (var problem : look(file)) {
        unneeded.remove(file.type());
        if (!PATHS.containsKey(file.type())) {
          found.add(problem);
        }
      }
    }
    unneeded.forEach(
        type ->
            found.add(
                new Problem("xpath", type, 1, "XPathTexts: strike " + type + ", it has none")));
    return found;
  }

  private static List<Problem> look(SourceFile file) {
    var found = new ArrayList<Problem>();
    var lines = file.text().split("\n", -1);
    for (var at = 0; at < lines.length; at++) {
      var line = lines[at];
      if (line.strip().startsWith("//")) {
        continue;
      }
      if (QUOTED.matcher(line).find() || BARE.matcher(line).find() && !hasLiteral(lines, at)) {
        var text = "%s:%d: what is filled into an XPath goes through CibXPath.literal";
        found.add(new Problem("xpath", file.type(), 1, text.formatted(file.path(), at + 1)));
      }
    }
    return found;
  }

  private static boolean hasLiteral(String[] lines, int line) {
    var from = Math.max(0, line - NEAR);
    var to = Math.min(lines.length, line + NEAR + 1);
    return List.of(lines).subList(from, to).stream().anyMatch(it -> it.contains(LITERAL));
  }
}
