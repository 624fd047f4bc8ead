package org.systole.cts;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.XmlText;

/// Makes messages in which everything is there: each list and map has an entry, and no two texts or
/// numbers of a message are the same. The same type gives the same message each time.
public final class Samples {
  private final Set<Class<?>> enums = new TreeSet<>(Comparator.comparing(Class::getName));
  private int last;
  private boolean bare;

  /// A message of that type.
  public Record message(Class<? extends Record> type) {
    last = 0;
    return type.cast(record(type));
  }

  /// A message of that type without what may be missing: it may have a short form where the whole
  /// one has none.
  Record bare(Class<? extends Record> type) {
    last = 0;
    bare = true;
    try {
      return type.cast(record(type));
    } finally {
      bare = false;
    }
  }

  /// The enums in all the messages so far.
  Set<Class<?>> enums() {
    return enums;
  }

  private Object of(Type type) {
    return switch (type) {
      case Class<?> it when it == String.class -> "t" + ++last;
      case Class<?> it when it == boolean.class || it == Boolean.class -> ++last % 2 == 0;
      case Class<?> it when it == int.class || it == Integer.class -> ++last;
      case Class<?> it when it == long.class || it == Long.class -> (long) ++last;
      case Class<?> it when it == byte[].class -> new byte[] {(byte) ++last};
      case Class<?> it when it.isEnum() -> firstByName(it);
      case Class<?> it when it == XmlText.class -> XmlText.of("t" + ++last);
      case Class<?> it when it == NodeName.class -> new NodeName("t" + ++last);
      case Class<?> it when it == ResourceId.class -> new ResourceId("t" + ++last);
      case Class<?> it when it == OperationName.class -> new OperationName("t" + ++last);
      case Class<?> it when it == NodeId.class -> new NodeId(++last);
      case Class<?> it when it.isRecord() -> record(it);
      case ParameterizedType it when it.getRawType() == List.class ->
          List.of(of(it.getActualTypeArguments()[0]));
      case ParameterizedType it when it.getRawType() == Map.class ->
          Map.of(of(it.getActualTypeArguments()[0]), of(it.getActualTypeArguments()[1]));
      default -> throw new IllegalArgumentException("what is a " + type + "?");
    };
  }

  private static boolean mayBeMissing(RecordComponent it) {
    return it.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private Object firstByName(Class<?> type) {
    enums.add(type);
    return Stream.of(type.getEnumConstants())
        .min(Comparator.comparing(it -> ((Enum<?>) it).name()))
        .orElseThrow();
  }

  /// No file can have a token time as short as the numbers here.
  private Object of(RecordComponent it) {
    return it.getName().equals("tokenMillis") && it.getType() == long.class ? (Object) (1000L + ++last) : of(it.getGenericType());
  }

  private Object record(Class<?> type) {
    var components = type.getRecordComponents();
    try {
      var constructor =
          type.getDeclaredConstructor(
              Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
      constructor.setAccessible(true);
      return constructor.newInstance(
          Stream.of(components)
              .map(it -> bare && mayBeMissing(it) ? null : of(it))
              .toArray());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot make a " + type, e);
    }
  }
}
