package org.systole.scheduler.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
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

  private static final List<Class<? extends Enum<?>>> FLAGS =
      List.of(ActionFlag.class, ClusterFlag.class, NodeFlag.class, ResourceFlag.class);
  private static final Set<Class<?>> WORKING_SET =
      Set.of(
          Action.class,
          Node.class,
          Resource.class,
          ResourceState.class,
          ClusterState.class,
          WorkingSet.class);

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
  void aPassSetsOnlyFlagsThatAreItsOwn() throws Exception {
    var found = new TreeSet<String>();
    for (var file : classes()) {
      var model = ClassFile.of().parse(file);
      var layer = layer(model.thisClass().asInternalName().replace('/', '.'));
      for (var method : model.methods()) {
        method.code().ifPresent(code -> found.addAll(flagsWritten(layer, code)));
      }
    }
    assertEquals("", String.join("\n", found));
  }

  @Test
  void everyFlagSaysWhoMaySetIt() throws Exception {
    var found = new TreeSet<String>();
    for (var type : FLAGS) {
      for (var constant : type.getEnumConstants()) {
        if (type.getField(((Enum<?>) constant).name()).getAnnotation(WrittenBy.class) == null) {
          found.add(type.getSimpleName() + "." + constant);
        }
      }
    }
    assertEquals(Set.of(), found);
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

  @Test
  void aFlagSetOutOfItsPhaseIsFound() throws Exception {
    try (var in = WritersTest.class.getResourceAsStream("WritersTest$Careless.class")) {
      var found = new TreeSet<String>();
      for (var method : ClassFile.of().parse(in.readAllBytes()).methods()) {
        method.code().ifPresent(code -> found.addAll(flagsWritten("graph", code)));
        method.code().ifPresent(code -> found.addAll(flagsWritten("assignment", code)));
      }
      assertEquals(Set.of("graph sets ASSIGNING"), found);
    }
  }

  private static final class Careless {
    static void assign(Resource resource) {
      resource.set(ResourceFlag.ASSIGNING);
    }
  }

  private static boolean isWriter(Method method) {
    return method.getReturnType() == void.class
        && (method.getName().matches("set[A-Z]\\w*") && method.getParameterCount() == 1
            || method.getName().matches("(?:set|clear|add|put|remove)(?:[A-Z]\\w*)?")
                && WORKING_SET.contains(method.getDeclaringClass()));
  }

  /// The constants of flags that code hands straight to a method that sets or clears them, where
  /// its package may not.
  private static Set<String> flagsWritten(String layer, CodeModel code) {
    var found = new TreeSet<String>();
    FieldInstruction constant = null;
    for (var element : code) {
      if (element instanceof FieldInstruction field && field.opcode() == Opcode.GETSTATIC) {
        constant = isFlag(field.owner().asInternalName()) ? field : constant;
      } else if (element instanceof InvokeInstruction call) {
        if (constant != null
            && call.name().stringValue().matches("(?:set|clear)(?:All)?")
            && call.typeSymbol().parameterList().stream()
                .anyMatch(it -> isFlag(it.descriptorString().replaceAll("^L|;$", "")))
            && !mayWrite(layer, constant)) {
          found.add(layer + " sets " + constant.name().stringValue());
        }
        constant = null;
      }
    }
    return found;
  }

  private static boolean isFlag(String internalName) {
    return FLAGS.stream().anyMatch(it -> it.getName().replace('.', '/').equals(internalName));
  }

  private static boolean mayWrite(String layer, FieldInstruction constant) {
    if (layer.equals("model")) {
      return true;
    }
    try {
      var by =
          Class.forName(constant.owner().asInternalName().replace('/', '.'))
              .getField(constant.name().stringValue())
              .getAnnotation(WrittenBy.class);
      return by != null && List.of(by.value()).contains(layer);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
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
