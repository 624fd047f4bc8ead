package org.systole.common.wire;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.systole.common.wire.Protocol.Envelope;
import org.systole.common.wire.Protocol.ProtocolException;

/// What a daemon and its clients say to each other: a client requests, each request gets one reply,
/// and events come to those who asked to be told of them.
///
/// A frame is a [Protocol]'s. Whoever says what is not theirs to say, such as a client an event, is
/// refused like one who says nonsense. Safe for use by several threads.
///
/// @param <Q> the requests
/// @param <R> the replies
/// @param <E> the events
public final class ClientProtocol<Q, R, E> {
  /// Of a protocol without events: there is none.
  public static final class NoEvent {
    private NoEvent() {}
  }

  /// What a server says.
  public sealed interface Said<R, E> {
    /// @param id of the request
    record Reply<R, E>(long id, R body) implements Said<R, E> {}

    record Event<R, E>(E body) implements Said<R, E> {}
  }

  private static final int GUEST_FRAME_MAX = 64 << 10;

  private final Protocol<? super Q> requests;
  private final Protocol<? super R> replies;
  private final @Nullable Protocol<? super E> events;
  private final Class<Q> requestType;
  private final Class<R> replyType;
  private final Class<E> eventType;
  private final int guestFrameMax;
  private final @Nullable Function<String, R> refusal;

  private ClientProtocol(
      Protocol<? super Q> requests,
      Protocol<? super R> replies,
      @Nullable Protocol<? super E> events,
      Class<Q> requestType,
      Class<R> replyType,
      Class<E> eventType,
      int guestFrameMax,
      @Nullable Function<String, R> refusal) {
    this.requests = requests;
    this.replies = replies;
    this.events = events;
    this.requestType = requestType;
    this.replyType = replyType;
    this.eventType = eventType;
    this.guestFrameMax = guestFrameMax;
    this.refusal = refusal;
  }

  /// @param messages all of them; each is a request, a reply or an event, or two of these
  public static <M, Q extends M, R extends M, E extends M> ClientProtocol<Q, R, E> of(
      Protocol<M> messages, Class<Q> requests, Class<R> replies, Class<E> events) {
    return new ClientProtocol<>(
        messages, messages, messages, requests, replies, events, GUEST_FRAME_MAX, null);
  }

  /// @param messages all of them; each is a request or a reply
  public static <M, Q extends M, R extends M> ClientProtocol<Q, R, NoEvent> of(
      Protocol<M> messages, Class<Q> requests, Class<R> replies) {
    return new ClientProtocol<>(
        messages, messages, null, requests, replies, NoEvent.class, GUEST_FRAME_MAX, null);
  }

  /// The same, of which a client that is not the cluster's own may say longer messages than the
  /// usual 64 KiB.
  ///
  /// @param bytes of a frame at most
  public ClientProtocol<Q, R, E> withLongGuestFrames(int bytes) {
    return new ClientProtocol<>(
        requests, replies, events, requestType, replyType, eventType, bytes, refusal);
  }

  /// The same, of which a request that names what can never be a node or a resource is answered
  /// rather than taken for nonsense.
  ///
  /// @param answer made of one line that says what is wrong
  public ClientProtocol<Q, R, E> withRefusal(Function<String, R> answer) {
    return new ClientProtocol<>(
        requests, replies, events, requestType, replyType, eventType, guestFrameMax, answer);
  }

  public String name() {
    return requests.name();
  }

  /// What all messages have in common.
  public Protocol<?> messages() {
    return requests;
  }

  /// How long a frame of a client that is not the cluster's own may be, in bytes.
  int guestFrameMax() {
    return guestFrameMax;
  }

  /// @param id pairs it with its reply; 0 for what gets none
  public byte[] request(long id, Q request) {
    return requests.encode(id, request);
  }

  /// @param id of the request
  public byte[] reply(long id, R reply) {
    return replies.encode(id, reply);
  }

  /// The reply to a request with a name that is none; null if such a client is cut off.
  byte @Nullable [] refusal(Protocol.NoNameException request) {
    return refusal == null || request.id() == 0
        ? null
        : reply(request.id(), refusal.apply(request.getMessage()));
  }

  /// The reply to a request this build does not know.
  byte[] notUnderstood(Protocol.UnknownMessageException request) {
    return requests.notUnderstood(request);
  }

  public byte[] event(E event) {
    if (events == null) {
      throw new IllegalArgumentException(name() + " has no events");
    }
    return events.encode(0, event);
  }

  /// @throws ProtocolException if the frame is no request of this protocol
  public Envelope<Q> requestIn(byte[] frame) throws ProtocolException {
    var message = requests.decode(frame);
    return new Envelope<>(message.id(), cast(requestType, message.body(), "request"));
  }

  /// @throws ProtocolException if the frame is neither a reply nor an event of this protocol
  public Said<R, E> saidIn(byte[] frame) throws ProtocolException {
    var message = replies.decode(frame);
    return message.id() == 0
        ? new Said.Event<>(cast(eventType, message.body(), "event"))
        : new Said.Reply<>(message.id(), cast(replyType, message.body(), "reply"));
  }

  /// @throws ProtocolException if the frame is no reply of this protocol
  public R replyIn(byte[] frame) throws ProtocolException {
    return cast(replyType, replies.decode(frame).body(), "reply");
  }

  private <T> T cast(Class<T> type, Object message, String kind) throws ProtocolException {
    if (!type.isInstance(message)) {
      throw new ProtocolException(
          "%s: %s is no %s".formatted(name(), message.getClass().getSimpleName(), kind));
    }
    return type.cast(message);
  }
}
