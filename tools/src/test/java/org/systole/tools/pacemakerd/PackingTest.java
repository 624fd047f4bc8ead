package org.systole.tools.pacemakerd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.zip.DataFormatException;
import org.junit.jupiter.api.Test;

class PackingTest {
  @Test
  void everyMessageComesOutAsItWentIn() throws Exception {
    for (var size : new int[] {0, 1, 2047, 2048, 100_000}) {
      var message = new byte[size];
      new Random(size).nextBytes(message);
      var packed = Packing.pack(message);
      assertArrayEquals(message, Packing.unpack(packed, 0, packed.length));
    }
    assertTrue(Packing.pack(new byte[1_000_000]).length < 10_000);
  }

  @Test
  void whatIsCutShortIsRefused() {
    var packed = Packing.pack(new byte[100_000]);
    assertThrows(DataFormatException.class, () -> Packing.unpack(packed, 0, packed.length / 2));
    assertThrows(DataFormatException.class, () -> Packing.unpack(new byte[] {1}, 0, 1));
  }
}
