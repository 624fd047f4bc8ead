package org.systole.common.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.NodeId;
import org.systole.common.values.NodeName;
import org.systole.common.values.OperationName;
import org.systole.common.values.ResourceId;
import org.systole.common.xml.XmlText;

/// Names and ids in JSON: the plain text or number, also as keys of a map. A component that has
/// none is written as an empty text or a zero, and read as null; where it is not `@Nullable`, it is
/// missing. What can never be a name is refused. XML is a plain text, too.
final class NameCodecs {
  static final String NO_NODE_NAME = "that is not a valid node name";
  static final String NO_RESOURCE_ID = "that is not a valid resource id";
  static final String NO_OPERATION = "that is not a valid operation name";
  static final String NO_NODE_ID = "that is not a valid node id";

  /// A text or number that can never be one.
  static final class NoName extends JsonMappingException {
    NoName(JsonParser from, String what) {
      super(from, what);
    }
  }

  private NameCodecs() {}

  static JsonMapper.Builder into(JsonMapper.Builder mapper) {
    var module = new SimpleModule("names");
    texts(module, NodeName.class, NodeName::of, NO_NODE_NAME);
    texts(module, ResourceId.class, ResourceId::of, NO_RESOURCE_ID);
    texts(module, OperationName.class, OperationName::of, NO_OPERATION);
    module.addSerializer(NodeId.class, new Writer<>((id, to) -> to.writeNumber(id.number())));
    module.addDeserializer(NodeId.class, new NumberReader());
    keys(module, NodeId.class, NodeId::of, NO_NODE_ID);
    module.addSerializer(XmlText.class, new Writer<>((xml, to) -> to.writeString(xml.text())));
    module.addDeserializer(XmlText.class, new TextReader<>(XmlText.class, XmlText::of, ""));
    module.setSerializerModifier(new Nothing());
    for (var type : List.of(NodeName.class, ResourceId.class, OperationName.class, NodeId.class)) {
      mapper.withConfigOverride(
          type,
          it ->
              it.setInclude(
                  JsonInclude.Value.construct(
                      JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS)));
    }
    return mapper.addModule(module);
  }

  private static <T> void texts(
      SimpleModule module, Class<T> type, Function<String, @Nullable T> read, String refusal) {
    module.addSerializer(type, new Writer<>((name, to) -> to.writeString(name.toString())));
    module.addDeserializer(type, new TextReader<>(type, read, refusal));
    keys(module, type, read, refusal);
  }

  private static <T> void keys(
      SimpleModule module, Class<T> type, Function<String, @Nullable T> read, String refusal) {
    module.addKeySerializer(type, new Writer<>((key, to) -> to.writeFieldName(key.toString())));
    module.addKeyDeserializer(type, new KeyReader<>(read, refusal));
  }

  private interface Writing<T> {
    void write(T value, JsonGenerator to) throws IOException;
  }

  private static final class Writer<T> extends JsonSerializer<T> {
    private final Writing<T> writing;

    Writer(Writing<T> writing) {
      this.writing = writing;
    }

    @Override
    public void serialize(T value, JsonGenerator to, SerializerProvider all) throws IOException {
      writing.write(value, to);
    }
  }

  /// Writes a component that has none.
  private static final class Nothing extends BeanSerializerModifier {
    @Override
    public List<BeanPropertyWriter> changeProperties(
        SerializationConfig config, BeanDescription type, List<BeanPropertyWriter> components) {
      for (var it : components) {
        var of = it.getType().getRawClass();
        if (of == NodeName.class || of == ResourceId.class || of == OperationName.class) {
          it.assignNullSerializer(new Writer<>((none, to) -> to.writeString("")));
        } else if (of == NodeId.class) {
          it.assignNullSerializer(new Writer<>((none, to) -> to.writeNumber(0)));
        }
      }
      return components;
    }
  }

  private static final class TextReader<T> extends JsonDeserializer<@Nullable T> {
    private final Class<T> type;
    private final Function<String, @Nullable T> read;
    private final String refusal;

    TextReader(Class<T> type, Function<String, @Nullable T> read, String refusal) {
      this.type = type;
      this.read = read;
      this.refusal = refusal;
    }

    @Override
    public @Nullable T deserialize(JsonParser from, DeserializationContext context)
        throws IOException {
      if (from.currentToken() != JsonToken.VALUE_STRING) {
        return context.reportInputMismatch(type, "no text");
      }
      var text = from.getText();
      var name = read.apply(text);
      if (name == null && !text.isEmpty()) {
        throw new NoName(from, refusal);
      }
      return name;
    }
  }

  private static final class NumberReader extends JsonDeserializer<@Nullable NodeId> {
    @Override
    public @Nullable NodeId deserialize(JsonParser from, DeserializationContext context)
        throws IOException {
      if (from.currentToken() != JsonToken.VALUE_NUMBER_INT) {
        return context.reportInputMismatch(NodeId.class, "no number");
      }
      var number = from.getIntValue();
      var id = NodeId.of(number);
      if (id == null && number != 0) {
        throw new NoName(from, NO_NODE_ID);
      }
      return id;
    }
  }

  private static final class KeyReader<T> extends KeyDeserializer {
    private final Function<String, @Nullable T> read;
    private final String refusal;

    KeyReader(Function<String, @Nullable T> read, String refusal) {
      this.read = read;
      this.refusal = refusal;
    }

    @Override
    public Object deserializeKey(String key, DeserializationContext context) throws IOException {
      var name = read.apply(key);
      if (name == null) {
        throw new NoName(context.getParser(), refusal);
      }
      return name;
    }
  }
}
