package org.systole.tools.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Brings a command line into the form in which every option stands alone with its value attached,
/// so that a value may begin with a dash and short options may stand together, as in `-sSx FILE`.
final class CommandLines {
  private final OptionTable spec;
  private final String[] args;
  private final List<String> out = new ArrayList<>();
  private final List<String> rest = new ArrayList<>();
  private int at;

  private CommandLines(OptionTable spec, String[] args) {
    this.spec = spec;
    this.args = args;
  }

  static String[] normalize(OptionTable spec, String[] args) throws CommandException {
    return new CommandLines(spec, args).run();
  }

  private String[] run() throws CommandException {
    while (at < args.length) {
      var arg = args[at++];
      if (arg.equals("--")) {
        while (at < args.length) {
          rest.add(args[at++]);
        }
      } else if (arg.startsWith("--")) {
        longOption(arg);
      } else if (arg.startsWith("-") && arg.length() > 1 && !isValue(arg)) {
        shortOptions(arg);
      } else {
        rest.add(arg);
      }
    }
    if (!rest.isEmpty()) {
      out.add("--");
      out.addAll(rest);
    }
    return out.toArray(new String[0]);
  }

  /// Whether it is certainly no option: a negative number, or the score.
  private boolean isValue(String arg) {
    return arg.equals("-INFINITY")
        || isNegativeNumber(arg) && spec.find(arg.substring(0, 2)) == null;
  }

  private static boolean isNegativeNumber(String arg) {
    for (var index = 1; index < arg.length(); index++) {
      if (arg.charAt(index) < '0' || arg.charAt(index) > '9') {
        return false;
      }
    }
    return true;
  }

  private void longOption(String arg) throws CommandException {
    var equals = arg.indexOf('=');
    var name = equals < 0 ? arg : arg.substring(0, equals);
    var option = find(name);
    if (equals >= 0) {
      if (option.most() == 0) {
        throw CommandException.usage("Unknown option " + arg);
      }
      out.add(arg);
    } else {
      add(name, option, null);
    }
  }

  private void shortOptions(String arg) throws CommandException {
    for (var index = 1; index < arg.length(); index++) {
      var name = "-" + arg.charAt(index);
      var option = find(name);
      if (option.most() == 0) {
        out.add(name);
        continue;
      }
      add(name, option, index + 1 < arg.length() ? arg.substring(index + 1) : null);
      return;
    }
  }

  private KnownOption find(String name) throws CommandException {
    var option = spec.find(name);
    if (option == null && name.equals("-h")) {
      option = spec.find("-?");
    }
    if (option == null) {
      throw CommandException.usage("Unknown option " + name);
    }
    return option;
  }

  private void add(String name, KnownOption option, @Nullable String attached)
      throws CommandException {
    var shown = spec.find(name) == null ? option.shortestName() : name;
    if (attached != null) {
      out.add(shown + "=" + attached);
    } else if (option.most() == 0) {
      out.add(shown);
    } else if (at < args.length && (option.least() > 0 || !args[at].startsWith("-"))) {
      out.add(shown + "=" + args[at++]);
    } else if (option.least() == 0) {
      out.add(shown);
    } else {
      throw CommandException.usage("Missing argument for " + name);
    }
  }
}
