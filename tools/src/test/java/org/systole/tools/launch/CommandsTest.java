package org.systole.tools.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.tools.cli.Shell;

final class CommandsTest {
  @TempDir private Path directory;

  @Test
  void everyCommandHasALauncherAndEveryLauncherACommand() throws IOException {
    var assemble = Files.readString(Path.of("src/main/dist/assemble"));
    var names = Pattern.compile("for name in ([^;]*);").matcher(assemble);
    assertTrue(names.find());
    var launchers = Arrays.asList(names.group(1).replace("\\\n", " ").trim().split("\\s+"));
    var commands = new TreeSet<>(Commands.NAMES);
    commands.add("crm_master");
    assertEquals(commands, new TreeSet<>(launchers));
  }

  @Test
  void aCommandOfEachNameIsCalledByThatName() {
    for (var name : Commands.NAMES) {
      var command = Commands.named(name);
      if (command == null) {
        throw new AssertionError(name + " is not made");
      }
      var refused = new Shell(directory).run(command, "--no-such-option");
      assertTrue(refused.err().startsWith(name + ": "), refused.err());
    }
    assertNull(Commands.named("no_such"));
  }

  @Test
  void anyCommandWritesToTheTerminalItWasGiven() {
    for (var name : Commands.NAMES) {
      var result =
          new Shell(directory).runOn(terminal -> Main.command(name, terminal, "--version"));
      assertTrue(result.out().startsWith("Pacemaker "), name + ": " + result);
    }
  }
}
