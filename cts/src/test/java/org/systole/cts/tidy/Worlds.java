package org.systole.cts.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;

/// What holds for the real world and the simulated one alike.
final class Worlds {
  private static final Pattern WAY_IN =
      Pattern.compile("(\\w+)/src/main/java/org/systole/\\1/\\w+Daemon\\.java");
  private static final Pattern EMPTY_DEFAULT = Pattern.compile("\\bdefault\\b.*\\{\\s*\\}");

  private Worlds() {}

  static List<Problem> check(List<SourceFile> files) {
    var found = new ArrayList<Problem>();
    for (var file : files) {
      if (WAY_IN.matcher(file.path()).matches()) {
        wayIn(file, found);
      }
      if (file.path().contains("/org/systole/common/world/")) {
        defaults(file, found);
      }
    }
    return found;
  }

  /// A daemon is started in one way: what differs between the worlds is said by the world and the
  /// environment.
  private static void wayIn(SourceFile file, List<Problem> into) {
    var ways =
        file.methods().stream()
            .filter(it -> it.type().equals(file.type()) && !it.overrides())
            .filter(it -> it.modifiers().contains(Modifier.PUBLIC))
            .map(SourceFile.Method::name)
            .toList();
    if (!ways.equals(List.of("start"))) {
      var text = "%s: the one way in is `start`, not %s".formatted(file.path(), ways);
      into.add(new Problem("way-in", file.type(), 1, text));
    }
  }

  /// A world that forgets something must not compile.
  private static void defaults(SourceFile file, List<Problem> into) {
    var world = file.type().equals("World");
    for (var method : file.methods()) {
      if (world && method.modifiers().contains(Modifier.DEFAULT)) {
        into.add(silent(file, method.name()));
      }
    }
    for (var line : world ? List.<String>of() : file.lines()) {
      if (EMPTY_DEFAULT.matcher(line).find()) {
        into.add(silent(file, line.strip()));
      }
    }
  }

  private static Problem silent(SourceFile file, String what) {
    var text = "%s: '%s' does nothing where a world forgets it".formatted(file.path(), what);
    return new Problem("silent-default", file.type() + " " + what, 1, text);
  }
}
