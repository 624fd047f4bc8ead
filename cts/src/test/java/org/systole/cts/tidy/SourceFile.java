package org.systole.cts.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// One source file as the rules see it.
///
/// @param path relative to the project, such as `cibd/src/main/java/org/systole/cibd/Cibd.java`
/// @param packageName empty if it declares none
/// @param text all of it
/// @param lines the code only: comments and the insides of literals are blank
/// @param methods every method and constructor, those of nested and anonymous classes too
record SourceFile(
    String path, String packageName, String text, List<String> lines, List<Method> methods) {
  /// A method or constructor.
  ///
  /// @param type the class it is in, `Outer.Inner` for a nested one
  /// @param lines from its first modifier or annotation to its brace
  record Method(String type, String name, int lines, Set<Modifier> modifiers, boolean overrides) {}

  private static final Pattern USE =
      Pattern.compile("\\borg\\.systole((?:\\.[a-z][a-z0-9]*)+)(?:\\.([A-Z]\\w*|\\*))?");

  static SourceFile of(String path, String text) {
    return all(Map.of(path, text)).getFirst();
  }

  /// All of them in one go, which is many times quicker than one by one.
  ///
  /// @param texts by path
  static List<SourceFile> all(Map<String, String> texts) {
    var units = texts.entrySet().stream().map(it -> new Text(it.getKey(), it.getValue())).toList();
    var compiler = ToolProvider.getSystemJavaCompiler();
    var task = (JavacTask) compiler.getTask(null, null, _ -> {}, List.of(), null, units);
    var found = new ArrayList<SourceFile>();
    try {
      for (var tree : task.parse()) {
        var path = tree.getSourceFile().toUri().getPath().substring(1);
        var text = texts.getOrDefault(path, "");
        var name = tree.getPackageName();
        found.add(
            new SourceFile(
                path,
                name == null ? "" : name.toString(),
                text,
                List.of(codeOf(text).split("\n", -1)),
                List.copyOf(methods(tree, Trees.instance(task)))));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /// The first directory of the path.
  String module() {
    return path.substring(0, Math.max(0, path.indexOf('/')));
  }

  /// The file's name without its suffix.
  String type() {
    return path.substring(path.lastIndexOf('/') + 1).replaceFirst("\\.java$", "");
  }

  /// What it names of the project, as `package.Type`; nested types count as their outermost.
  Set<String> uses() {
    var found = new TreeSet<String>();
    for (var line : lines) {
      if (!line.startsWith("package ")) {
        USE.matcher(line)
            .results()
            .filter(it -> it.group(2) != null)
            .forEach(it -> found.add("org.systole" + it.group(1) + "." + it.group(2)));
      }
    }
    return found;
  }

  /// The packages of the project that it uses, its own left out.
  Set<String> usedPackages() {
    var found = new TreeSet<String>();
    uses().forEach(it -> found.add(it.substring(0, it.lastIndexOf('.'))));
    found.remove(packageName);
    return found;
  }

  private static List<Method> methods(CompilationUnitTree tree, Trees trees) {
    var found = new ArrayList<Method>();
    var positions = trees.getSourcePositions();
    new TreePathScanner<@Nullable Void, String>() {
      @Override
      public @Nullable Void visitClass(ClassTree type, String outer) {
        var name = type.getSimpleName().isEmpty() ? "?" : type.getSimpleName().toString();
        return super.visitClass(type, outer.isEmpty() ? name : outer + "." + name);
      }

      @Override
      public @Nullable Void visitMethod(MethodTree method, String type) {
        var begin = positions.getStartPosition(tree, method);
        var end = positions.getEndPosition(tree, method);
        if (end >= 0) { // a constructor that is not written has none
          var map = tree.getLineMap();
          var modifiers = method.getModifiers();
          found.add(
              new Method(
                  type,
                  method.getName().toString(),
                  (int) (map.getLineNumber(end) - map.getLineNumber(begin) + 1),
                  modifiers.getFlags(),
                  modifiers.getAnnotations().stream()
                      .anyMatch(it -> it.getAnnotationType().toString().equals("Override"))));
        }
        return super.visitMethod(method, type);
      }
    }.scan(tree, "");
    return found;
  }

  /// The text with comments and the insides of literals blanked, line for line.
  static String codeOf(String text) {
    var code = new StringBuilder(text.length());
    var at = 0;
    while (at < text.length()) {
      var end = endOfBlank(text, at);
      if (end == at) {
        code.append(text.charAt(at++));
      } else {
        for (; at < end; at++) {
          code.append(text.charAt(at) == '\n' ? '\n' : ' ');
        }
      }
    }
    return code.toString();
  }

  /// Where the comment or literal that begins here ends; `at` if none begins.
  private static int endOfBlank(String text, int at) {
    if (text.startsWith("//", at)) {
      return end(text, text.indexOf('\n', at), 0);
    }
    if (text.startsWith("/*", at)) {
      return end(text, text.indexOf("*/", at + 2), 2);
    }
    if (text.startsWith("\"\"\"", at)) {
      return endOfLiteral(text, at + 3, "\"\"\"");
    }
    var c = text.charAt(at);
    return c == '"' || c == '\'' ? endOfLiteral(text, at + 1, String.valueOf(c)) : at;
  }

  private static int endOfLiteral(String text, int from, String quote) {
    var at = from;
    while (at < text.length() && !text.startsWith(quote, at)) {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(text.length(), at + quote.length());
  }

  private static int end(String text, int at, int more) {
    return at < 0 ? text.length() : at + more;
  }

  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String path, String text) {
      super(URI.create("string:///" + path), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
