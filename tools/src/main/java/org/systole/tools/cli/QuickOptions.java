package org.systole.tools.cli;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Sets the options of usual command lines without looking at annotations. Anything unusual (help,
/// errors, values of other types) is left to the complete way, and nothing has been changed then.
final class QuickOptions {
  private record Given(KnownOption option, @Nullable String value) {}

  private final List<Given> given = new ArrayList<>();
  private final List<String> rest = new ArrayList<>();

  private QuickOptions() {}

  /// @param args as [CommandLines] has brought them into form
  /// @return what stands beside options; null if the command line is not for this way
  static @Nullable List<String> apply(Command command, OptionTable table, String[] args) {
    var options = new QuickOptions();
    if (!options.read(table, args)) {
      return null;
    }
    try {
      // A value may be refused where it is set: tried on another first.
      var trial = command.getClass().getDeclaredConstructor().newInstance();
      options.set(trial);
      options.set(command);
      return options.rest;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }

  private boolean read(OptionTable table, String[] args) {
    // By identity: the first hash of a record takes the JVM longer than the rest of this class.
    Set<KnownOption> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (var at = 0; at < args.length; at++) {
      var arg = args[at];
      if (arg.equals("--")) {
        rest.addAll(List.of(args).subList(at + 1, args.length));
        return !holdsFileOfArguments(rest);
      }
      var equals = arg.indexOf('=');
      var option = table.find(equals < 0 ? arg : arg.substring(0, equals));
      if (option == null
          || option.member().isEmpty()
          || option.holder().equals("?")
          || !seen.add(option) && !isCollection(option)) {
        return false;
      }
      var value = equals < 0 ? option.otherwise() : arg.substring(equals + 1);
      if (!fits(option, value, equals >= 0)) {
        return false;
      }
      given.add(new Given(option, value));
    }
    return true;
  }

  private static boolean holdsFileOfArguments(List<String> words) {
    for (var word : words) {
      if (word.startsWith("@")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCollection(KnownOption option) {
    return option.type().equals("[Z") || option.type().equals("java.util.List");
  }

  private static boolean fits(KnownOption option, @Nullable String value, boolean attached) {
    return switch (option.type()) {
      case "boolean", "[Z" -> option.most() == 0 && !attached;
      case "java.lang.String" -> value != null && isPlain(value);
      case "java.util.List" -> value != null && isPlain(value) && !option.member().endsWith("()");
      case "int" -> value != null && isNumber(value);
      default -> false;
    };
  }

  // Quotes and the like may be more than they look to the complete way.
  private static boolean isPlain(String value) {
    return !value.startsWith("@") && !value.startsWith("\"") && !value.startsWith("'");
  }

  private static boolean isNumber(String value) {
    return value.length() < 9
        && !value.isEmpty()
        && (value.charAt(0) != '0' || value.length() == 1)
        && isDigits(value);
  }

  private static boolean isDigits(String value) {
    for (var at = 0; at < value.length(); at++) {
      if (value.charAt(at) < '0' || value.charAt(at) > '9') {
        return false;
      }
    }
    return true;
  }

  private void set(Command command) throws ReflectiveOperationException {
    for (var one : given) {
      var option = one.option();
      var owner = owner(command, option.owner(), option.holder());
      Object target = command;
      if (!option.holder().isEmpty()) {
        var holder = command.getClass().getDeclaredField(option.holder());
        holder.setAccessible(true);
        target = holder.get(command);
      }
      if (option.member().endsWith("()")) {
        call(target, owner, option, one.value());
      } else {
        var field = owner.getDeclaredField(option.member());
        field.setAccessible(true);
        set(target, field, option, one.value());
      }
    }
  }

  private static Class<?> owner(Command command, String name, String holder)
      throws ReflectiveOperationException {
    for (Class<?> at = command.getClass();
        at != null && holder.isEmpty();
        at = at.getSuperclass()) {
      if (at.getName().equals(name)) {
        return at;
      }
    }
    return Class.forName(name);
  }

  private static void call(
      Object target, Class<?> owner, KnownOption option, @Nullable String value)
      throws ReflectiveOperationException {
    var name = option.member().substring(0, option.member().length() - 2);
    var takes = option.type().equals("boolean") ? boolean.class : String.class;
    if (option.type().equals("int")) {
      throw new NoSuchMethodException(name);
    }
    var method = owner.getDeclaredMethod(name, takes);
    method.setAccessible(true);
    method.invoke(target, takes == boolean.class ? Boolean.TRUE : value);
  }

  @SuppressWarnings("unchecked")
  private static void set(Object target, Field field, KnownOption option, @Nullable String value)
      throws ReflectiveOperationException {
    switch (option.type()) {
      case "boolean" -> {
        if (field.getBoolean(target)) {
          throw new NoSuchFieldException(field.getName()); // would be switched off
        }
        field.setBoolean(target, true);
      }
      case "[Z" -> {
        var longer = new boolean[((boolean[]) field.get(target)).length + 1];
        java.util.Arrays.fill(longer, true);
        field.set(target, longer);
      }
      case "int" -> field.setInt(target, Integer.parseInt(value == null ? "" : value));
      case "java.util.List" -> ((List<@Nullable String>) field.get(target)).add(value);
      default -> field.set(target, value);
    }
  }
}
