package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A node's name and a resource's id are types in the daemons and what they share: a text may be
/// empty, or hold what no name can. Parameters, fields and record components are looked at.
final class TypedNames {
  private static final List<String> WHERE =
      List.of(
          "common/", "cibd/", "fenced/", "execd/", "attrd/", "schedulerd/", "controld/",
          "pacemakerd/");

  private static final Pattern AS_TEXT =
      Pattern.compile(
          "\\bString (node|nodeName|target|host|uname|resource|resourceId|rsc) *(?:[,;)=]|$)");

  /// Where they are texts, and why.
  static final Map<String, String> TEXTS =
      Map.ofEntries(
          Map.entry("OperationKey", "a plan's keys are of more than operations of agents"),
          Map.entry("GraphAction", "as the plan has it, an id in the CIB"),
          Map.entry("GraphRun", "as the plan has it"),
          Map.entry("LogSettings", "the machine's, known before the cluster's"),
          Map.entry("LogLine", "the machine's"),
          Map.entry("SystemLog", "the machine's"),
          Map.entry("FenceMessage", "empty for all nodes, or a pattern of a topology level"),
          Map.entry("FencePeerMessage", "empty for all nodes"),
          Map.entry("FenceService", "empty for all nodes"),
          Map.entry("Fencer", "empty for all nodes"),
          Map.entry("History", "empty for all nodes"),
          Map.entry("Topology", "matched by a pattern"),
          Map.entry("ExecMessage", "empty for all resources"),
          Map.entry("Executor", "empty for all resources"),
          Map.entry("AttrOutbox", "null and empty differ there"),
          Map.entry("CibChange", "the id of a node's state in the CIB; a remote node's is its name"),
          Map.entry("Admissions", "compared with ids in the CIB"),
          Map.entry("CtlMessage", "empty for this node, all nodes or all resources"),
          Map.entry("CommandServer", "from a request, before it is looked up"),
          Map.entry("WorkWiring", "empty for all resources"),
          Map.entry("JGroupsChannel", "what the library calls a member"));

  private TypedNames() {}

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    var unneeded = new TreeSet<>(TEXTS.keySet());
    for (var file : files) {
      if (WHERE.stream().anyMatch(file.path()::startsWith)
          && !file.packageName().startsWith("org.systole.scheduler")) {
        look(file, found, unneeded);
      }
    }
    unneeded.forEach(
        type ->
            found.add(
                new Problem("name", type, 1, "TypedNames: strike " + type + ", it has none")));
    return found;
  }

  private static void look(SourceFile file, List<Problem> into, TreeSet<String> unneeded) {
    var at = 0;
    for (var line : file.lines()) {
      at++;
      var match = AS_TEXT.matcher(line);
      if (!match.find()) {
        continue;
      }
      unneeded.remove(file.type());
      if (!TEXTS.containsKey(file.type())) {
        var text = "%s:%d: a NodeName or a ResourceId; text goes through its of()";
        into.add(
            new Problem(
                "name", file.type() + " " + match.group(1), 1, text.formatted(file.path(), at)));
      }
    }
  }
}
