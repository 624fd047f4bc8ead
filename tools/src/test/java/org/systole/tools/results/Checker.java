package org.systole.tools.results;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The checker of libxml2, by which pcs checks results, too.
public final class Checker {
  public static final String WHY_NOT = "skipped: xmllint is not installed";
  private static final Path PROGRAM = Path.of("/usr/bin/xmllint");
  private static final int PATIENCE_S = 300;

  private final Path schemas;
  private final Path said;

  public Checker(Path directory) throws IOException {
    schemas = Files.createDirectories(directory.resolve("api"));
    said = directory.resolve("said");
    for (var it : ResultSchemas.files().entrySet()) {
      Files.writeString(schemas.resolve(it.getKey()), it.getValue());
    }
  }

  public static boolean isThere() {
    return Files.isExecutable(PROGRAM);
  }

  /// @return those that are not as the schemas say, with what the checker says
  public List<String> refused(List<Path> files) throws IOException, InterruptedException {
    var words = new ArrayList<>(List.of(PROGRAM.toString(), "--noout", "--relaxng"));
    words.add(schemas.resolve("api-result.rng").toString());
    files.forEach(it -> words.add(it.toString()));
    var program =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    assertTrue(program.waitFor(PATIENCE_S, TimeUnit.SECONDS), "the checker hangs");
    var answer = Files.readString(said, StandardCharsets.UTF_8);
    var refused = new ArrayList<String>();
    for (var file : files) {
      if (!answer.contains(file + " validates")) {
        refused.add(file.getFileName() + ": " + answer.substring(0, Math.min(2000, answer.length())));
      }
    }
    return refused;
  }
}
