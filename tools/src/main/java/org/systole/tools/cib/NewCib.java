package org.systole.tools.cib;

import java.nio.file.Files;
import java.nio.file.Path;
import org.systole.common.cib.CibSections;
import org.systole.common.layout.Layout;
import org.systole.common.schema.CibSchemas;
import org.systole.common.xml.Element;
import org.systole.tools.cli.Terminal;

/// Configurations with nothing in them.
final class NewCib {
  /// The variable that says where the schema files are.
  static final String DIRECTORY = "PCMK_schema_directory";

  private NewCib() {}

  /// @param epoch its epoch
  /// @param schema for which it is written; an empty text: see [#schema]
  static Element of(Terminal terminal, int epoch, String schema) {
    var name = schema.isEmpty() ? schema(terminal) : schema;
    return CibSections.emptyCib(epoch, name).with("validate-with", name);
  }

  /// The newest schema there is a file of: there may be programs on this machine that read the
  /// files and know none that is newer. The newest of all where there are no files.
  static String schema(Terminal terminal) {
    var root = terminal.variable(Layout.ROOT, "/");
    var directory = Path.of(terminal.variable(DIRECTORY, root + "/usr/share/pacemaker"));
    for (var name : CibSchemas.names().reversed()) {
      if (Files.isReadable(directory.resolve(name + ".rng"))) {
        return name;
      }
    }
    return CibSchemas.LATEST;
  }
}
