package org.systole.common.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.systole.common.world.Connection;

/// A family of messages: the records nested in one sealed interface, written as Json.MAPPER.
///
/// A frame is `{"v":1,"id":7,"type":"Query","body":{...}}`; `id` pairs an answer with its request
/// and is 0 for a message that answers none. An unknown field is ignored, and an unknown type refused
/// in words; another version and a message that lacks something are nonsense. Only what is `@Nullable` may be missing
/// or null: a list or a map that has nothing is there, and empty. XML travels as text inside.
/// Components are strings, numbers, booleans, enums, byte arrays, lists, maps and records of these;
/// durations and instants are numbers with the unit in their name. Nodes and resources are named by
/// their types, which travel as plain text or number (see [NameCodecs]).
///
/// Messages that come often may have a [ShortForm]. Such a frame begins with a zero, the version
/// and the `id`.
///
/// Safe for use by several threads.
///
/// @param <M> the sealed interface
public final class Protocol<M> {
  // Apart, because most commands get by with short forms, and its making takes as long as they do.
  private static final class Json {
    static final int NESTING_MAX = 50;
    static final ObjectMapper MAPPER =
        NameCodecs.into(
                JsonMapper.builder(
                    JsonFactory.builder()
                        .streamReadConstraints(
                            StreamReadConstraints.builder()
                                .maxNestingDepth(NESTING_MAX)
                                .maxStringLength(Connection.FRAME_MAX)
                                .build())
                        .build()))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS)
            .defaultPropertyInclusion(
                JsonInclude.Value.construct(
                    JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
            .build();
  }

  /// A message with the number that pairs request and answer.
  public record Envelope<M>(long id, M body) {}

  private record Frame<M>(int v, long id, String type, M body) {}

  /// A frame that is not a message of this protocol.
  public static sealed class ProtocolException extends IOException permits NumberedException {
    public ProtocolException(String message) {
      super(message);
    }
  }

  /// A frame that tells at least which message it is, so that it can be answered.
  public abstract static sealed class NumberedException extends ProtocolException
      permits NoNameException, UnknownMessageException, NotUnderstoodException {
    private final long id;

    private NumberedException(long id, String message) {
      super(message);
      this.id = id;
    }

    /// The message's number.
    long id() {
      return id;
    }
  }

  /// A message that would be one if it did not name what can never be a node or a resource. Whoever
  /// asked so may be told, as users give such names.
  public static final class NoNameException extends NumberedException {
    NoNameException(long id, String message) {
      super(id, message);
    }
  }

  /// A message of a type this build does not have, as another build may send it.
  public static final class UnknownMessageException extends NumberedException {
    UnknownMessageException(long id, String message) {
      super(id, message);
    }
  }

  /// The other end says that it does not understand a request.
  public static final class NotUnderstoodException extends NumberedException {
    NotUnderstoodException(long id, String message) {
      super(id, message);
    }
  }

  private static final String OTHER_BUILD =
      "whoever sent it is of a newer build than this, or of a much older one";

  private static final String REFUSED = "NotUnderstood";

  private record Refusal(String why) {}

  private static final int SHORT = 0; // no JSON begins with it
  private static final int VERSION_MAX = 9; // digits
  private static final int PLACE_MAX = 200; // characters of the path to what is wrong

  private final String name;
  private final int version;
  private final @Nullable ShortForm<M> shortForm;
  private final Class<M> messages;
  private volatile @Nullable Map<String, Class<? extends M>> types; // made when first needed

  private Protocol(String name, int version, Class<M> messages, @Nullable ShortForm<M> shortForm) {
    this.name = name;
    this.version = version;
    this.shortForm = shortForm;
    this.messages = messages;
  }

  /// @param messages a sealed interface whose permitted types are records or sealed interfaces; one
  ///     may be permitted by several of these
  public static <M> Protocol<M> of(String name, int version, Class<M> messages) {
    return new Protocol<>(name, version, messages, null);
  }

  /// @param shortForm of some of the messages
  public static <M> Protocol<M> of(
      String name, int version, Class<M> messages, ShortForm<M> shortForm) {
    return new Protocol<>(name, version, messages, shortForm);
  }

  private Map<String, Class<? extends M>> types() {
    var known = types;
    if (known == null) {
      known = new LinkedHashMap<>();
      collect(messages, known);
      types = known;
    }
    return known;
  }

  private void collect(Class<?> from, Map<String, Class<? extends M>> known) {
    var permitted = from.getPermittedSubclasses();
    if (permitted == null) {
      throw new IllegalArgumentException(from + " is not sealed");
    }
    for (var type : permitted) {
      if (type.isInterface()) {
        collect(type, known);
        continue;
      }
      var before = known.put(type.getSimpleName(), type.asSubclass(messages));
      if (before != null && before != type) {
        throw new IllegalArgumentException(name + " has two messages " + type.getSimpleName());
      }
    }
  }

  public String name() {
    return name;
  }

  /// Only messages of the same version are understood.
  public int version() {
    return version;
  }

  public byte[] encode(long id, M message) {
    return encode(id, message, Integer.MAX_VALUE);
  }

  /// As those read it who speak a level and know of nothing that a later one brought.
  public byte[] encode(long id, M message, int level) {
    var known = DecodedFrames.ofThisThread();
    var envelope = known == null ? null : new Envelope<>(id, message);
    var instead = known == null ? null : known.inPlaceOf(this, envelope, level);
    if (instead != null) {
      return instead;
    }
    var frame = encodeAnew(id, message, level);
    if (known != null) {
      known.keep(this, frame, envelope);
    }
    return frame;
  }

  /// @param envelope one of this protocol's
  @SuppressWarnings("unchecked") // who asks has it from [#encode]
  byte[] bytes(Object envelope, int level) {
    var it = (Envelope<M>) envelope;
    return encodeAnew(it.id(), it.body(), level);
  }

  private byte[] encodeAnew(long id, M message, int level) {
    var brief = encodeShort(id, message, level);
    return brief != null ? brief : encodeAsJson(id, message);
  }

  private byte @Nullable [] encodeShort(long id, M message, int level) {
    if (shortForm == null || shortForm.since(message) > level) {
      return null;
    }
    var frame = new FrameWriter().octet(SHORT).octet(version).number(id);
    return shortForm.write(message, frame) ? frame.frame() : null;
  }

  private byte[] encodeAsJson(long id, M message) {
    return encodeAsJson(id, message.getClass().getSimpleName(), message);
  }

  private byte[] encodeAsJson(long id, String type, Object body) {
    try {
      return Json.MAPPER.writeValueAsBytes(new Frame<>(version, id, type, body));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot encode " + type, e);
    }
  }

  /// The answer to a request of a type that is not known here.
  byte[] notUnderstood(UnknownMessageException request) {
    return encodeAsJson(request.id(), REFUSED, new Refusal(request.getMessage()));
  }

  /// @throws ProtocolException if the bytes are not a message of this protocol and version
  public Envelope<M> decode(byte[] frame) throws ProtocolException {
    var known = DecodedFrames.ofThisThread();
    if (known == null) {
      return decodeAnew(frame);
    }
    var before = known.<Envelope<M>>find(this, frame);
    if (before != null) {
      return before;
    }
    var decoded = decodeAnew(frame);
    known.keep(this, frame, decoded);
    return decoded;
  }

  private Envelope<M> decodeAnew(byte[] frame) throws ProtocolException {
    if (shortForm != null && frame.length > 0 && frame[0] == SHORT) {
      return decodeShort(shortForm, frame);
    }
    try (var parser = Json.MAPPER.createParser(frame)) {
      return read(parser);
    } catch (ProtocolException e) {
      throw e;
    } catch (JsonMappingException e) {
      throw new ProtocolException(name + ": not a message: " + place(e) + " is not what it must be");
    } catch (JsonProcessingException e) {
      throw new ProtocolException(name + ": not a message: no JSON");
    } catch (IOException e) {
      throw new ProtocolException(name + ": not a message: " + firstLine(e.getMessage()));
    }
  }

  /// A message's type as another build may call it; whatever else is there may be a secret.
  private static String word(String wanted) {
    return wanted.matches("[A-Z][A-Za-z]{0,40}") ? wanted : "?";
  }

  /// Where in a message something is wrong. What is there is not told: it may be a secret, and who
  /// sends one after the other is not to fill the log with lines that are all different.
  private static String place(JsonMappingException e) {
    var place = new StringBuilder("body");
    for (var step : e.getPath()) {
      var field = step.getFieldName();
      place.append(field == null ? "[]" : "." + field);
    }
    return place.substring(0, Math.min(place.length(), PLACE_MAX));
  }

  /// Reads what is asked for and skips the rest, so that what is not read takes no memory.
  private Envelope<M> read(JsonParser parser) throws IOException {
    var theirs = "none";
    var id = 0L;
    var refused = false;
    Class<? extends M> type = null;
    M body = null;
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new ProtocolException(name + ": not a message");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var field = parser.currentName();
      var value = parser.nextToken();
      if (value.isStructStart() && !field.equals("body")) {
        parser.skipChildren();
        continue;
      }
      switch (field) {
        case "v" -> theirs = parser.getText();
        case "id" -> id = parser.getValueAsLong();
        case "type" -> {
          refused = parser.getText().equals(REFUSED);
          type = refused ? null : type(theirs, id, parser.getText());
        }
        case "body" -> {
          if (refused) {
            throw new NotUnderstoodException(id, parser.readValueAs(Refusal.class).why());
          }
          body = body(parser, id, type);
        }
        default -> {}
      }
    }
    if (body == null) {
      throw new ProtocolException(name + ": a message without a body");
    }
    return new Envelope<>(id, body);
  }

  private Class<? extends M> type(String theirs, long id, String wanted)
      throws ProtocolException {
    if (!theirs.equals(Integer.toString(version))) {
      throw new ProtocolException(
          "%s: protocol version %s, expected %d"
              .formatted(name, theirs.length() > VERSION_MAX ? "unreadable" : theirs, version));
    }
    var type = types().get(wanted);
    if (type == null) {
      throw new UnknownMessageException(
          id, "%s: unknown message \"%s\"; %s".formatted(name, word(wanted), OTHER_BUILD));
    }
    return type;
  }

  private Envelope<M> decodeShort(ShortForm<M> form, byte[] frame) throws ProtocolException {
    var reader = new FrameReader(frame);
    reader.octet();
    var theirs = reader.octet();
    if (theirs != version) {
      throw new ProtocolException(
          "%s: protocol version %d, expected %d".formatted(name, theirs, version));
    }
    var id = reader.number();
    var kind = reader.octet();
    @Nullable M message;
    try {
      message = form.read(kind, reader);
    } catch (NoNameException e) {
      throw new NoNameException(id, e.getMessage());
    }
    if (message == null) {
      throw new UnknownMessageException(
          id, "%s: unknown message %d; %s".formatted(name, kind, OTHER_BUILD));
    }
    reader.end();
    return new Envelope<>(id, message);
  }

  private M body(JsonParser parser, long id, @Nullable Class<? extends M> type) throws IOException {
    if (type == null) {
      throw new ProtocolException(name + ": a body before version and type");
    }
    @Nullable M body;
    try {
      body = parser.readValueAs(type);
    } catch (NameCodecs.NoName e) {
      throw new NoNameException(id, e.getOriginalMessage());
    }
    if (body == null) {
      throw new ProtocolException(name + ": " + type.getSimpleName() + " without a body");
    }
    if (body instanceof Record message) {
      Completeness.check(id, message);
    }
    return body;
  }

  private static String firstLine(@Nullable String text) {
    return text == null ? "" : text.lines().findFirst().orElse("");
  }
}
