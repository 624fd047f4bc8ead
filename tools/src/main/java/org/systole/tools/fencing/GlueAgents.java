package org.systole.tools.fencing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.tools.cli.AgentProcess;
import org.systole.tools.cli.Terminal;

/// The fence agents of cluster-glue (`null`, `external/ipmi` and so on). They are plugins of its
/// program `stonith`, which knows them and speaks for them; where that is not installed there are none.
public final class GlueAgents {
  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_./-]*");

  private final Terminal terminal;
  private final Duration timeout;

  public GlueAgents(Terminal terminal, Duration timeout) {
    this.terminal = terminal;
    this.timeout = timeout;
  }

  /// Whether it can be one of them by its name: that of a fence agent of its own begins otherwise.
  public static boolean isName(String type) {
    return !type.startsWith("fence_") && TYPE.matcher(type).matches();
  }

  /// Their names, as `stonith` lists them.
  public List<String> names() {
    var names = new ArrayList<String>();
    var said = run("-L");
    if (said != null) {
      said.lines().map(String::strip).filter(GlueAgents::isName).forEach(names::add);
    }
    return names;
  }

  /// What an agent says of itself; null if there is none of that name or it says nothing that is XML.
  public @Nullable String metadata(String type) {
    var said = isName(type) ? run("-t", type, "-m") : null;
    try {
      return said == null || !XmlReader.parseMetadata(said).is("resource-agent") ? null : said;
    } catch (XmlException e) {
      return null;
    }
  }

  private @Nullable String run(String... arguments) {
    var program = program();
    if (program == null) {
      return null;
    }
    var words = new ArrayList<>(List.of(program.toString()));
    words.addAll(List.of(arguments));
    try {
      var result = AgentProcess.run(words, terminal.environment(), "", timeout);
      return result.timedOut() || result.status() != 0 ? null : result.output();
    } catch (IOException e) {
      return null;
    }
  }

  private @Nullable Path program() {
    var home = Layout.of(terminal.environment()).share().getParent();
    for (var directory : List.of(home == null ? Path.of("/usr") : home, Path.of("/usr"))) {
      var file = directory.resolve("sbin/stonith");
      if (Files.isExecutable(file)) {
        return file;
      }
    }
    return null;
  }
}
