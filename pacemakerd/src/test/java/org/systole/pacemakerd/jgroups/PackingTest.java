package org.systole.pacemakerd.jgroups;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.DataFormatException;
import org.junit.jupiter.api.Test;

class PackingTest {
  @Test
  void everyMessageIsUnpackedAsItWasPacked() throws Exception {
    var messages = new ArrayList<byte[]>();
    for (var size : new int[] {0, 1, 2047, 2048, 100_000}) {
      var message = new byte[size];
      new Random(size).nextBytes(message);
      messages.add(message);
      assertSame(List.of(message));
      assertSame(messages);
    }
    assertTrue(Packing.pack(List.of(new byte[1_000_000])).length < 10_000);
  }

  private static void assertSame(List<byte[]> messages) throws DataFormatException {
    var packed = Packing.pack(messages);
    var unpacked = Packing.unpack(packed, 0, packed.length);
    assertEquals(messages.size(), unpacked.size());
    for (var at = 0; at < messages.size(); at++) {
      assertArrayEquals(messages.get(at), unpacked.get(at));
    }
  }

  @Test
  void aTruncatedPackIsRefused() {
    var packed = Packing.pack(List.of(new byte[100_000]));
    assertThrows(DataFormatException.class, () -> Packing.unpack(packed, 0, packed.length / 2));
    assertThrows(DataFormatException.class, () -> Packing.unpack(new byte[] {1}, 0, 1));
    var plain = Packing.pack(List.of(new byte[10], new byte[10]));
    assertThrows(DataFormatException.class, () -> Packing.unpack(plain, 0, plain.length - 1));
    assertThrows(DataFormatException.class, () -> Packing.unpack(plain, 0, plain.length - 11));
  }
}
