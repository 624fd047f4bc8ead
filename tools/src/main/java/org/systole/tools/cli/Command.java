package org.systole.tools.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.systole.common.layout.Layout;
import org.systole.common.output.ExitStatus;
import org.systole.common.output.Output;
import org.systole.common.output.TextOutput;
import org.systole.common.output.XmlOutput;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/// A command of the administrator: options common to all, output in the format asked for, errors in
/// one line, exit statuses.
///
/// A subclass adds its options as annotated fields or, where their order on the command line
/// matters, as annotated methods, and does its work in [#execute]. An object runs once.
public abstract class Command {
  @Option(
      names = {"-$", "--version"},
      description = "Display software version and exit")
  private boolean version;

  @Option(
      names = {"-V", "--verbose"},
      description = "Increase debug output (may be specified multiple times)")
  private boolean[] verbose = {};

  @Option(
      names = {"-?", "--help", "--help-all"},
      usageHelp = true,
      description = "Show help options")
  private boolean help;

  @Option(
      names = "--output-as",
      paramLabel = "FORMAT",
      description = "Specify output format as one of: text (default), xml, json, none")
  private @Nullable String outputAs;

  @Option(
      names = "--output-to",
      paramLabel = "DEST",
      description = "Specify file name for output (or \"-\" for stdout)")
  private @Nullable String outputTo;

  @Parameters(arity = "0..*", hidden = true)
  private List<String> arguments = new ArrayList<>();

  private final String name;
  private @Nullable Terminal terminal;
  private @Nullable Output out;
  private String request = "";
  private boolean reasoned;

  /// @param name what the command is called by
  protected Command(String name) {
    this.name = name;
  }

  /// Does the work.
  ///
  /// @throws CommandException to end with an error line
  protected abstract ExitStatus execute() throws CommandException;

  /// Called before options are read, with the arguments as given; says which to read instead.
  ///
  /// @throws CommandException if the command line cannot be meant
  protected String[] prepare(String[] args) throws CommandException {
    return args;
  }

  /// The arguments as an XML result repeats them; override where they may hold what is not to be
  /// shown.
  protected String[] shown(String[] args) {
    return args;
  }

  /// Whether Pacemaker has no such command, so that nobody goes by how its mistakes are told: they say
  /// what may have been meant then.
  protected boolean isOurs() {
    return false;
  }

  /// The formats that [#output] knows, for who names another one.
  protected String formats() {
    return "text, xml, json, none";
  }

  /// The output for a format name; override to offer others.
  ///
  /// @return null if there is no such format
  protected @Nullable Output output(String format, PrintStream to) {
    return switch (format) {
      case "text" -> new TextOutput(to, terminal().err());
      case "xml" -> new XmlOutput(to, terminal().err(), XmlOutput.Syntax.XML, request, false);
      case "none" -> new TextOutput(nowhere(), nowhere());
      case "json" -> new XmlOutput(to, terminal().err(), XmlOutput.Syntax.JSON, request, false);
      default -> null;
    };
  }

  private static PrintStream nowhere() {
    return new PrintStream(OutputStream.nullOutputStream());
  }

  /// Called before options are checked and [#execute], when the output is there. By default text
  /// lists have titles.
  protected void setUp(Output output) {
    if (output instanceof TextOutput text) {
      text.setFancy(true);
    }
  }

  /// Whether errors that end the command are part of an XML result; otherwise they go to standard
  /// error in every format.
  protected boolean errorsInResult() {
    return true;
  }

  protected final String name() {
    return name;
  }

  /// The command line as an XML result repeats it.
  protected final String request() {
    return request;
  }

  protected final Terminal terminal() {
    if (terminal == null) {
      throw new IllegalStateException("not run yet");
    }
    return terminal;
  }

  protected final Output out() {
    if (out == null) {
      throw new IllegalStateException("not run yet");
    }
    return out;
  }

  /// What stands on the command line beside options.
  protected final List<String> arguments() {
    return arguments;
  }

  /// How often the user asked for more detail.
  protected final int verbosity() {
    return verbose.length;
  }

  /// The format named by `--output-as`, null if none.
  protected final @Nullable String outputFormat() {
    return outputAs;
  }

  /// The file named by `--output-to`; null for standard output.
  protected final @Nullable Path outputFile() {
    return outputTo == null || outputTo.equals("-") ? null : terminal().resolve(outputTo);
  }

  protected final void setOutputFormat(String format) {
    this.outputAs = format;
  }

  /// @return the exit code
  public final int run(Terminal newTerminal, String... args) {
    if (!InputCib.isNamed(newTerminal)) {
      return explained(newTerminal, runOn(newTerminal, args));
    }
    try (var input = new InputCib(newTerminal)) {
      return runOn(input.terminal(), args);
    } catch (IOException e) {
      newTerminal.err().println(name + ": the CIB cannot be read from standard input: " + e);
      return ExitStatus.IOERR.code();
    }
  }

  /// "Not connected" and "Permission denied", in words that others go by, do not tell a user who may not
  /// ask, or whom access control lists do not let, what to do.
  private int explained(Terminal to, int code) {
    var run = Layout.of(to.environment()).run();
    if (foundNobody(code) && Outsiders.isOutside(run, Files::isExecutable)) {
      to.out().flush();
      to.err().println(name + ": " + Outsiders.WHY);
    }
    var lists = code == ExitStatus.INSUFFICIENT_PRIV.code() && !reasoned ? AccessNote.of(to, name, askedAs()) : null;
    if (lists != null) {
      to.out().flush();
      to.err().println(name + ": " + lists);
    }
    return code;
  }

  /// Another command, which this one has run, has told why privileges are insufficient.
  protected final void saidWhy() {
    reasoned = true;
  }

  /// The user whose rights count where the command line names one, else empty.
  protected String askedAs() {
    return "";
  }

  /// Whether it ends so where it reaches no daemon.
  protected boolean foundNobody(int code) {
    return code == ExitStatus.DISCONNECT.code();
  }

  private int runOn(Terminal newTerminal, String... args) {
    this.terminal = newTerminal;
    this.request = requestOf(name, shown(args));
    try {
      var prepared = prepare(args);
      var table = OptionTable.stored(newTerminal.environment(), getClass());
      if (table != null) {
        var rest = QuickOptions.apply(this, table, CommandLines.normalize(table, prepared));
        if (rest != null) {
          arguments.addAll(rest);
          return openAndExecute();
        }
      }
      return runCompletely(prepared);
    } catch (CommandException e) {
      return fail(isOurs() ? explained(e) : e);
    }
  }

  private CommandException explained(CommandException e) {
    var unknown = "Unknown option ";
    var message = "" + e.getMessage();
    if (message.startsWith("Missing argument for ")) {
      return CommandException.usage("%s: %s --help shows what it takes".formatted(message, name));
    }
    if (!message.startsWith(unknown)) {
      return e;
    }
    var named = message.substring(unknown.length()).replaceFirst("=.*", "");
    var meant = Typing.near(named, OptionTable.of(new CommandLine(this).getCommandSpec()).names());
    return CommandException.usage(
        "%s%s: %s --help shows all".formatted(message, meant == null ? "" : " (is " + meant + " meant?)", name));
  }

  // The way of all that is not usual: help, mistakes, a program run from its classes.
  private int runCompletely(String[] args) {
    var line = new CommandLine(this);
    line.setOverwrittenOptionsAllowed(true); // the last of several counts
    line.setUsageHelpAutoWidth(false);
    line.getCommandSpec().name(name);
    try {
      line.parseArgs(CommandLines.normalize(OptionTable.of(line.getCommandSpec()), args));
    } catch (CommandException e) {
      return fail(isOurs() ? explained(e) : e);
    } catch (ParameterException e) {
      return fail(CommandException.usage(firstLine(refusal(e))));
    }
    if (help) {
      line.usage(new PrintWriter(terminal().out(), true));
      return 0;
    }
    var again = isOurs() ? givenAgain(line) : null;
    if (again != null) {
      return fail(CommandException.usage(again + " is given several times, and takes one value: the last would count alone"));
    }
    return openAndExecute();
  }

  /// An option that takes one value and has several; those that are made into steps, or that have lists, may.
  private static @Nullable String givenAgain(CommandLine line) {
    for (var option : line.getParseResult().matchedOptions()) {
      if (option.userObject() instanceof Field
          && !option.isMultiValue()
          && option.arity().max() > 0
          && option.stringValues().size() > 1) {
        return option.longestName();
      }
    }
    return null;
  }

  private int openAndExecute() {
    var to = terminal().out();
    PrintStream opened = null;
    try {
      if (outputTo != null && !outputTo.equals("-")) {
        opened =
            new PrintStream(
                Files.newOutputStream(terminal().resolve(outputTo)), false, StandardCharsets.UTF_8);
        to = opened;
      }
      return executeTo(to);
    } catch (IOException e) {
      return cannotPrint("cannot write to " + outputTo);
    } finally {
      if (opened != null) {
        opened.close();
      }
    }
  }

  /// Where Pacemaker's command does not begin a line about the output with its name, nor does this one.
  protected boolean saysItsNameOfOutput() {
    return true;
  }

  private int cannotPrint(String why) {
    var start = saysItsNameOfOutput() ? name + ": " : "";
    terminal().err().println("%sError creating output format %s: %s".formatted(start, format(), why));
    return ExitStatus.ERROR.code();
  }

  private String format() {
    return outputAs == null ? "text" : outputAs;
  }

  private int executeTo(PrintStream to) {
    var output = output(format(), to);
    if (output == null && isOurs()) {
      return fail(
          CommandException.usage(
              "there is no output format '%s': it is one of %s".formatted(format(), formats())));
    }
    if (output == null) {
      return cannotPrint("Unknown output format");
    }
    out = output;
    try {
      setUp(output);
      if (version) {
        output.version();
        output.finish(0);
        return 0;
      }
      var status = execute();
      output.finish(status.code());
      return status.code();
    } catch (CommandException e) {
      return fail(e);
    }
  }

  private int fail(CommandException e) {
    reasoned |= e.isReasoned();
    var message = e.getMessage() == null ? "" : e.getMessage();
    if (!message.isEmpty()) {
      var line = name + ": " + message;
      if (out != null && errorsInResult()) {
        out.error(line);
      } else {
        terminal().out().flush();
        terminal().err().println(line);
      }
    }
    if (out != null) {
      out.finish(e.status().code());
    }
    return e.status().code();
  }

  /// Of a value that a command refuses itself, what the command says of it.
  private static Exception refusal(ParameterException e) {
    return e.getCause() instanceof TypeConversionException own ? own : e;
  }

  private static String firstLine(Exception e) {
    var message = e.getMessage() == null ? "Incorrect usage" : e.getMessage();
    return message.lines().findFirst().orElse("Incorrect usage");
  }

  private static String requestOf(String name, String[] args) {
    var all = new StringBuilder(name);
    for (var arg : args) {
      all.append(' ').append(quoted(arg));
    }
    return all.toString();
  }

  /// Quoted as for a shell if it would not be read as one word.
  private static String quoted(String arg) {
    var plain = !arg.isBlank() && !arg.startsWith("#");
    var words = false;
    var quote = 0;
    for (var at = 0; at < arg.length(); at++) {
      var c = arg.charAt(at);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '\\') {
        at++;
      } else if (Character.isWhitespace(c)) {
        words = true;
      }
    }
    return plain && quote == 0 && !words ? arg : "'" + arg.replace("'", "'\\''") + "'";
  }
}
