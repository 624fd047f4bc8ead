package org.systole.cts.sim;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipInputStream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The build that nodes are upgraded from: the commit in the resource `previous-build`, compiled
/// once from this clone's history and kept under `target`. `-Dprevious.build=DIRECTORY` names an
/// installed distribution to be taken instead.
///
/// The commit is one whose messages differ: its CIB managers do not know the short forms that level
/// 2 brought. It is moved on when a release is made, and whenever a build cannot live in the simulated
/// world any more, see [SimBuild].
final class PreviousBuild {
  private static final List<String> MODULES =
      List.of(
          "common", "cibd", "schedulerd", "fenced", "execd", "attrd", "controld", "pacemakerd");
  private static final int GIT_SECONDS = 60;

  private static @Nullable SimBuild build;

  private PreviousBuild() {}

  /// Skips the test where there is no history to build it from.
  static synchronized SimBuild get() throws IOException, InterruptedException {
    var present = build;
    if (present == null) {
      var named = System.getProperty("previous.build");
      present = SimBuild.in(named != null ? Path.of(named) : compiled());
      build = present;
    }
    return present;
  }

  private static Path compiled() throws IOException, InterruptedException {
    var commit = commit();
    var classes = Path.of("target", "previous", commit);
    if (Files.isDirectory(classes)) {
      return classes;
    }
    Files.createDirectories(classes.getParent());
    // not below the project, some of whose tests read all its sources
    var work = Files.createTempDirectory("systole-previous");
    var sources = work.resolve("sources");
    unpack(archive(commit, work.resolve("sources.zip")), sources);
    var made = Files.createDirectories(classes.resolveSibling(commit + ".new"));
    compile(sources, made);
    copyResources(sources, made);
    Files.move(made, classes);
    remove(work);
    return classes;
  }

  private static String commit() throws IOException {
    try (var in = PreviousBuild.class.getResourceAsStream("previous-build")) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
    }
  }

  private static Path archive(String commit, Path to) throws IOException, InterruptedException {
    var command =
        Stream.concat(
            Stream.of(
                "git", "-C", "..", "archive", "--format=zip", "-o", to.toAbsolutePath() + "", commit),
            MODULES.stream().map(it -> it + "/src/main"));
    try {
      var git = new ProcessBuilder(command.toList()).redirectErrorStream(true).start();
      var said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (git.waitFor(GIT_SECONDS, TimeUnit.SECONDS) && git.exitValue() == 0) {
        return to;
      }
      return abort("the previous build, commit %s, is not in this clone's history: %s".formatted(commit, said));
    } catch (IOException e) {
      return abort("the previous build cannot be made without git: " + e.getMessage());
    }
  }

  private static void unpack(Path archive, Path to) throws IOException {
    try (var zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        var file = to.resolve(entry.getName());
        if (!entry.isDirectory()) {
          Files.createDirectories(file.getParent());
          Files.write(file, zip.readAllBytes());
        }
      }
    }
  }

  private static void compile(Path sources, Path to) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        var files = Files.walk(sources)) {
      var java = files.filter(it -> it.toString().endsWith(".java")).toList();
      var libraries =
          Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
              .filter(it -> it.endsWith(".jar"))
              .filter(it -> !Path.of(it).getFileName().toString().startsWith("systole-"))
              .collect(Collectors.joining(File.pathSeparator));
      var options =
          List.of(
              "--release", "25", "-parameters", "-proc:none", "-nowarn", "-d", to.toString(), "-cp",
              libraries);
      var said = new StringWriter();
      var units = manager.getJavaFileObjectsFromPaths(java);
      if (!compiler.getTask(said, manager, null, options, null, units).call()) {
        throw new IOException("the previous build does not compile: " + said);
      }
    }
  }

  private static void remove(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static void copyResources(Path sources, Path to) throws IOException {
    for (var module : MODULES) {
      var from = sources.resolve(module).resolve("src/main/resources");
      if (Files.isDirectory(from)) {
        try (var files = Files.walk(from)) {
          for (var file : files.filter(Files::isRegularFile).toList()) {
            var copy = to.resolve(from.relativize(file).toString());
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
          }
        }
      }
    }
  }
}
