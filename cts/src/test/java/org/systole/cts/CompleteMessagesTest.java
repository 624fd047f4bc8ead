package org.systole.cts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.systole.common.wire.Protocol;
import org.systole.common.wire.Protocol.ProtocolException;

/// Of every message of every protocol, each field in turn is left out, or is null: it is refused, or
/// what comes out has null only where its record says so. Messages in a short form are cut at each
/// byte.
final class CompleteMessagesTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<String> wrong = new ArrayList<>();
  private int refused;
  private int taken;

  @Test
  void noMessageLacksWhatItsRecordAsksFor() throws IOException {
    var samples = new Samples();
    for (var spoken : Protocols.all()) {
      for (var type : spoken.types()) {
        for (var message : List.of(samples.message(type), samples.bare(type))) {
          var frame = encoded(spoken.protocol(), message);
          var name = spoken + "." + type.getSimpleName();
          if (frame[0] == 0) {
            cut(spoken.protocol(), name, frame);
          } else {
            thin(spoken.protocol(), name, JSON.readTree(frame));
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(refused > 500 && taken > 50, refused + " refused, " + taken + " taken");
  }

  @SuppressWarnings("unchecked") // the messages are the protocol's own
  private static byte[] encoded(Protocol<?> protocol, Record message) {
    return ((Protocol<Record>) protocol).encode(7, message, Integer.MAX_VALUE);
  }

  private void cut(Protocol<?> protocol, String name, byte[] frame) {
    for (var length = 1; length < frame.length; length++) {
      decode(protocol, name + " cut at " + length, Arrays.copyOf(frame, length));
    }
  }

  private void thin(Protocol<?> protocol, String name, JsonNode whole) throws IOException {
    thin(protocol, name, whole, whole);
  }

  /// Leaves out, and puts back, everything inside of a part of the message.
  private void thin(Protocol<?> protocol, String name, JsonNode whole, JsonNode part)
      throws IOException {
    if (part instanceof ObjectNode object) {
      var fields = new ArrayList<String>();
      object.fieldNames().forEachRemaining(fields::add);
      for (var field : fields) {
        var value = object.get(field);
        object.remove(field);
        decode(protocol, name + " without " + field, JSON.writeValueAsBytes(whole));
        object.putNull(field);
        decode(protocol, name + " with null for " + field, JSON.writeValueAsBytes(whole));
        object.set(field, value);
        thin(protocol, name + "." + field, whole, value);
      }
    } else if (part instanceof ArrayNode array) {
      for (var at = 0; at < array.size(); at++) {
        var value = array.get(at);
        array.set(at, JSON.nullNode());
        decode(protocol, name + " with null in it", JSON.writeValueAsBytes(whole));
        array.set(at, value);
        thin(protocol, name + "[]", whole, value);
      }
    }
  }

  private void decode(Protocol<?> protocol, String what, byte[] frame) {
    try {
      if (protocol.decode(frame).body() instanceof Record message) {
        taken++;
        look(what, message, message.getClass().getSimpleName());
      }
    } catch (ProtocolException e) {
      refused++;
    } catch (RuntimeException e) {
      wrong.add(what + ": " + e);
    }
  }

  private void look(String what, Record message, String path) {
    for (var component : message.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        var value = component.getAccessor().invoke(message);
        look(what, value, component.getAnnotatedType(), path + "." + component.getName());
      } catch (ReflectiveOperationException e) {
        wrong.add(what + ": " + path + " cannot be read: " + e.getCause());
      }
    }
  }

  private void look(String what, @Nullable Object value, AnnotatedType type, String path) {
    var inside =
        type instanceof AnnotatedParameterizedType generic
            ? generic.getAnnotatedActualTypeArguments()
            : new AnnotatedType[0];
    switch (value) {
      case null -> {
        if (!type.isAnnotationPresent(Nullable.class)) {
          wrong.add(what + ": " + path + " is null");
        }
      }
      case Record it -> look(what, it, path);
      case List<?> list -> list.forEach(it -> look(what, it, inside[0], path + "[]"));
      case Map<?, ?> map ->
          map.forEach(
              (key, entry) -> {
                look(what, key, inside[0], path + "[]");
                look(what, entry, inside[1], path + "[]");
              });
      default -> {}
    }
  }
}
