package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// A module uses what the table in docs/architecture.md says, and its pom names just the modules it
/// uses. Of a daemon, other modules see only the way in and its client.
final class ModuleArrows {
  private static final String ROOT = "org.systole.";
  private static final Pattern ROW = Pattern.compile("\\| (`[^|]*) \\|.*\\| ([^|]*) \\|");
  private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");
  private static final Pattern DEPENDENCY =
      Pattern.compile("<dependency>.*?</dependency>", Pattern.DOTALL);
  private static final Pattern OURS = Pattern.compile("<artifactId>systole-(\\w+)</artifactId>");

  private static final Set<String> DAEMONS =
      Set.of("cibd", "fenced", "execd", "attrd", "controld", "schedulerd", "pacemakerd");

  /// Packages of a name of their own inside a module of another.
  private static final Map<String, String> HOMES = Map.of("scheduler", "schedulerd");

  private static final Pattern OFFERED = Pattern.compile("(client\\..*|[A-Z]\\w*(Daemon|Main))");

  private ModuleArrows() {}

  /// What the packages of each name may use, by the table under "Modules".
  static Map<String, Set<String>> documented(String architecture) {
    var may = new TreeMap<String, Set<String>>();
    var begin = architecture.indexOf("\n## Modules\n");
    var end = architecture.indexOf("\n## ", begin + 1);
    for (var line : architecture.substring(begin, end).split("\n")) {
      var row = ROW.matcher(line);
      if (row.matches()) {
        for (var module : names(row.group(1))) {
          may.put(module, new TreeSet<>(names(row.group(2))));
        }
      }
    }
    return may;
  }

  private static List<String> names(String cell) {
    return NAME.matcher(cell).results().map(it -> it.group(1)).toList();
  }

  static List<Problem> check(List<SourceFile> files, Map<String, Set<String>> documented) {
    var found = new ArrayList<Problem>();
    for (var file : files) {
      var own = root(file);
      var may = documented.get(own);
      if (may == null) {
        found.add(problem(file, own, "docs/architecture.md does not tell what " + own + " may use"));
        continue;
      }
      if (!HOMES.getOrDefault(own, own).equals(file.module())) {
        found.add(problem(file, own, "a package of another module"));
      }
      for (var use : file.uses()) {
        var part = use.substring(ROOT.length());
        if (!may.contains("everything")
            && !isIn(part, own)
            && may.stream().noneMatch(it -> isIn(part, it))) {
          found.add(problem(file, use, own + " may not use " + use));
        }
        if (reachesInside(own, part)) {
          found.add(problem(file, use, use + " is the inside of a daemon: use its client"));
        }
      }
    }
    return found;
  }

  /// The package below `org.systole` that the file is in.
  private static String root(SourceFile file) {
    return file.packageName().replaceFirst("^org\\.systole\\.", "").replaceFirst("\\..*", "");
  }

  private static boolean isIn(String part, String allowed) {
    return part.startsWith(allowed + ".");
  }

  private static boolean reachesInside(String module, String part) {
    var dot = part.indexOf('.');
    var other = dot < 0 ? part : part.substring(0, dot);
    return DAEMONS.contains(other)
        && !other.equals(module)
        && !OFFERED.matcher(part.substring(dot + 1)).matches();
  }

  /// Whether a module's pom names the modules its sources use, and no other.
  static List<Problem> checkPom(String module, String pom, List<SourceFile> files) {
    var home = new TreeMap<String, String>();
    files.forEach(it -> home.put(it.packageName(), it.module()));
    var used = new TreeSet<String>();
    files.stream()
        .filter(it -> it.module().equals(module))
        .forEach(it -> it.usedPackages().forEach(use -> used.add(home.getOrDefault(use, module))));
    used.remove(module);
    var named = new TreeSet<String>();
    DEPENDENCY
        .matcher(pom)
        .results()
        .filter(it -> !it.group().contains("<scope>test</scope>"))
        .forEach(it -> OURS.matcher(it.group()).results().forEach(m -> named.add(m.group(1))));
    return named.equals(used)
        ? List.of()
        : List.of(
            new Problem(
                "pom",
                module,
                1,
                "%s/pom.xml names the modules %s, its sources use %s"
                    .formatted(module, named, used)));
  }

  private static Problem problem(SourceFile file, String what, String text) {
    return new Problem("arrow", file.type() + " " + what, 1, file.path() + ": " + text);
  }
}
