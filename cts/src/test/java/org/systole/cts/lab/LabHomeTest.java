package org.systole.cts.lab;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LabHomeTest {
  @TempDir private Path directory;

  /// A host's heart beats on until it is killed, and a fence agent may switch one on that was.
  @Test
  void whatIsStillWrittenToIsRemovedOnceThatEnds() throws Exception {
    var volume = Files.createDirectories(directory.resolve("volume/host1"));
    var beats = new AtomicInteger();
    var removing = new AtomicBoolean();
    var heart =
        Thread.ofPlatform()
            .start(
                () -> {
                  var left = 20; // once it is being removed
                  while (left > 0) {
                    try {
                      Files.createDirectories(volume);
                      Files.writeString(volume.resolve("beat" + beats.incrementAndGet()), "");
                    } catch (IOException e) {
                      beats.incrementAndGet(); // the directory has just gone
                    }
                    left -= removing.get() ? 1 : 0;
                  }
                });
    while (beats.get() < 50) {
      Thread.onSpinWait();
    }
    removing.set(true);
    LabHome.remove(directory.resolve("volume"));
    heart.join();
    LabHome.remove(directory.resolve("volume")); // one beat may have come after it was gone

    assertFalse(Files.exists(directory.resolve("volume")));
    assertTrue(beats.get() >= 50);
  }
}
