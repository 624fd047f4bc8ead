package org.systole.common.wire;

import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol.NoNameException;
import org.systole.common.wire.Protocol.ProtocolException;

/// Refuses decoded records that lack something: a component, an element or an entry that is null
/// and not `@Nullable`. Who handles a message then needs no doubts about it.
///
/// What a record class asks for is found out once. Safe for use by several threads.
final class Completeness {
  /// What a place may hold.
  ///
  /// @param isName it holds a name or an id, which is null for what came as an empty text
  /// @param inside of an element of a list, of a key and a value of a map
  private record Place(boolean mayBeNull, boolean isName, List<Place> inside) {}

  private static final Set<Type> NAMES =
      Set.of(NodeName.class, ResourceId.class, OperationName.class, NodeId.class);

  private record Component(String name, Method accessor, Place place) {}

  private static final ClassValue<List<Component>> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected List<Component> computeValue(Class<?> type) {
          return Stream.of(type.getRecordComponents())
              .map(
                  it -> {
                    var accessor = it.getAccessor();
                    accessor.setAccessible(true);
                    return new Component(it.getName(), accessor, place(it.getAnnotatedType()));
                  })
              .toList();
        }
      };

  private Completeness() {}

  private static Place place(AnnotatedType type) {
    var inside =
        type instanceof AnnotatedParameterizedType generic
            ? Stream.of(generic.getAnnotatedActualTypeArguments())
                .map(Completeness::place)
                .toList()
            : List.<Place>of();
    return new Place(
        type.isAnnotationPresent(Nullable.class), NAMES.contains(type.getType()), inside);
  }

  /// @param id the message's number: a client that asks with an empty name may be answered
  /// @throws ProtocolException naming what is missing
  static void check(long id, Record message) throws ProtocolException {
    check(id, message, message.getClass().getSimpleName());
  }

  private static void check(long id, Record message, String path) throws ProtocolException {
    for (var component : COMPONENTS.get(message.getClass())) {
      Object value;
      try {
        value = component.accessor().invoke(message);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read " + component.name() + " of " + path, e);
      }
      check(id, value, component.place(), path + "." + component.name());
    }
  }

  private static void check(long id, @Nullable Object value, Place place, String path)
      throws ProtocolException {
    switch (value) {
      case null -> {
        if (!place.mayBeNull() && place.isName()) {
          throw new NoNameException(id, path + " is missing or empty");
        }
        if (!place.mayBeNull()) {
          throw new ProtocolException(path + " is missing");
        }
      }
      case NodeName _, ResourceId _, OperationName _, NodeId _ -> {} // whole by their making
      case Record it -> check(id, it, path);
      case List<?> list -> {
        for (var element : list) {
          check(id, element, place.inside().getFirst(), path + "[]");
        }
      }
      case Map<?, ?> map -> {
        for (var entry : map.entrySet()) {
          check(id, entry.getKey(), place.inside().getFirst(), path + "[]");
          check(id, entry.getValue(), place.inside().getLast(), path + "[]");
        }
      }
      default -> {}
    }
  }
}
