package org.systole.scheduler.corpus;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The reference corpus: inputs with the results that are expected of them.
final class Corpus {
  private final Path root;
  private final Map<String, String> dates = new LinkedHashMap<>();

  private Corpus(Path root) throws IOException {
    this.root = root;
    if (!Files.exists(root.resolve("args.tsv"))) {
      return;
    }
    for (var line : read(root.resolve("args.tsv")).lines().toList()) {
      var fields = line.split("\t");
      if (fields.length == 2 && fields[1].startsWith("-t ")) {
        dates.put(fields[0], fields[1].substring(3).replace("\"", ""));
      }
    }
  }

  /// The corpus beside this project, null if there is none.
  static @Nullable Corpus find() throws IOException {
    return find("scheduler");
  }

  /// The corpus of that name beside this project, null if there is none.
  static @Nullable Corpus find(String name) throws IOException {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      var root = at.resolve("shared/reference").resolve(name);
      if (Files.isDirectory(root)) {
        return new Corpus(root);
      }
    }
    return null;
  }

  /// The file of an input.
  Path file(String name) {
    return root.resolve("xml").resolve(name + ".xml");
  }

  List<String> names() throws IOException {
    var names = new ArrayList<String>();
    try (var files = Files.list(root.resolve("xml"))) {
      files.forEach(
          file -> {
            var name = file.getFileName().toString();
            if (name.endsWith(".xml")) {
              names.add(name.substring(0, name.length() - 4));
            }
          });
    }
    names.sort(null);
    return names;
  }

  /// The date a case is run at, null for that of its input.
  @Nullable String date(String name) {
    return dates.get(name);
  }

  byte[] input(String name) throws IOException {
    return Files.readAllBytes(root.resolve("xml").resolve(name + ".xml"));
  }

  /// What is expected; empty if nothing is.
  String expected(String kind, String name) throws IOException {
    return read(root.resolve(kind).resolve(name + "." + kind));
  }

  private static String read(Path file) throws IOException {
    return Files.exists(file) ? Files.readString(file) : "";
  }
}
