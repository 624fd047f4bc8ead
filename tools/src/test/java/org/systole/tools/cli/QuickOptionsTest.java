package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.systole.common.output.ExitStatus;
import org.systole.tools.cib.CrmSimulate;
import org.systole.tools.launch.Commands;
import org.systole.tools.status.CrmMon;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

final class QuickOptionsTest {
  private static final List<Supplier<Command>> COMMANDS =
      Commands.NAMES.stream().<Supplier<Command>>map(name -> () -> named(name)).toList();

  @TempDir Path home;

  @Test
  void everyOptionIsSetAsTheAnnotationsSay() throws Exception {
    var quick = 0;
    for (var command : COMMANDS) {
      var table = stored(command.get());
      for (var option : new CommandLine(command.get()).getCommandSpec().options()) {
        for (var name : option.names()) {
          for (var value : List.of("", "7", "some thing")) {
            var args = value.isEmpty() ? new String[] {name} : new String[] {name, value, "rest"};
            quick += compare(command, table, args);
          }
        }
      }
    }
    assertTrue(quick > 500, quick + " command lines were quick");
  }

  @Test
  void severalOptionsAndWordsBesideThemAreKept() throws Exception {
    Supplier<Command> simulate = CrmSimulate::new;
    var table = stored(simulate.get());
    assertEquals(1, compare(simulate, table, "-VVSx", "file", "-u", "a", "-u", "b", "-G", "g"));
    assertEquals(1, compare(simulate, table, "--run", "one", "--xml-file=x", "--", "-two"));
  }

  @Test
  void helpMistakesAndRepeatedValuesAreLeftToTheCompleteWay() throws Exception {
    var table = stored(new CrmMon());
    for (var args : List.of(new String[] {"--help"}, new String[] {"--", "@file"})) {
      assertNull(QuickOptions.apply(new CrmMon(), table, CommandLines.normalize(table, args)));
    }
  }

  @Test
  void aTableMadeForOtherClassesIsNotUsed() throws IOException {
    assertNotNull(stored(new CrmMon()));
    Files.writeString(home.resolve("lib/tools.jar"), "another version");
    assertNull(OptionTable.stored(Map.of("SYSTOLE_HOME", home.toString()), CrmMon.class));
    assertNull(OptionTable.stored(Map.of(), CrmMon.class));
  }

  @Test
  void aCommandWithFieldsForWordsBesideOptionsIsRefusedWhenTablesAreMade() {
    final class Wordy extends Command {
      @Parameters private List<String> words = new ArrayList<>();

      private Wordy() {
        super("wordy");
      }

      @Override
      protected ExitStatus execute() {
        return words.isEmpty() ? ExitStatus.ERROR : ExitStatus.OK;
      }
    }
    assertThrows(IllegalStateException.class, () -> stored(new Wordy()));
  }

  private static Command named(String name) {
    var command = Commands.named(name);
    if (command == null) {
      throw new AssertionError(name + " is not made");
    }
    return command;
  }

  private OptionTable stored(Command command) throws IOException {
    var jar = home.resolve("lib/tools.jar");
    Files.createDirectories(jar.getParent());
    Files.writeString(jar, "classes");
    OptionTable.store(home.resolve("lib/options"), jar, List.of(command));
    var table = OptionTable.stored(Map.of("SYSTOLE_HOME", home.toString()), command.getClass());
    assertNotNull(table);
    return table;
  }

  /// 1 if the command line went the quick way, with the same result.
  private static int compare(Supplier<Command> command, OptionTable table, String... args)
      throws Exception {
    var complete = command.get();
    var line = new CommandLine(complete);
    line.setOverwrittenOptionsAllowed(true);
    String[] normal;
    try {
      normal = CommandLines.normalize(table, args);
    } catch (CommandException e) {
      return 0;
    }
    var quick = command.get();
    var rest = QuickOptions.apply(quick, table, normal);
    if (rest == null) {
      return 0;
    }
    try {
      line.parseArgs(normal);
    } catch (ParameterException e) {
      throw new AssertionError(String.join(" ", args) + " is refused: " + e.getMessage(), e);
    }
    assertEquals(complete.arguments(), rest, String.join(" ", args));
    quick.arguments().addAll(rest);
    assertEquals(state(complete), state(quick), String.join(" ", args));
    return 1;
  }

  private static Map<String, String> state(Object object) throws IllegalAccessException {
    var values = new TreeMap<String, String>();
    for (Class<?> at = object.getClass(); at != Object.class; at = at.getSuperclass()) {
      for (var field : at.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          var value = field.get(object);
          var mixin = field.isAnnotationPresent(Mixin.class);
          values.put(
              at.getSimpleName() + "." + field.getName(),
              mixin ? state(value).toString() : shown(value));
        }
      }
    }
    return values;
  }

  private static String shown(@Nullable Object value) throws IllegalAccessException {
    return switch (value) {
      case null -> "null";
      case boolean[] many -> Arrays.toString(many);
      case List<?> many -> new ArrayList<>(many).toString();
      case String text -> text;
      default ->
          value.getClass().isRecord()
                  || value.getClass().getName().startsWith("java.")
                  || value instanceof Enum<?>
              ? value.toString()
              : value.getClass().getName();
    };
  }
}
