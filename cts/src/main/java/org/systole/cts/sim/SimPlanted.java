package org.systole.cts.sim;

import com.sun.source.util.JavacTask;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// Mistakes built in on purpose, each alone, to see which check finds them in which seed. A mistake is
/// a file of edits to sources; see [#read]. Only the files it touches are compiled, and their classes
/// stand before the others.
public final class SimPlanted {
  /// Where they are, from the top of the sources.
  public static final String DIRECTORY = "cts/src/test/resources/planted";

  private static final String LIVES = "lives: ";
  private static final String FILE = "file: ";
  private static final String FROM = "--- from";
  private static final String TO = "--- to";
  private static final String END = "---";

  /// @param from what the file has in just one place
  public record Edit(Path file, String from, String to) {}

  /// @param why what is wrong with it, and where it was found before
  /// @param lives the lives it is looked for in, as [SimMain#find] has it
  public record Planted(String name, String why, String lives, List<Edit> edits) {}

  private SimPlanted() {}

  /// Reads a mistake: comments that say what it is, `lives: WHICH` unless
  /// it is looked for in any, then for each edit `file: PATH`, `--- from`, lines,
  /// `--- to`, lines, `---`.
  public static Planted read(Path from) throws IOException {
    var why = new ArrayList<String>();
    var edits = new ArrayList<Edit>();
    var before = new StringBuilder();
    var after = new StringBuilder();
    var lives = "";
    @Nullable Path file = null;
    @Nullable StringBuilder into = null;
    for (var line : Files.readAllLines(from)) {
      if (line.startsWith("#") && file == null) {
        why.add(line.substring(1).strip());
      } else if (line.startsWith(LIVES) && file == null) {
        lives = line.substring(LIVES.length());
      } else if (line.startsWith(FILE)) {
        file = Path.of(line.substring(FILE.length()));
      } else if (line.equals(FROM)) {
        into = before;
      } else if (line.equals(TO)) {
        into = after;
      } else if (line.equals(END) && file != null) {
        edits.add(new Edit(file, before.toString(), after.toString()));
        before.setLength(0);
        after.setLength(0);
        into = null;
      } else if (into != null) {
        into.append(line).append('\n');
      }
    }
    var name = String.valueOf(from.getFileName());
    return new Planted(name, String.join(" ", why), lives, edits);
  }

  /// All of a directory, by name.
  public static List<Planted> all(Path directory) throws IOException {
    var found = new ArrayList<Planted>();
    try (Stream<Path> files = Files.list(directory)) {
      for (var file : files.sorted().toList()) {
        found.add(read(file));
      }
    }
    return found;
  }

  /// The sources as a mistake changes them, by file.
  ///
  /// @throws IOException if a file does not have what is to be replaced, in one place
  public static Map<Path, String> sources(Path top, Planted planted) throws IOException {
    var changed = new TreeMap<Path, String>();
    for (var edit : planted.edits()) {
      var known = changed.get(edit.file());
      var text = known == null ? Files.readString(top.resolve(edit.file())) : known;
      var at = text.indexOf(edit.from());
      if (at < 0 || text.indexOf(edit.from(), at + 1) >= 0) {
        throw new IOException(
            "%s: %s must have in one place:%n%s"
                .formatted(planted.name(), edit.file(), edit.from()));
      }
      changed.put(edit.file(), text.replace(edit.from(), edit.to()));
    }
    return changed;
  }

  /// Runs seeds with a mistake until one fails; returns the seed and what the check says, empty if
  /// none fails.
  static String find(Path top, Planted planted, long first, long last) throws IOException {
    var directory = Files.createTempDirectory("planted-");
    try {
      var classes = Files.createDirectory(directory.resolve("classes"));
      compile(top, planted, classes);
      try (var loader = new URLClassLoader(places(classes), ClassLoader.getPlatformClassLoader())) {
        return (String)
            loader
                .loadClass(SimMain.class.getName())
                .getMethod("find", long.class, long.class, String.class)
                .invoke(null, first, last, planted.lives());
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot run the simulator with " + planted.name(), e);
      }
    } finally {
      delete(directory);
    }
  }

  private static URL[] places(Path classes) throws IOException {
    var places = new ArrayList<URL>();
    places.add(classes.toUri().toURL());
    for (var each : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!each.isEmpty()) {
        places.add(Path.of(each).toUri().toURL());
      }
    }
    return places.toArray(URL[]::new);
  }

  private static void compile(Path top, Planted planted, Path classes) throws IOException {
    try (var compiler = new Compiler()) {
      var task = compiler.task(top, planted, List.of("-parameters", "-d", classes.toString()));
      if (!task.call()) {
        throw new IOException(planted.name() + " does not compile: " + compiler.errors());
      }
    }
  }

  /// Looks whether mistakes compile, without making their classes. What is known of the class path is kept
  /// from one to the next: most of the time goes into that.
  static final class Compiler implements AutoCloseable {
    private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files = javac.getStandardFileManager(null, null, null);
    private DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();

    /// What the compiler says against a mistake, a line each; empty if it compiles.
    List<String> problems(Path top, Planted planted) throws IOException {
      ((JavacTask) task(top, planted, List.of())).analyze();
      return errors();
    }

    private JavaCompiler.CompilationTask task(Path top, Planted planted, List<String> more)
        throws IOException {
      said = new DiagnosticCollector<>();
      var line = new ArrayList<>(List.of("-proc:none", "-nowarn", "-implicit:none"));
      line.addAll(List.of("-cp", System.getProperty("java.class.path")));
      line.addAll(more);
      var units = new ArrayList<Source>();
      sources(top, planted).forEach((file, text) -> units.add(new Source(file, text)));
      return javac.getTask(null, files, said, line, null, units);
    }

    private List<String> errors() {
      return said.getDiagnostics().stream()
          .filter(it -> it.getKind() == Diagnostic.Kind.ERROR)
          .map(
              it ->
                  "%s:%d: %s"
                      .formatted(
                          it.getSource() == null ? "" : it.getSource().getName(),
                          it.getLineNumber(),
                          it.getMessage(Locale.ROOT)))
          .toList();
    }

    @Override
    public void close() throws IOException {
      files.close();
    }
  }

  /// A source as a mistake changes it. Nothing of it is written to disk.
  private static final class Source extends SimpleJavaFileObject {
    private final Path file;
    private final String text;

    Source(Path file, String text) {
      super(URI.create("string:///" + file), Kind.SOURCE);
      this.file = file;
      this.text = text;
    }

    @Override
    public String getName() {
      return file.toString();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (var each : all.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.delete(each);
      }
    }
  }
}
