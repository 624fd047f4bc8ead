package org.systole.scheduler.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Which pass may write what of the working set: what [WrittenBy] says, and nothing else.
class WritersTest {
  private static final String LIBRARY = "org.systole.scheduler";
  private static final Path SOURCES = Path.of("src/main/java/org/systole/scheduler");
  private static final Pattern CHANGE =
      Pattern.compile(
          "\\.(\\w+)\\(\\)\\s*\\.(?:add\\w*|put\\w*|remove\\w*|clear|sort|set|replaceAll|retainAll"
              + "|compute\\w*|merge)\\(");

  @Test
  void theModelHasNoFieldThatOthersCanWrite() throws Exception {
    var found = new TreeSet<String>();
    for (var type : modelTypes()) {
      for (var field : type.getDeclaredFields()) {
        var modifiers = field.getModifiers();
        if (Modifier.isPublic(modifiers) && !Modifier.isStatic(modifiers)) {
          found.add(type.getSimpleName() + "." + field.getName());
        }
      }
    }
    assertEquals(Set.of(), found);
  }

  @Test
  void everyWriterSaysWhoMayCallIt() throws Exception {
    var found = new TreeSet<String>();
    for (var type : modelTypes()) {
      for (var method : type.getDeclaredMethods()) {
        if (isWriter(method)
            && Modifier.isPublic(method.getModifiers())
            && !method.isBridge()
            && method.getAnnotation(WrittenBy.class) == null) {
          found.add(type.getSimpleName() + "." + method.getName());
        }
      }
    }
    assertEquals(Set.of(), found);
  }

  @Test
  void aPassWritesOnlyWhatIsItsOwn() throws Exception {
    var found = new TreeSet<String>();
    for (var file : classes()) {
      var model = ClassFile.of().parse(file);
      var caller = model.thisClass().asInternalName().replace('/', '.');
      for (var method : model.methods()) {
        for (var element : method.code().map(Iterable::iterator).stream().toList()) {
          element.forEachRemaining(
              it -> {
                if (it instanceof InvokeInstruction call) {
                  var owner = call.owner().asInternalName().replace('/', '.');
                  var callee = method(owner, call.name().stringValue(), call);
                  if (callee != null && isWriter(callee) && !mayWrite(layer(caller), callee)) {
                    found.add(caller + " calls " + owner + "." + callee.getName());
                  }
                }
              });
        }
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void aPassChangesOnlyCollectionsThatAreItsOwn() throws Exception {
    var owners = collections();
    var found = new TreeSet<String>();
    for (var file : sources()) {
      var layer = layer(LIBRARY + "." + SOURCES.relativize(file).toString().replace('/', '.'));
      found.addAll(changes(layer, Files.readString(file), owners));
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void aWriterOutOfItsPhaseIsFound() throws Exception {
    var assign = Resource.class.getMethod("setAssigned", ScoredNode.class);
    assertTrue(mayWrite("assignment", assign));
    assertFalse(mayWrite("graph", assign));
    var owners = collections();
    assertEquals(
        List.of("graph changes orderings()"),
        changes("graph", "cluster.orderings().add(order);", owners));
    assertEquals(List.of(), changes("constraints", "cluster.orderings().add(order);", owners));
  }

  private static boolean isWriter(Method method) {
    return method.getName().matches("set[A-Z]\\w*")
        && method.getReturnType() == void.class
        && method.getParameterCount() == 1;
  }

  private static boolean mayWrite(String layer, Method writer) {
    var by = writer.getAnnotation(WrittenBy.class);
    return layer.equals("model") || by != null && List.of(by.value()).contains(layer);
  }

  /// The package below the library's, empty for the library's own.
  private static String layer(String name) {
    var rest = name.substring(LIBRARY.length() + 1);
    var dot = rest.indexOf('.');
    return dot < 0 || !Character.isLowerCase(rest.charAt(0)) ? "" : rest.substring(0, dot);
  }

  private static List<String> changes(
      String layer, String source, Map<String, Set<String>> owners) {
    var found = new ArrayList<String>();
    var change = CHANGE.matcher(source);
    while (change.find()) {
      var allowed = owners.get(change.group(1));
      if (allowed != null && !layer.equals("model") && !allowed.contains(layer)) {
        found.add(layer + " changes " + change.group(1) + "()");
      }
    }
    return found;
  }

  /// The accessors of collections, with the packages that may change what is in them.
  private static Map<String, Set<String>> collections() throws Exception {
    var owners = new HashMap<String, Set<String>>();
    for (var type : modelTypes()) {
      for (var method : type.getDeclaredMethods()) {
        var kind = method.getReturnType();
        if (method.getParameterCount() == 0
            && (Collection.class.isAssignableFrom(kind)
                || Map.class.isAssignableFrom(kind)
                || kind == NodeTable.class)) {
          var by = method.getAnnotation(WrittenBy.class);
          owners
              .computeIfAbsent(method.getName(), _ -> new HashSet<>())
              .addAll(by == null ? List.of() : List.of(by.value()));
        }
      }
    }
    return owners;
  }

  private static @Nullable Method method(String owner, String name, InvokeInstruction call) {
    if (!owner.startsWith(LIBRARY + ".model.")) {
      return null;
    }
    try {
      for (Class<?> at = Class.forName(owner); at != null; at = at.getSuperclass()) {
        for (var method : at.getDeclaredMethods()) {
          if (method.getName().equals(name)
              && method.getParameterCount() == call.typeSymbol().parameterCount()
              && !method.isBridge()) {
            return method;
          }
        }
      }
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
    return null;
  }

  private static List<Class<?>> modelTypes() throws Exception {
    var types = new ArrayList<Class<?>>();
    for (var file : classes()) {
      var name = ClassFile.of().parse(file).thisClass().asInternalName().replace('/', '.');
      if (name.startsWith(LIBRARY + ".model.")) {
        types.add(Class.forName(name));
      }
    }
    assertTrue(types.size() > 40, "the model is not where it was");
    return types;
  }

  /// The library's compiled classes, without those of its tests.
  private static List<Path> classes() throws IOException, URISyntaxException {
    var root =
        Path.of(Resource.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve(LIBRARY.replace('.', '/'));
    try (var files = Files.walk(root)) {
      return files
          .filter(it -> it.toString().endsWith(".class"))
          .filter(it -> Files.exists(SOURCES.resolve(source(root.relativize(it).toString()))))
          .sorted()
          .toList();
    }
  }

  private static String source(String compiled) {
    var nested = compiled.indexOf('$');
    var end = nested < 0 ? compiled.length() - ".class".length() : nested;
    return compiled.substring(0, end) + ".java";
  }

  private static List<Path> sources() throws IOException {
    try (var files = Files.walk(SOURCES)) {
      return files.filter(it -> it.toString().endsWith(".java")).sorted().toList();
    }
  }
}
