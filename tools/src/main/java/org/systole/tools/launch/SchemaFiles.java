package org.systole.tools.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.systole.common.schema.CibSchemas;
import org.systole.common.schema.RelaxNg;
import org.systole.common.schema.RolesSchema;
import org.systole.tools.results.ResultSchemas;

/// Writes the schemas as files, while the distribution is put together. Systole itself reads none of
/// them; other programs do, at the place where Pacemaker has its own.
final class SchemaFiles {
  private static final int FAILED = 73;

  private SchemaFiles() {}

  /// @param directory where `pacemaker-1.0.rng` and so on go; it must be there
  /// @return an exit status
  static int write(String directory) {
    var to = Path.of(directory);
    try {
      for (var schema : CibSchemas.names()) {
        Files.writeString(to.resolve(schema + ".rng"), RelaxNg.of(schema));
      }
      for (var kind : RolesSchema.values()) {
        Files.writeString(to.resolve(kind.title() + ".rng"), RelaxNg.of(kind));
      }
      Files.writeString(to.resolve("versions.rng"), RelaxNg.ofVersions());
      var results = Files.createDirectories(to.resolve("api"));
      for (var schema : ResultSchemas.files().entrySet()) {
        Files.writeString(results.resolve(schema.getKey()), schema.getValue());
      }
    } catch (IOException e) {
      System.err.println("systole: the schemas cannot be written: " + e);
      return FAILED;
    }
    return 0;
  }
}
