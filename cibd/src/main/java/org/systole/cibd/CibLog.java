package org.systole.cibd;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.systole.common.cib.CibPatch;
import org.systole.common.values.Numbers;
import org.systole.common.xml.Element;
import org.systole.common.xml.XmlException;
import org.systole.common.xml.XmlReader;
import org.systole.common.xml.XmlWriter;

/// The content of `cib.log`: what has happened to the configuration since `cib.xml` was written,
/// one record a write.
///
/// A change is on disk as soon as its record is, which takes one write where replacing the files
/// takes several. Each record has the digest of the `cib.xml` that the log continues from; with any
/// other one it is ignored. A record is a line, a patchset of the length given in the line, and a
/// line feed:
///
/// `CRC LENGTH BASE PROMISED TERM INDEX STRAY-TERM STRAY on|left TERM INDEX ...`
///
/// An incomplete record ends the log: it was being written when the node failed, and was not
/// acknowledged.
final class CibLog {
  private static final int FIXED = 9;
  private static final String NO_PATCH = "";

  /// The state after the records.
  ///
  /// @param records how many there were
  /// @param length how much of the log they are
  record State(Element cib, CibMeta.Entry entry, long promised, int records, int length) {}

  /// @param words of its line
  /// @param next where the next one begins
  private record Record(String[] words, String patch, int next) {
    String base() {
      return words[2];
    }
  }

  private CibLog() {}

  /// @param base the digest of the `cib.xml` the log continues from
  /// @param before what is on disk, including all earlier records
  /// @return null if the step from `before` to `after` cannot be put into a record
  static byte @Nullable [] record(String base, Element before, Element after, CibDisk.Image image) {
    var text = NO_PATCH;
    if (!before.equals(after)) {
      var patch = CibPatch.exact(before, after);
      if (patch == null) {
        return null;
      }
      text = XmlWriter.compact(patch);
    }
    var body = text.getBytes(StandardCharsets.UTF_8);
    var line = new StringBuilder();
    line.append(body.length).append(' ').append(base).append(' ').append(image.promised());
    CibMeta.append(line, image.line(), image.history());
    var head = line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    var rest = Arrays.copyOf(head, head.length + body.length + 1);
    System.arraycopy(body, 0, rest, head.length, body.length);
    rest[rest.length - 1] = '\n';
    var sum = (sum(rest) + " ").getBytes(StandardCharsets.UTF_8);
    var record = Arrays.copyOf(sum, sum.length + rest.length);
    System.arraycopy(rest, 0, record, sum.length, rest.length);
    return record;
  }

  private static String sum(byte[] bytes) {
    var crc = new CRC32();
    crc.update(bytes);
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  /// Replays the log on top of `cib.xml`.
  ///
  /// @param base the digest of `cib`
  /// @return null if the log has no records for it
  static @Nullable State replay(byte[] log, String base, Element cib) {
    State state = null;
    for (var it = at(log, 0); it != null && it.base().equals(base); it = at(log, it.next())) {
      var after = apply(state == null ? cib : state.cib(), it.patch());
      if (after == null) {
        break;
      }
      state =
          new State(
              after,
              CibMeta.entry("", it.words(), 4),
              Numbers.parse(it.words()[3], 0),
              state == null ? 1 : state.records() + 1,
              it.next());
    }
    return state;
  }

  /// The digest of the `cib.xml` that a log goes on from; null if it has no whole record.
  static @Nullable String base(byte[] log) {
    for (var at = 0; at >= 0 && at < log.length; at = lineAfter(log, at)) {
      var it = at(log, at);
      if (it != null) {
        return it.base();
      }
    }
    return null;
  }

  /// How many whole records there are from a place on, whatever is between them.
  static int records(byte[] log, int from) {
    var records = 0;
    for (var at = from; at >= 0 && at < log.length; ) {
      var it = at(log, at);
      records += it == null ? 0 : 1;
      at = it == null ? lineAfter(log, at) : it.next();
    }
    return records;
  }

  /// The record that begins at a place; null if there is no whole one.
  private static @Nullable Record at(byte[] log, int at) {
    var end = indexOf(log, at);
    var words = new String(log, at, Math.max(0, end - at), StandardCharsets.UTF_8).split(" ");
    var length = words.length < FIXED ? -1 : Numbers.parseInt(words[1], -1);
    if (end < 0 || length < 0 || end + 1L + length + 1 > log.length) {
      return null;
    }
    var next = end + 1 + length + 1;
    var summed = at + words[0].length() + 1;
    return sum(Arrays.copyOfRange(log, summed, next)).equals(words[0])
        ? new Record(words, new String(log, end + 1, length, StandardCharsets.UTF_8), next)
        : null;
  }

  private static int lineAfter(byte[] log, int at) {
    var end = indexOf(log, at);
    return end < 0 ? -1 : end + 1;
  }

  private static int indexOf(byte[] bytes, int from) {
    for (var at = from; at < bytes.length; at++) {
      if (bytes[at] == '\n') {
        return at;
      }
    }
    return -1;
  }

  private static @Nullable Element apply(Element before, String patch) {
    if (patch.equals(NO_PATCH)) {
      return before;
    }
    try {
      var applied = CibPatch.apply(before, XmlReader.parse(patch), false);
      return applied.rc().isOk() ? applied.cib() : null;
    } catch (XmlException e) {
      return null;
    }
  }
}
