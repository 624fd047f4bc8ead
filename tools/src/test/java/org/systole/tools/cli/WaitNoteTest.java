package org.systole.tools.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class WaitNoteTest {
  private final CountDownLatch said = new CountDownLatch(1);
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final PrintStream err =
      new PrintStream(text, true, StandardCharsets.UTF_8) {
        @Override
        public void println(String line) {
          super.println(line);
          said.countDown();
        }
      };

  @Test
  void itIsSaidOnceWhereItTakesLong() throws InterruptedException {
    try (var _ = new WaitNote(err, Duration.ZERO, "Waiting for the end")) {
      assertTrue(said.await(10, TimeUnit.SECONDS));
    }
    assertEquals("Waiting for the end\n", text.toString(StandardCharsets.UTF_8));
  }

  @Test
  void nothingIsSaidWhereItDoesNot() {
    try (var _ = new WaitNote(err, Duration.ofHours(1), "Waiting for the end")) {
      assertEquals("", text.toString(StandardCharsets.UTF_8));
    }
    assertEquals("", text.toString(StandardCharsets.UTF_8));
  }
}
