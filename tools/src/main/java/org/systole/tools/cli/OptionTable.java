package org.systole.tools.cli;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The options of a command. Reading them from the annotations takes longer than what most commands
/// do, so the distribution keeps them in files beside the jars, made when it is put together.
public final class OptionTable {
  private static final String HELP = "help";
  private final List<KnownOption> options;
  private final Map<String, KnownOption> byName = new HashMap<>();

  private OptionTable(List<KnownOption> options) {
    this.options = options;
    for (var option : options) {
      for (var name : option.names()) {
        byName.putIfAbsent(name, option);
      }
    }
  }

  @Nullable KnownOption find(String name) {
    return byName.get(name);
  }

  /// The table from a command's annotations. What stands beside options is not in it: it all goes to
  /// [Command#arguments].
  static OptionTable of(CommandSpec spec) {
    return new OptionTable(
        spec.options().stream()
            .map(option -> known(spec.userObject().getClass(), option))
            .toList());
  }

  private static KnownOption known(Class<?> command, OptionSpec option) {
    var target = option.userObject();
    var owner =
        target instanceof Field field
            ? field.getDeclaringClass()
            : target instanceof Method method ? method.getDeclaringClass() : Object.class;
    var member =
        target instanceof Field field
            ? field.getName()
            : target instanceof Method method ? method.getName() + "()" : "";
    var fallback = option.fallbackValue();
    return new KnownOption(
        List.of(option.names()),
        option.arity().min(),
        option.arity().max(),
        option.arity().max() == 0 ? null : fallback,
        owner.getName(),
        member,
        owner.isAssignableFrom(command) ? "" : holder(command, owner),
        option.usageHelp() ? HELP : option.type().getName());
  }

  private static String holder(Class<?> command, Class<?> owner) {
    for (var field : command.getDeclaredFields()) {
      if (field.getType() == owner && field.isAnnotationPresent(Mixin.class)) {
        return field.getName();
      }
    }
    return "?";
  }

  /// The table made for a command when the distribution was put together.
  ///
  /// @return null if there is none, or it was made for another version
  static @Nullable OptionTable stored(Map<String, String> environment, Class<?> command) {
    var home = environment.get("SYSTOLE_HOME");
    if (home == null) {
      return null;
    }
    try {
      var text = Files.readString(Path.of(home, "lib", "options", command.getSimpleName()));
      var lines = split(text, '\n');
      var made = split(lines.getFirst(), '\t');
      var jar = new File(home + "/lib/" + made.getFirst());
      if (made.size() != 2 || !made.get(1).equals(stamp(jar))) {
        return null;
      }
      var options = new ArrayList<KnownOption>();
      for (var line : lines.subList(1, lines.size())) {
        if (!line.isEmpty()) {
          options.add(parse(split(line, '\t')));
        }
      }
      return new OptionTable(options);
    } catch (IOException | RuntimeException e) {
      return null; // the annotations tell the same
    }
  }

  private static String stamp(File jar) {
    return jar.length() + "-" + jar.lastModified();
  }

  private static KnownOption parse(List<String> parts) {
    return new KnownOption(
        split(parts.get(0), ' '),
        Integer.parseInt(parts.get(1)),
        Integer.parseInt(parts.get(2)),
        parts.get(3).isEmpty() ? null : parts.get(3).substring(1),
        parts.get(4),
        parts.get(5),
        parts.get(6),
        parts.get(7));
  }

  private static List<String> split(String text, char by) {
    var parts = new ArrayList<String>();
    var from = 0;
    for (var at = text.indexOf(by); at >= 0; at = text.indexOf(by, from)) {
      parts.add(text.substring(from, at));
      from = at + 1;
    }
    parts.add(text.substring(from));
    return parts;
  }

  /// What its options are called.
  List<String> names() {
    return options.stream().flatMap(it -> it.names().stream()).toList();
  }

  /// Writes the tables of commands, each into a file named as its class.
  ///
  /// @param jar the archive the commands are in; tables hold as long as it stays as it is
  public static void store(Path directory, Path jar, List<Command> commands) throws IOException {
    Files.createDirectories(directory);
    for (var command : commands) {
      var spec = new CommandLine(command).getCommandSpec();
      if (spec.positionalParameters().size() != 1) {
        throw new IllegalStateException(
            command.name() + " has words of its own beside options: they are arguments()");
      }
      var text = new StringBuilder();
      text.append(jar.getFileName()).append('\t').append(stamp(jar.toFile())).append('\n');
      for (var option : of(spec).options) {
        text.append(String.join(" ", option.names()))
            .append('\t')
            .append(option.least())
            .append('\t')
            .append(option.most())
            .append('\t')
            .append(option.otherwise() == null ? "" : "=" + option.otherwise())
            .append('\t')
            .append(option.owner())
            .append('\t')
            .append(option.member())
            .append('\t')
            .append(option.holder())
            .append('\t')
            .append(option.type())
            .append('\n');
      }
      Files.writeString(directory.resolve(command.getClass().getSimpleName()), text);
    }
  }
}
