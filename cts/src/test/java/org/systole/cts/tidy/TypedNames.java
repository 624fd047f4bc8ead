package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A node's name and id and a resource's id are types: a text may be empty, or hold what no name
/// can. Parameters, fields, variables, record components and the keys of maps are looked at, by what
/// they are called.
final class TypedNames {
  private static final List<String> WHERE =
      List.of(
          "common/", "cibd/", "fenced/", "execd/", "attrd/", "schedulerd/", "roles/",
          "controld/", "pacemakerd/", "hostha/", "tools/");

  private static final String ONE =
      "(?:node|host|target|peer|member|resource|rsc)(?:Name|Id)?|uname";

  private static final Pattern AS_TEXT = Pattern.compile("\\bString (" + ONE + ") *(?:[,;)=]|$)");

  /// What a map is called whose keys are names or ids.
  private static final String KEYED =
      "(?:nodes|hosts|targets|peers|members|resources)(?:(?:By|Of|On)\\w*)?"
          + "|(?:node|host|peer|member|resource)By(?:Name|Id)"
          + "|\\w*(?:[bB]y|[oO]f|[oO]n)(?:Node|Host|Target|Peer|Member|Resource|Rsc)(?:Name|Id)?s?";

  private static final Pattern AS_KEY =
      Pattern.compile(
          "(?<!, )Map<String,.*>\\s+(" + KEYED + ")\\b|\\bvar (" + KEYED + ") = new \\w*Map<String,");

  /// Where they are texts, and why.
  static final Map<String, String> TEXTS = texts();

  private TypedNames() {}

  private static Map<String, String> texts() {
    var all = new TreeMap<String, String>();
    because(
        all,
        "the machine's name, known before the cluster's",
        List.of("LogSettings", "LogLine", "SystemLog"));
    because(
        all,
        "empty for all: a message that lacks it must not be one for all",
        List.of(
            "FencePeerMessage", "FenceService", "Fencer", "History", "CtlMessage",
            "CommandServer", "WorkWiring", "ExecMessage", "Executor"));
    because(all, "or a pattern that names are held to", List.of("FenceMessage"));
    because(all, "what the library calls a member", List.of("JGroupsChannel"));
    because(all, "a plan has keys of more than agents' operations", List.of("OperationKey"));
    scheduler(all);
    commands(all);
    return all;
  }

  /// The scheduler plans for any CIB, its own cluster's or a file: a name that can be none has to be
  /// found again where else it stands, and to be shown.
  private static void scheduler(Map<String, String> all) {
    because(
        all,
        "as the CIB has it, which may be anybody's",
        List.of(
            "Action", "HistoryIndex", "WorkingSet", "LocationReader", "Migrations", "Failures"));
    because(
        all,
        "shown as the CIB has it",
        List.of(
            "Answer", "Explanation", "ExplanationView", "ScoreLine", "OperationsView", "DotGraph"));
    because(all, "a path, or a port, in a container", List.of("Bundle"));
    because(all, "the word `host`: whose attribute counts", List.of("NodeAttributes", "Places"));
    because(all, "of a CIB it makes up", List.of("WarmUp"));
  }

  private static void commands(Map<String, String> all) {
    because(
        all,
        "what the user typed, before it is looked up or sent",
        List.of(
            "AttrdUpdater", "CrmAttribute", "CrmFailcount", "CrmStandby", "Cibadmin",
            "StonithAdmin", "FencerView", "ResourceOptions", "ResourceListings", "ResourceMoves",
            "ResourceRestart", "ResourceParameters", "ResourceContext", "ResourceCleanup",
            "Crmadmin"));
    because(
        all,
        "as the CIB has it, which may be a file",
        List.of("CibAttributes", "ResourceDigests", "ResourceReasons"));
    because(all, "a field of a Java class", List.of("KnownOption"));
    because(all, "of a cluster that is made up for training", List.of("LinkTraining"));
  }

  private static void because(Map<String, String> all, String why, List<String> types) {
    types.forEach(it -> all.put(it, why));
  }

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    var unneeded = new TreeSet<>(TEXTS.keySet());
    for (var file : files) {
      if (WHERE.stream().anyMatch(file.path()::startsWith)) {
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
      for (var pattern : List.of(AS_TEXT, AS_KEY)) {
        var match = pattern.matcher(line);
        if (!match.find()) {
          continue;
        }
        unneeded.remove(file.type());
        if (!TEXTS.containsKey(file.type())) {
          var name = match.group(1) == null ? match.group(2) : match.group(1);
          var text = "%s:%d: a NodeName, NodeId or ResourceId; text goes through its of()";
          into.add(
              new Problem(
                  "name", file.type() + " " + name, 1, text.formatted(file.path(), at)));
        }
      }
    }
  }
}
