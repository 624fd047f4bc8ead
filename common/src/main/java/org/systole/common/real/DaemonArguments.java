package org.systole.common.real;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// What a daemon was called with by hand.
///
/// @param given values by options; of one without values, an empty text for each time
/// @param words what is no option
public record DaemonArguments(Map<DaemonOption, List<String>> given, List<String> words) {
  private static final String END = "--";
  private static final List<String> HELPS = List.of("--help-all", "--help-output"); // there are no topics

  /// What cannot be understood.
  public static final class Misused extends Exception {
    Misused(String message) {
      super(message);
    }
  }

  /// Short options can be joined (`-sV`), a value can follow at once (`-lFILE`) or after `=` (`--logfile=FILE`).
  public static DaemonArguments parse(List<String> arguments, Collection<DaemonOption> known) throws Misused {
    return new Reader(arguments, known).read();
  }

  public boolean has(DaemonOption option) {
    return given.containsKey(option);
  }

  /// In the order they were given.
  public List<String> values(DaemonOption option) {
    return given.getOrDefault(option, List.of());
  }

  /// The last one counts.
  public @Nullable String value(DaemonOption option) {
    var all = values(option);
    return all.isEmpty() ? null : all.getLast();
  }

  private static final class Reader {
    private final List<String> arguments;
    private final Collection<DaemonOption> known;
    private final Map<DaemonOption, List<String>> given = new EnumMap<>(DaemonOption.class);
    private final List<String> words = new ArrayList<>();
    private int at;

    Reader(List<String> arguments, Collection<DaemonOption> known) {
      this.arguments = arguments;
      this.known = known;
    }

    DaemonArguments read() throws Misused {
      while (at < arguments.size()) {
        var argument = arguments.get(at++);
        if (argument.equals(END)) {
          words.addAll(arguments.subList(at, arguments.size()));
          break;
        } else if (argument.startsWith(END)) {
          inFull(argument);
        } else if (argument.startsWith("-") && argument.length() > 1) {
          letters(argument);
        } else {
          words.add(argument);
        }
      }
      return new DaemonArguments(given, words);
    }

    private void inFull(String argument) throws Misused {
      var equals = argument.indexOf('=');
      var name = equals < 0 ? argument : argument.substring(0, equals);
      var option = find(name, it -> it.longName().equals(name) || it == DaemonOption.HELP && HELPS.contains(name));
      if (option.value() == null && equals >= 0) {
        throw new Misused(name + " takes no value");
      }
      put(option, name, equals < 0 ? null : argument.substring(equals + 1));
    }

    private void letters(String argument) throws Misused {
      for (var letter = 1; letter < argument.length(); letter++) {
        var asked = argument.charAt(letter);
        var name = "-" + (asked == 'h' ? '?' : asked);
        var option = find("-" + asked, it -> name.equals(it.shortName()));
        var rest = argument.substring(letter + 1);
        if (option.value() != null) {
          put(option, name, rest.isEmpty() ? null : rest);
          return;
        }
        put(option, name, null);
      }
    }

    private DaemonOption find(String name, Predicate<DaemonOption> isThat) throws Misused {
      for (var option : known) {
        if (isThat.test(option)) {
          return option;
        }
      }
      throw new Misused("unknown option '" + name + "'");
    }

    /// @param attached its value, as far as it is in the same argument
    private void put(DaemonOption option, String name, @Nullable String attached) throws Misused {
      var value = option.value() == null ? "" : attached;
      if (value == null && at == arguments.size()) {
        throw new Misused(name + " needs a value: " + option.value());
      }
      given.computeIfAbsent(option, _ -> new ArrayList<>()).add(value == null ? arguments.get(at++) : value);
    }
  }
}
