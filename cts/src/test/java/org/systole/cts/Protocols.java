package org.systole.cts;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.systole.common.wire.ClientProtocol;
import org.systole.common.wire.Protocol;

/// All protocols there are, found in the sources: one that is new is found too.
public final class Protocols {
  private static final Path ROOT = Path.of("..");

  /// @param socket where it is spoken to clients, empty where daemons speak it to their like
  public record Spoken(String name, String socket, Protocol<?> protocol, Class<?> messages) {
    @Override
    public String toString() {
      return name;
    }

    /// The message types, in the order of the source.
    public List<Class<? extends Record>> types() {
      var types = new ArrayList<Class<? extends Record>>();
      collect(messages, types);
      return types;
    }
  }

  private Protocols() {}

  public static List<Spoken> all() {
    try (var files = Files.walk(ROOT)) {
      return files
          .filter(it -> it.toString().contains("/src/main/java/"))
          .filter(it -> it.toString().endsWith("Message.java"))
          .filter(Protocols::isOne)
          .sorted()
          .map(Protocols::read)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isOne(Path source) {
    try {
      return Files.readString(source).contains("Protocol.of(");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Spoken read(Path source) {
    var path = source.toString();
    var name =
        path.substring(path.indexOf("/java/") + "/java/".length(), path.length() - ".java".length())
            .replace('/', '.');
    try {
      var messages = Class.forName(name);
      var socket =
          Stream.of(messages.getFields()).anyMatch(it -> it.getName().equals("SOCKET"))
              ? (String) constant(messages, "SOCKET")
              : "";
      var protocol =
          switch (constant(messages, "PROTOCOL")) {
            case ClientProtocol<?, ?, ?> it -> it.messages();
            case Protocol<?> it -> it;
            case Object other -> throw new IllegalStateException(name + " has as its " + other);
          };
      return new Spoken(messages.getSimpleName(), socket, protocol, messages);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Object constant(Class<?> of, String name) throws ReflectiveOperationException {
    Field field = of.getField(name);
    field.setAccessible(true);
    return field.get(null);
  }

  private static void collect(Class<?> from, List<Class<? extends Record>> to) {
    for (var type : from.getPermittedSubclasses()) {
      if (type.isInterface()) {
        collect(type, to);
      } else if (!to.contains(type.asSubclass(Record.class))) {
        to.add(type.asSubclass(Record.class));
      }
    }
  }
}
