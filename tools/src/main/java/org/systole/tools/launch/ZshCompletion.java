package org.systole.tools.launch;

import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Completion of a command's options for zsh, in the language of its `_arguments`.
final class ZshCompletion {
  private ZshCompletion() {}

  static String of(CommandSpec command) {
    var text = new StringBuilder("#compdef ").append(command.name()).append("\n\n_arguments -S");
    for (var option : command.options()) {
      if (option.hidden()) {
        continue;
      }
      for (var name : option.names()) {
        text.append(" \\\n  '").append(argument(option, name)).append('\'');
      }
    }
    return text.append('\n').toString();
  }

  private static String argument(OptionSpec option, String name) {
    var repeats = option.isMultiValue() || option.arity().max() > 1;
    var result = new StringBuilder(repeats ? "*" : "(" + String.join(" ", option.names()) + ")");
    result.append(name);
    if (option.arity().max() == 0) {
      return result.append(explanation(option)).toString();
    }
    if (name.startsWith("--")) {
      result.append('=');
    }
    result.append(explanation(option));
    result.append(option.arity().min() == 0 ? "::" : ":");
    return result.append(label(option)).append(':').append(values(option)).toString();
  }

  private static String explanation(OptionSpec option) {
    var text = String.join(" ", option.description()).replace("%n", " ").replace("%%", "%");
    return "[" + quoted(text).replace("[", "\\[").replace("]", "\\]") + "]";
  }

  private static String label(OptionSpec option) {
    return quoted(option.paramLabel().replace(":", " "));
  }

  private static String values(OptionSpec option) {
    if (option.longestName().equals("--output-as")) {
      return "(text xml json)";
    }
    var label = option.paramLabel().toUpperCase(Locale.ROOT);
    return label.contains("FILE") || label.contains("DEST") ? "_files" : " ";
  }

  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("'", "'\\''").replace("\n", " ");
  }
}
