package org.systole.execd.client.remote;

import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.systole.common.values.Numbers;
import org.systole.common.wire.DecodedFrames;
import org.systole.common.world.Connection;
import org.systole.common.xml.Element;

/// The forms of what passes between a command on a remote node and a member: Pacemaker's, and within
/// them the frames of our own daemons. Such a frame goes as text, deflated where that makes it
/// shorter; a server of that kind has a name that Pacemaker's do not have.
public final class ProxyXml {
  /// How our own daemons' sockets are named.
  public static final String OWN = "systole/";

  public static final String NEW = "new";
  public static final String REQUEST = "request";
  public static final String RESPONSE = "response";
  public static final String EVENT = "event";

  /// Says, of our own frames, that a member has taken some: only then more are sent.
  public static final String TAKEN = "taken";

  public static final String SERVER = "lrmd_ipc_server";
  public static final String USER = "lrmd_ipc_user";
  public static final String CLIENT = "lrmd_ipc_client";
  public static final String MESSAGE_ID = "lrmd_ipc_msg_id";
  public static final String FLAGS = "lrmd_ipc_msg_flags";
  public static final String CONTENT = "lrmd_ipc_msg";

  private static final String GROUPS = "groups";
  private static final String FRAME = "frame";
  private static final String LENGTH = "length";
  private static final String PLAIN = "plain";
  private static final String DEFLATED = "deflated";
  private static final String SIZE = "size";
  /// Of what a command says in one piece.
  public static final int REQUEST_MAX = RemoteFrames.MAX;

  private static final int WORTH_IT = 256;
  private static final int GROUPS_MAX = 256;

  private ProxyXml() {}

  /// A message of a session.
  public static Element.Builder of(String operation, String session) {
    return Element.builder(RemoteXml.PROXY)
        .attr(RemoteXml.PROXY_OPERATION, operation)
        .attr(RemoteXml.PROXY_SESSION, session);
  }

  /// The end of a session.
  public static Element end(String session) {
    return of(RemoteXml.PROXY_END, session).build();
  }

  /// The beginning of a session with one of our own daemons.
  ///
  /// @param socket such as `cib`
  /// @param groups of the user on the remote node
  public static Element begin(String session, String socket, String user, List<String> groups) {
    return of(NEW, session)
        .attr(SERVER, OWN + socket)
        .attr(USER, user)
        .attr(GROUPS, String.join("\n", groups))
        .build();
  }

  /// The groups of the user in [#begin].
  public static List<String> groupsIn(Element message) {
    var text = message.get(GROUPS, "");
    return text.isEmpty() ? List.of() : List.of(text.split("\n", GROUPS_MAX));
  }

  /// A message with a frame of our own.
  ///
  /// @param operation [#REQUEST] or [#EVENT]
  public static Element frame(String operation, String session, byte[] said) {
    var frame = DecodedFrames.bytes(said);
    var content = Element.builder(FRAME).attr(LENGTH, frame.length);
    var shorter = frame.length < WORTH_IT ? frame : deflated(frame);
    content.attr(
        shorter.length < frame.length ? DEFLATED : PLAIN,
        Base64.getEncoder().encodeToString(shorter.length < frame.length ? shorter : frame));
    return of(operation, session)
        .add(Element.builder(CONTENT).add(content.build()).build())
        .build();
  }

  private static byte[] deflated(byte[] frame) {
    try (var deflater = new Deflater(Deflater.BEST_SPEED)) {
      deflater.setInput(frame);
      deflater.finish();
      var out = new byte[frame.length];
      var length = deflater.deflate(out);
      return deflater.finished() ? java.util.Arrays.copyOf(out, length) : frame;
    }
  }

  /// The frame of our own that a message has.
  ///
  /// @return null if it has none that is whole
  public static byte @Nullable [] frameIn(Element message) {
    return frameIn(message, Connection.FRAME_MAX);
  }

  /// As [#frameIn(Element)] for one that has at most so many bytes.
  public static byte @Nullable [] frameIn(Element message, int most) {
    var content = message.path(CONTENT, FRAME);
    var length = content == null ? 0 : Numbers.integer(content.get(LENGTH), 0);
    if (content == null || length < 1 || length > most) {
      return null;
    }
    try {
      var plain = content.get(PLAIN);
      var bytes = Base64.getDecoder().decode(plain == null ? content.get(DEFLATED, "") : plain);
      var frame = plain == null ? inflated(bytes, length) : bytes;
      return frame.length == length ? frame : null;
    } catch (IllegalArgumentException | DataFormatException e) {
      return null; // the caller says so
    }
  }

  /// Never more than was announced, and nothing is set aside before it is there.
  private static byte[] inflated(byte[] bytes, int length) throws DataFormatException {
    try (var inflater = new Inflater()) {
      inflater.setInput(bytes);
      var out = new ByteArrayOutputStream();
      var part = new byte[1 << 14];
      while (!inflater.finished()) {
        var count = inflater.inflate(part);
        if (count == 0 && !inflater.finished() || out.size() + count > length) {
          throw new DataFormatException("not what was announced");
        }
        out.write(part, 0, count);
      }
      return out.toByteArray();
    }
  }

  /// Says that a member has taken a message.
  public static Element taken(String session, int size) {
    return of(TAKEN, session).attr(SIZE, size).build();
  }

  /// How much was taken.
  public static int sizeIn(Element message) {
    return Numbers.integer(message.get(SIZE), 0);
  }

  /// What a message carries for the other end.
  ///
  /// @return null for nothing
  public static @Nullable Element contentIn(Element message) {
    var content = message.first(CONTENT);
    return content == null || content.childCount() == 0 ? null : content.child(0);
  }
}
