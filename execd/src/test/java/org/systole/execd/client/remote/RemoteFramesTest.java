package org.systole.execd.client.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.Test;

final class RemoteFramesTest {
  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] frame(String text) throws IOException {
    var frame = new ByteArrayOutputStream();
    frame.write(RemoteFrames.header(1, bytes(text)));
    frame.write(bytes(text));
    frame.write(0);
    return frame.toByteArray();
  }

  private static byte[] header(ByteOrder order, int total, int offset, int packed, int length) {
    return ByteBuffer.allocate(RemoteFrames.HEADER)
        .order(order)
        .putInt(RemoteFrames.MAGIC)
        .putInt(1)
        .putLong(7)
        .putLong(0)
        .putInt(total)
        .putInt(offset)
        .putInt(packed)
        .putInt(length)
        .array();
  }

  private static byte[] joined(byte[] header, byte[] payload) {
    var all = Arrays.copyOf(header, header.length + payload.length);
    System.arraycopy(payload, 0, all, header.length, payload.length);
    return all;
  }

  private static byte[] packed(byte[] text) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var out = new BZip2CompressorOutputStream(packed)) {
      out.write(text);
    }
    return packed.toByteArray();
  }

  private static List<String> read(byte[] all, int piece) throws RemoteFrameException {
    var reader = new RemoteFrameReader();
    var messages = new ArrayList<String>();
    for (var at = 0; at < all.length; at += piece) {
      reader.take(
          all,
          at,
          Math.min(piece, all.length - at),
          it -> messages.add(new String(it, StandardCharsets.UTF_8)));
    }
    return messages;
  }

  private static void refused(String why, byte[] bytes) {
    var e = assertThrows(RemoteFrameException.class, () -> read(bytes, bytes.length));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  @Test
  void aHeaderIsWhatPacemakerSends() {
    var header = ByteBuffer.wrap(RemoteFrames.header(258, bytes("<a/>")));
    assertEquals("bddbdaba", "%08x".formatted(header.getInt()));
    assertEquals("01000000", "%08x".formatted(header.getInt()));
    assertEquals("0201000000000000", "%016x".formatted(header.getLong()));
    assertEquals(0, header.getLong());
    header.order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(45, header.getInt());
    assertEquals(40, header.getInt());
    assertEquals(0, header.getInt());
    assertEquals(5, header.getInt());
  }

  @Test
  void messagesComeWholeInWhateverPiecesTheyArrive() throws Exception {
    var big = "<long>" + "x".repeat(40_000) + "</long>";
    var all = joined(joined(frame("<a/>"), frame(big)), frame("<b/>"));
    for (var piece : new int[] {1, 7, 40, 41, 16_384, all.length}) {
      assertEquals(List.of("<a/>", big, "<b/>"), read(all, piece));
    }
  }

  @Test
  void theOtherByteOrderIsUnderstood() throws Exception {
    var frame = joined(header(ByteOrder.BIG_ENDIAN, 45, 40, 0, 5), bytes("<a/>\0"));
    assertEquals(List.of("<a/>"), read(frame, frame.length));
  }

  @Test
  void aCompressedMessageIsUnderstoodWithItsZeroCountedOrNot() throws Exception {
    var text = "<a>" + "x".repeat(5000) + "</a>";
    var packed = packed(bytes(text + "\0"));
    for (var length : new int[] {text.length(), text.length() + 1}) {
      var header =
          header(ByteOrder.LITTLE_ENDIAN, 40 + packed.length, 40, packed.length, length);
      assertEquals(List.of(text), read(joined(header, packed), 100));
    }
  }

  @Test
  void whatIsNoFrameIsRefused() throws Exception {
    refused("not the protocol", bytes("GET / HTTP/1.1\r\nHost: somewhere.example\r\n\r\n"));
    refused("contradict", header(ByteOrder.LITTLE_ENDIAN, 46, 40, 0, 5));
    refused("contradict", header(ByteOrder.LITTLE_ENDIAN, 45, 39, 0, 5));
    refused("without a message", header(ByteOrder.LITTLE_ENDIAN, 40, 40, 0, 0));
    refused("at most", header(ByteOrder.LITTLE_ENDIAN, 45, 40, 0, RemoteFrames.MAX + 1));
    refused("at most", header(ByteOrder.LITTLE_ENDIAN, -1, 40, 0, -41));
  }

  @Test
  void aMessageOfNothingButElementsIsRefusedBeforeAnybodyReadsIt() throws Exception {
    var text = "<a>" + "<b/>".repeat(2 * RemoteFrameReader.MARKS_MAX) + "</a>";
    var packed = packed(bytes(text + "\0")); // a few hundred bytes
    var header =
        header(ByteOrder.LITTLE_ENDIAN, 40 + packed.length, 40, packed.length, text.length() + 1);
    refused("too many elements", joined(header, packed));
    refused("too many elements", frame(text));
    var most = "<a>" + "<b></b>".repeat(RemoteFrameReader.MARKS_MAX - 1) + "</a>";
    assertEquals(List.of(most), read(frame(most), 1 << 20));
  }

  @Test
  void aFrameThatOnlyClaimsToBeLongGetsNoMemory() throws Exception {
    var readers = new ArrayList<RemoteFrameReader>();
    var header =
        header(ByteOrder.LITTLE_ENDIAN, RemoteFrames.MAX, 40, 0, RemoteFrames.MAX - 40);
    for (var count = 0; count < 1000; count++) { // 20 GB are claimed
      var reader = new RemoteFrameReader();
      reader.take(joined(header, bytes("<a")), 0, 42, _ -> {});
      readers.add(reader);
    }
    assertEquals(1000, readers.size());
  }

  @Test
  void aCompressedMessageThatSwellsOrIsDamagedIsRefused() throws Exception {
    var bomb = packed(new byte[4 << 20]);
    var header = header(ByteOrder.LITTLE_ENDIAN, 40 + bomb.length, 40, bomb.length, 100);
    refused("another length", joined(header, bomb));
    var random = new Random(1);
    for (var count = 0; count < 300; count++) {
      var damaged = packed(bytes("<a>" + count + "</a>"));
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 + random.nextInt(255));
      var head = header(ByteOrder.LITTLE_ENDIAN, 40 + damaged.length, 40, damaged.length, 9);
      var all = joined(head, damaged);
      try {
        read(all, all.length);
      } catch (RemoteFrameException e) {
        continue; // any other exception would end the reader's thread
      }
    }
  }
}
