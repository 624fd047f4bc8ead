package org.systole.cts.tidy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/// The sources of the whole project.
final class Project {
  private Project() {}

  static Path root() {
    var at = Path.of("").toAbsolutePath();
    while (at != null && !Files.exists(at.resolve("cts/pom.xml"))) {
      at = at.getParent();
    }
    if (at == null) {
      throw new IllegalStateException("not inside the project");
    }
    return at;
  }

  /// Everything under `src/main/java` of every module.
  static List<SourceFile> sources() throws IOException {
    var texts = new LinkedHashMap<String, String>();
    for (var path : files("src/main/java", ".java")) {
      texts.put(root().relativize(path).toString(), Files.readString(path));
    }
    return SourceFile.all(texts);
  }

  /// Files of every module under a directory of it, in the order of their paths.
  static List<Path> files(String under, String suffix) throws IOException {
    var found = new ArrayList<Path>();
    try (var modules = Files.list(root())) {
      for (var module : modules.sorted().toList()) {
        var directory = module.resolve(under);
        if (Files.isDirectory(directory)) {
          try (var files = Files.walk(directory)) {
            files.filter(it -> it.toString().endsWith(suffix)).sorted().forEach(found::add);
          }
        }
      }
    }
    return found;
  }
}
