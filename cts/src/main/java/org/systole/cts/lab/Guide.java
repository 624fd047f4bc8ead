package org.systole.cts.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What `docs/getting-started.md` has one type or write to a file: its code blocks, in which a
/// comment behind two spaces says where a command is run (`# on beta, then gamma`, `# on each`) or
/// for which machines it is run again (`# and beta, gamma`).
final class Guide {
  private static final Pattern COMMENT = Pattern.compile("^(.*?\\S) {2,}# (.*)$");
  private static final Pattern NAME = Pattern.compile("\\b(alpha|beta|gamma)\\b");
  private static final String INSTALL = "apt-get install ";
  private static final String BLOCK = "    ";

  /// A command of the page, or the text of a file.
  ///
  /// @param section the title it stands below
  /// @param comment what is said behind it, empty if nothing is
  record Command(String section, String text, String comment) {
    /// Where it is to be run, empty where the page does not say so beside it.
    List<String> where() {
      return comment.startsWith("on each") ? Machines.NAMES : comment.startsWith("on ") ? names() : List.of();
    }

    /// The command for the machine that it names, and for those that the comment adds.
    List<String> forEach() {
      var all = new ArrayList<>(List.of(text));
      if (comment.startsWith("and ")) {
        names().forEach(it -> all.add(likewise(it)));
      }
      return all;
    }

    /// As if the comment stood there, where the text that follows says it.
    Command also(List<String> machines) {
      return new Command(section, text, "and " + String.join(", ", machines));
    }

    private List<String> names() {
      return NAME.matcher(comment).results().map(it -> it.group(1)).toList();
    }

    /// What is written for the machine that it names first, for another one: its name, and the
    /// address of its board.
    private String likewise(String machine) {
      var named = NAME.matcher(text);
      if (!named.find()) {
        throw new LabFailure("the page does not say which machine comes before: " + text);
      }
      return text.replaceAll("\\b" + named.group() + "\\b", machine)
          .replace(Machines.board(named.group()), Machines.board(machine));
    }
  }

  private final List<Command> commands;
  private final Set<Command> taken = new LinkedHashSet<>();

  private Guide(List<Command> commands) {
    this.commands = commands;
  }

  static Guide read(Path page) throws IOException {
    return of(Files.readAllLines(page));
  }

  static Guide of(List<String> lines) {
    var found = new ArrayList<Command>();
    var section = "";
    var block = new ArrayList<String>();
    for (var line : (Iterable<String>) Stream.concat(lines.stream(), Stream.of("end"))::iterator) {
      if (line.startsWith(BLOCK) || (line.isBlank() && isOpen(block))) {
        block.add(line.isBlank() ? "" : line.substring(BLOCK.length()));
        continue;
      }
      split(section, block, found);
      block.clear();
      if (line.startsWith("## ")) {
        section = line.substring(3);
      }
    }
    return new Guide(found);
  }

  /// The lines of a block; those of a text in quotes and of a file in braces belong together.
  private static void split(String section, List<String> block, List<Command> found) {
    var part = new ArrayList<String>();
    for (var line : block) {
      part.add(line);
      if (!isOpen(part) && !(isFile(block) && part.size() < block.size())) {
        var whole = String.join("\n", part);
        var comment = part.size() == 1 ? COMMENT.matcher(whole) : COMMENT.matcher("");
        found.add(
            comment.matches()
                ? new Command(section, comment.group(1).strip(), comment.group(2))
                : new Command(section, whole.strip(), ""));
        part.clear();
      }
    }
  }

  private static boolean isFile(List<String> block) {
    return block.getFirst().endsWith("{");
  }

  private static boolean isOpen(List<String> lines) {
    return String.join("\n", lines).chars().filter(it -> it == '\'').count() % 2 == 1;
  }

  /// The only command below a title that begins so.
  Command take(String section, String begins) {
    var fitting =
        commands.stream()
            .filter(it -> it.section().equals(section) && it.text().startsWith(begins))
            .toList();
    LabFailure.unless(
        fitting.size() == 1,
        "getting-started.md, '%s': %d commands begin with '%s', not one"
            .formatted(section, fitting.size(), begins));
    taken.add(fitting.getFirst());
    return fitting.getFirst();
  }

  /// The packages of Debian's that the page names.
  List<String> installed() {
    return commands.stream()
        .map(Command::text)
        .filter(it -> it.startsWith(INSTALL))
        .flatMap(it -> Stream.of(it.substring(INSTALL.length()).split(" ")))
        .filter(it -> it.matches("[a-z0-9][a-z0-9-]*"))
        .distinct()
        .toList();
  }

  /// What nobody has taken of these sections.
  List<Command> left(Set<String> sections) {
    return commands.stream()
        .filter(it -> sections.contains(it.section()) && !taken.contains(it))
        .toList();
  }
}
