package org.systole.tools.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.systole.common.options.DaemonMetadata;
import org.systole.common.real.DaemonOption;
import picocli.AutoComplete;
import picocli.CommandLine;

/// Writes what packages hold beside the program and what the program knows best itself: manual
/// pages, and completion for bash and zsh.
final class PackageFiles {
  private static final int USAGE = 64;
  private static final String MASTER = "crm_master"; // takes what crm_attribute takes
  private static final String MASTER_DESCRIPTION =
      "set the promotion score of a resource for this node; superseded by crm_attribute --promotion";

  private final Path to;
  private final ManPage pages;

  private PackageFiles(Path to, ManPage pages) {
    this.to = to;
    this.pages = pages;
  }

  /// @param args the directory to write to, and the version of the package
  /// @return the exit status
  static int run(Map<String, String> environment, String[] args) {
    if (args.length != 2) {
      System.err.println("usage: package-files DIRECTORY VERSION");
      return USAGE;
    }
    try {
      new PackageFiles(Path.of(args[0]), new ManPage(args[1], date(environment))).write();
      return 0;
    } catch (IOException e) {
      System.err.println("systole: cannot write the files of the packages: " + e);
      return 1;
    }
  }

  // Of the sources, not of the build: who builds the same gets the same.
  private static LocalDate date(Map<String, String> environment) {
    var seconds = Long.parseLong(environment.getOrDefault("SOURCE_DATE_EPOCH", "0"));
    return LocalDate.ofInstant(Instant.ofEpochSecond(seconds), ZoneOffset.UTC);
  }

  private void write() throws IOException {
    for (var name : names()) {
      // One each: an object is asked for its options once.
      write("man", name + ".8", pages.of(line(name).getCommandSpec()));
      write("bash", name, AutoComplete.bash(name, line(name)));
      write("zsh", "_" + name, ZshCompletion.of(line(name).getCommandSpec()));
    }
    daemon("based", "keeps the cluster's configuration", DaemonOption.CIB_MANAGER, DaemonMetadata.cibManager());
    daemon("fenced", "has machines switched off", DaemonOption.STANDING_ALONE, DaemonMetadata.fencer());
    daemon("execd", "runs the agents of resources on this node", DaemonOption.EXECUTOR, "");
    daemon("attrd", "keeps the attributes of nodes", DaemonOption.STANDING_ALONE, "");
    daemon("controld", "has the cluster's decisions carried out", DaemonOption.ALL, DaemonMetadata.controller());
    daemon("schedulerd", "decides what is to run where", DaemonOption.ALL, DaemonMetadata.scheduler());
    write("man", "systole-remoted.8", pages.ofRemoted());
  }

  private static List<String> names() {
    var names = new ArrayList<>(Commands.NAMES);
    names.add(MASTER);
    return names;
  }

  private static CommandLine line(String name) {
    var isMaster = name.equals(MASTER);
    var command = Commands.named(isMaster ? "crm_attribute" : name);
    if (command == null) {
      throw new IllegalStateException(name + " is no command");
    }
    var line = new CommandLine(command);
    line.getCommandSpec().name(name);
    if (isMaster) {
      line.getCommandSpec().usageMessage().description(MASTER_DESCRIPTION);
    }
    return line;
  }

  private void daemon(String name, String what, List<DaemonOption> options, String metadata) throws IOException {
    write("man", "pacemaker-" + name + ".8", pages.ofDaemon("pacemaker-" + name, what, options, metadata));
  }

  private void write(String kind, String name, String text) throws IOException {
    var file = to.resolve(kind).resolve(name);
    var directory = file.getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
