package org.systole.common.real;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.Product;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;

/// What a daemon prints that is only asked something: its help, its version, the options it reads.
///
/// @param called its name, as administrators know it
/// @param arguments its command line, as a result repeats it
public record DaemonAnswer(
    String called, List<DaemonOption> options, String[] arguments, PrintStream out, PrintStream errors) {
  private static final String METADATA = "metadata";
  private static final String VERSION = "version";
  private static final String SCHEDULER = "pacemaker-schedulerd";

  /// @param metadata what `NAME metadata` prints
  /// @return the exit status; null if it is asked nothing, and is to run
  public @Nullable Integer give(DaemonArguments asked, Supplier<String> metadata) {
    if (asked.given().isEmpty() && asked.words().isEmpty()) {
      return null; // as a node starts it
    }
    if (asked.has(DaemonOption.HELP)) {
      out.println(help(!metadata.get().isEmpty()));
      return 0;
    }
    var file = asked.value(DaemonOption.OUTPUT_TO);
    if (file == null || file.equals("-")) {
      return give(asked, metadata, out);
    }
    if (format(asked, out) == null) { // a file that is there is left alone
      return give(asked, metadata, out);
    }
    try (var opened = new PrintStream(Files.newOutputStream(Path.of(file)), false, StandardCharsets.UTF_8)) {
      return give(asked, metadata, opened);
    } catch (IOException e) {
      return cannotPrint(asked, "cannot write to " + file);
    }
  }

  private @Nullable Integer give(DaemonArguments asked, Supplier<String> metadata, PrintStream to) {
    var output = format(asked, to);
    if (output == null) {
      return cannotPrint(asked, "Unknown output format");
    }
    var word = asked.words().isEmpty() ? "" : asked.words().getFirst();
    var known = List.of("", METADATA, VERSION).contains(word);
    if (!known || asked.words().size() > 1) { // nothing is made of them: who gives them wants something else
      var unknown = asked.words().get(known ? 1 : 0);
      output.error(DaemonMain.misused(called, "unknown argument '" + unknown + "'"));
      output.finish(ExitStatus.USAGE.code());
      return ExitStatus.USAGE.code();
    }
    if (asked.has(DaemonOption.VERSION)) {
      output.version();
    } else if (word.equals(METADATA)) {
      output.xml(METADATA, metadata.get().stripTrailing() + "\n");
    } else if (word.equals(VERSION)) {
      output.info("CRM Version: " + Product.COMPATIBLE_VERSION + " (systole)");
    } else {
      return null;
    }
    output.finish(0);
    return 0;
  }

  /// @return null if there is no such format
  private @Nullable Output format(DaemonArguments asked, PrintStream to) {
    return switch (name(asked)) {
      case "text" -> new TextOutput(to, errors);
      case "xml" -> new XmlOutput(to, errors, XmlOutput.Syntax.XML, request(), false);
      case "none" -> {
        var nowhere = new PrintStream(OutputStream.nullOutputStream());
        yield new TextOutput(nowhere, nowhere);
      }
      default -> null;
    };
  }

  private static String name(DaemonArguments asked) {
    var given = asked.value(DaemonOption.OUTPUT_AS);
    return given == null ? "text" : given;
  }

  private int cannotPrint(DaemonArguments asked, String why) {
    errors.println("%s: Error creating output format %s: %s".formatted(called, name(asked), why));
    return (called.equals(SCHEDULER) ? ExitStatus.FATAL : ExitStatus.ERROR).code(); // as Pacemaker's do
  }

  private String request() {
    return (called + " " + String.join(" ", arguments)).strip();
  }

  private String help(boolean readsOptions) {
    var text =
        new StringBuilder(
            """
            %1$s - daemon of the cluster

            Usage:
              %1$s [OPTION...]
            """
                .formatted(called));
    if (readsOptions) {
      text.append("  %s %s%n%n".formatted(called, METADATA));
      text.append("%-28s%s%n".formatted(METADATA, "print the cluster options it reads, as OCF metadata"));
    } else {
      text.append('\n');
    }
    for (var it : options) {
      var both = it.longName() + (it.value() == null ? "" : "=" + it.value());
      var letter = it.shortName() == null ? "" : ", " + it.shortName();
      text.append("%-28s%s%n".formatted(both + letter, it.description()));
    }
    return text.toString().stripTrailing();
  }
}
