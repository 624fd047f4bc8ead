package org.systole.cts.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.wire.Protocol;
import org.systole.cts.Protocols.Spoken;
import org.systole.common.xml.XmlText;
import org.systole.cts.Samples;

/// Makes messages that are wrong, or odd, beginning with right ones: of each type a protocol has,
/// by what its components are. The same random numbers give the same message.
final class Nonsense {
  /// The message's `id`: where it is left alone, an answer has it too.
  static final int ID = 7;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .registerModule(
              new SimpleModule()
                  .addSerializer(NodeName.class, ToStringSerializer.instance)
                  .addSerializer(ResourceId.class, ToStringSerializer.instance)
                  .addSerializer(OperationName.class, ToStringSerializer.instance)
                  .addSerializer(XmlText.class, ToStringSerializer.instance)
                  .addSerializer(NodeId.class, new NumberOfNode()));

  private static final class NumberOfNode
      extends com.fasterxml.jackson.databind.ser.std.StdSerializer<NodeId> {
    private static final long serialVersionUID = 1L;

    NumberOfNode() {
      super(NodeId.class);
    }

    @Override
    public void serialize(
        NodeId id,
        com.fasterxml.jackson.core.JsonGenerator to,
        com.fasterxml.jackson.databind.SerializerProvider with)
        throws java.io.IOException {
      to.writeNumber(id.number());
    }
  }

  /// @param what a few words: type and what was done to it
  /// @param frame without its length
  /// @param answered whether somebody who may ask it gets an answer or is cut off
  record Message(String what, byte[] frame, boolean answered) {}

  private final RandomGenerator random;
  private final NonsenseValues values;
  private final int longest;

  /// @param longest text or list to be made, in bytes
  Nonsense(RandomGenerator random, int longest) {
    this.random = random;
    this.values = new NonsenseValues(random, longest);
    this.longest = longest;
  }

  /// A message of that type, or what once was one.
  Message of(Spoken spoken, Class<? extends Record> type) {
    var name = spoken + "." + type.getSimpleName();
    return switch (random.nextInt(10)) {
      case 0 -> bytes(name + " with changed bytes", changed(whole(spoken, type)));
      case 1 -> bytes(name + " cut short", cut(whole(spoken, type)));
      case 2 -> new Message(name + " as it should be", json(spoken, type, body(type)), true);
      default -> text(spoken, type, name);
    };
  }

  /// Bytes that never were a message.
  byte[] garbage() {
    var bytes = new byte[1 + random.nextInt(Math.min(longest, 2_000))];
    random.nextBytes(bytes);
    if (random.nextBoolean()) {
      bytes[0] = (byte) (random.nextBoolean() ? '{' : 0);
    }
    return bytes;
  }

  private static Message bytes(String what, byte[] frame) {
    return new Message(what, frame, false);
  }

  /// In its short form where it has one.
  @SuppressWarnings("unchecked") // a message of this protocol
  private <M> byte[] whole(Spoken spoken, Class<? extends Record> type) {
    return ((Protocol<M>) spoken.protocol()).encode(ID, (M) new Samples().message(type));
  }

  private static ObjectNode body(Class<? extends Record> type) {
    return JSON.valueToTree(new Samples().message(type));
  }

  private byte[] json(Spoken spoken, Class<? extends Record> type, ObjectNode body) {
    return frame(spoken, type, body).toString().getBytes(StandardCharsets.UTF_8);
  }

  private static ObjectNode frame(Spoken spoken, Class<? extends Record> type, ObjectNode body) {
    var frame = JSON.createObjectNode().put("v", spoken.protocol().version()).put("id", ID);
    frame.put("type", type.getSimpleName()).set("body", body);
    return frame;
  }

  private Message text(Spoken spoken, Class<? extends Record> type, String name) {
    var body = body(type);
    var said = new ArrayList<String>();
    for (var times = 1 + random.nextInt(3); times > 0; times--) {
      said.add(spoil(body));
    }
    var frame = frame(spoken, type, body);
    var answered = true;
    if (random.nextInt(12) == 0) {
      answered = false;
      said.add(spoilFrame(frame));
    }
    var text = values.fill(frame.toString());
    if (random.nextInt(12) == 0) {
      text = twice(text);
      said.add("a field twice");
    }
    return new Message(name + said, text.getBytes(StandardCharsets.UTF_8), answered);
  }

  private String spoilFrame(ObjectNode frame) {
    var names = List.of("v", "id", "type", "body");
    var name = names.get(random.nextInt(names.size()));
    if (random.nextBoolean()) {
      frame.remove(name);
    } else {
      frame.set(name, values.any());
    }
    return "frame's " + name;
  }

  /// Changes something in a tree, at a random depth.
  private String spoil(JsonNode in) {
    return switch (in) {
      case ObjectNode object when !object.isEmpty() -> spoilField(object);
      case ArrayNode list -> spoilList(list);
      default -> "nothing to spoil";
    };
  }

  private String spoilField(ObjectNode object) {
    var fields = new ArrayList<String>();
    object.fieldNames().forEachRemaining(fields::add);
    var name = fields.get(random.nextInt(fields.size()));
    var value = object.get(name);
    if (value.isContainerNode() && !value.isEmpty() && random.nextInt(4) > 0) {
      return name + "." + spoil(value);
    }
    switch (random.nextInt(12)) {
      case 0 -> object.remove(name);
      case 1 -> object.putNull(name);
      case 2 -> object.set(name, values.any());
      case 3 -> object.set(values.text(name), values.any());
      default -> object.set(name, values.like(name, value));
    }
    return name;
  }

  private String spoilList(ArrayNode list) {
    switch (random.nextInt(6)) {
      case 0 -> list.addNull();
      case 1 -> list.add(values.any());
      case 2 -> repeat(list);
      case 3 -> list.removeAll();
      default -> {
        if (!list.isEmpty()) {
          var first = list.get(0);
          if (first.isContainerNode()) {
            return "[0]." + spoil(first);
          }
          list.set(0, values.like("", first));
        }
      }
    }
    return "[]";
  }

  private void repeat(ArrayNode list) {
    if (!list.isEmpty()) {
      var first = list.get(0);
      var room = longest / (first.toString().length() + 1);
      for (var count = Math.min(room, 1 << random.nextInt(14)); count > 0; count--) {
        list.add(first.deepCopy()); // what is done to one of them is not done to all
      }
    }
  }

  /// Puts a field a second time, with another value.
  private String twice(String text) {
    var names = List.of("\"v\"", "\"id\"", "\"type\"", "\"body\"");
    var name = names.get(random.nextInt(names.size()));
    return "{" + name + ":" + values.any() + "," + text.substring(1);
  }

  private byte[] changed(byte[] frame) {
    var bytes = frame.clone();
    for (var times = 1 + random.nextInt(4); times > 0; times--) {
      var at = random.nextInt(bytes.length);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt(256);
        case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 9), (byte) 0xFF);
        default -> bytes = insert(bytes, at);
      }
    }
    return bytes;
  }

  private byte[] insert(byte[] bytes, int at) {
    var more = new byte[1 + random.nextInt(12)];
    random.nextBytes(more);
    var longer = Arrays.copyOf(bytes, bytes.length + more.length);
    System.arraycopy(bytes, at, longer, at + more.length, bytes.length - at);
    System.arraycopy(more, 0, longer, at, more.length);
    return longer;
  }

  private byte[] cut(byte[] frame) {
    return Arrays.copyOf(frame, 1 + random.nextInt(frame.length));
  }

  /// All types of a protocol by their names, in the order of the source.
  static Map<String, Class<? extends Record>> types(Spoken spoken) {
    var types = new LinkedHashMap<String, Class<? extends Record>>();
    spoken.types().forEach(it -> types.put(it.getSimpleName(), it));
    return types;
  }
}
