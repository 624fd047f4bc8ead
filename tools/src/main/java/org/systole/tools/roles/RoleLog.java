package org.systole.tools.roles;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.List;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.roles.model.NodeRoleId;
import org.systole.roles.model.RolesDocument;
import org.systole.roles.view.LiveRoles;
import org.systole.tools.cli.CommandException;
import org.systole.tools.cli.Terminal;
import org.systole.tools.cli.UnreadFile;

/// What this node's log has of a noderole.
final class RoleLog {
  private static final int LINES_MAX = 200;

  private RoleLog() {}

  /// The last lines that name it, oldest first.
  ///
  /// @throws CommandException if there is no such noderole, or no log that can be read
  static List<String> lines(Terminal terminal, RolesDocument document, NodeRoleId id)
      throws CommandException {
    if (new LiveRoles(document).get(id) == null) {
      throw new CommandException(ExitStatus.NOSUCH, "there is no committed noderole " + id + ": crm_role --graph shows all");
    }
    var file = Layout.of(terminal.environment()).log().resolve("pacemaker.log");
    var found = new ArrayDeque<String>();
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    try (var in = new BufferedReader(new InputStreamReader(Files.newInputStream(file), decoder))) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        if (names(line, id.toString())) {
          found.add(line);
          if (found.size() > LINES_MAX) {
            found.remove();
          }
        }
      }
    } catch (IOException e) {
      throw UnreadFile.of("the log " + file, file, e);
    }
    if (found.isEmpty()) {
      throw new CommandException(
          ExitStatus.NOSUCH,
          "the log of this node has nothing of " + id + ": ask on node " + id.node());
    }
    return List.copyOf(found);
  }

  /// Whether the name stands there as a whole word.
  private static boolean names(String line, String name) {
    for (var at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
      var end = at + name.length();
      if ((at == 0 || !isOfName(line.charAt(at - 1)))
          && (end == line.length() || !isOfName(line.charAt(end)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfName(char c) {
    return Character.isLetterOrDigit(c) || c == '-' || c == '_' || c == '.' || c == '@';
  }
}
